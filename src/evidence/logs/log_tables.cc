// SPDX-License-Identifier: Apache-2.0
#include "evidence/logs/log_tables.h"

#include <algorithm>

#include "base/check.h"
#include "evidence/logs/argument_dump.h"
#include "evidence/logs/traceback_reader.h"

namespace assay {
namespace {

constexpr std::string_view kFrameMarker = "File \"";
constexpr std::size_t kMostDialects = 64;  // a line's dialects are one machine word

std::vector<const Signature*> Pointers(std::span<const Signature> shipped, std::span<const Signature> user) {
  std::vector<const Signature*> all;
  for (const Signature& s : shipped) all.push_back(&s);
  for (const Signature& s : user) all.push_back(&s);
  return all;
}

}  // namespace

void LogTables::Search::Add(std::string_view literal, Target target) {
  const auto [at, added] = index_.try_emplace(literal, literals.size());
  if (!added) return targets[at->second].push_back(target);
  literals.push_back(literal);
  targets.push_back({target});
}

const LiteralScanner& LogTables::Search::Scanner() {
  if (!scanner_) scanner_ = std::make_unique<LiteralScanner>(literals);
  return *scanner_;
}

LogTables::LogTables(std::span<const Signature> user_signatures) : matcher(Pointers(knowledge::Signatures(), user_signatures)) {
  for (Search* const search : {&signatures, &everything}) {
    for (std::size_t i = 0; i < matcher.size(); ++i) {
      const auto index = static_cast<std::uint32_t>(i);
      for (const std::string_view literal : matcher.signature(i).literals)
        search->Add(literal, {Target::Kind::kSignature, index});
      for (const std::string_view text : matcher.signature(i).also) search->Add(text, {Target::Kind::kAlso, index});
    }
    search->Add(kTracebackMarker, {Target::Kind::kTraceback, 0});
    search->Add(kFrameMarker, {Target::Kind::kFrame, 0});
    search->Add(kDuringHandling, {Target::Kind::kChain, 0});
    search->Add(kDirectCause, {Target::Kind::kChain, 1});
  }
  dialects.assign(dialects::All().begin(), dialects::All().end());
  ASSAY_CHECK(dialects.size() <= kMostDialects);
  std::stable_sort(dialects.begin(), dialects.end(),
                   [](const Dialect* a, const Dialect* b) { return a->precedence < b->precedence; });
  for (std::size_t i = 0; i < dialects.size(); ++i) {
    for (const std::string_view trigger : dialects[i]->triggers) {
      everything.Add(trigger, {Target::Kind::kDialect, static_cast<std::uint32_t>(i)});
    }
  }
  everything.Add("%|", {Target::Kind::kBar, 0});
  everything.Add("it [", {Target::Kind::kBar, 0});
  for (const std::string_view trigger : ArgumentDump::Triggers()) everything.Add(trigger, {Target::Kind::kArguments, 0});
}

LogTables::~LogTables() = default;

}  // namespace assay
