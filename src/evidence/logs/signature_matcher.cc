// SPDX-License-Identifier: Apache-2.0
#include "evidence/logs/signature_matcher.h"

#include <re2/re2.h>

#include <algorithm>

#include "base/check.h"
#include "base/text.h"

namespace assay {

bool HoldsItsTexts(const Signature& signature, std::string_view line) {
  const auto holds = [&](std::string_view text) { return line.find(text) != std::string_view::npos; };
  return std::any_of(signature.literals.begin(), signature.literals.end(), holds) &&
         (signature.also.empty() || std::any_of(signature.also.begin(), signature.also.end(), holds));
}

SignatureMatcher::SignatureMatcher(std::vector<const Signature*> signatures)
    : signatures_(std::move(signatures)),
      patterns_(signatures_.size()) {}
SignatureMatcher::~SignatureMatcher() = default;

const re2::RE2& SignatureMatcher::Pattern(std::size_t index) {
  std::unique_ptr<re2::RE2>& pattern = patterns_[index];
  if (!pattern) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_encoding(re2::RE2::Options::EncodingLatin1);  // damaged UTF-8 must not hide the rest of a line
    pattern = std::make_unique<re2::RE2>(re2::StringPiece(signatures_[index]->pattern.data(), signatures_[index]->pattern.size()),
                                         options);
  }
  return *pattern;
}

std::string SignatureMatcher::PatternFault(std::size_t index) { return Pattern(index).error(); }

std::optional<SignatureMatcher::Match> SignatureMatcher::Confirm(std::size_t index, std::string_view line, bool complete) {
  const re2::RE2& pattern = Pattern(index);
  if (!pattern.ok()) return std::nullopt;  // shipped ones are checked by the build, a user's when they are loaded
  const int groups = pattern.NumberOfCapturingGroups();
  std::vector<re2::StringPiece> pieces(static_cast<std::size_t>(groups) + 1);
  const re2::StringPiece text(line.data(), line.size());
  if (!pattern.Match(text, 0, line.size(), re2::RE2::UNANCHORED, pieces.data(), groups + 1)) return std::nullopt;
  Match match;
  for (const auto& [number, name] : pattern.CapturingGroupNames()) {
    const re2::StringPiece piece = pieces[static_cast<std::size_t>(number)];
    if (piece.data() == nullptr || piece.empty()) continue;
    if (!complete && piece.data() + piece.size() == line.data() + line.size()) return std::nullopt;
    match.captures.emplace_back(name, Printable(Trim({piece.data(), piece.size()}), 256));
  }
  return match;
}

}  // namespace assay
