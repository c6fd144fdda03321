// SPDX-License-Identifier: Apache-2.0
#include "evidence/facts/fact_store.h"

#include <algorithm>

#include "base/text.h"

namespace assay {
namespace {

bool SameKey(std::string_view dotted, std::string_view name) {
  const std::string_view last = dotted.substr(dotted.find_last_of("./") + 1);  // npos + 1 is 0
  const auto plain = [](char c) { return c == '-' ? '_' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(last.begin(), last.end(), name.begin(), name.end(), [&](char a, char b) { return plain(a) == plain(b); });
}

int Trust(ConfigValue::Origin origin) {
  switch (origin) {
    case ConfigValue::Origin::kArguments: return 0;
    case ConfigValue::Origin::kEnvironment: return 1;
    case ConfigValue::Origin::kJobScript: return 2;
    case ConfigValue::Origin::kMetadata: return 3;
    case ConfigValue::Origin::kFile: return 4;
  }
  return 5;
}

}  // namespace

const char* AnomalyName(AnomalyKind kind) {
  switch (kind) {
    case AnomalyKind::kTruncated: return "truncated";
    case AnomalyKind::kCorrupt: return "corrupt";
    case AnomalyKind::kEmpty: return "empty";
    case AnomalyKind::kLostBytes: return "lost-bytes";
    case AnomalyKind::kBadEncoding: return "bad-encoding";
    case AnomalyKind::kOverlong: return "overlong";
    case AnomalyKind::kUnreadable: return "unreadable";
    case AnomalyKind::kContradiction: return "contradiction";
    case AnomalyKind::kMissing: return "missing";
  }
  return "corrupt";
}

FactStore::FactStore() : sources_(std::make_shared<std::vector<Source>>()) {}
FactStore::~FactStore() = default;
FactStore::FactStore(FactStore&&) noexcept = default;
FactStore& FactStore::operator=(FactStore&&) noexcept = default;

SourceId FactStore::AddSource(Source source) {
  std::vector<Source>& all = *sources_;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].path == source.path && all[i].kind == source.kind && all[i].captured == source.captured)
      return SourceId{static_cast<std::uint32_t>(i)};
  }
  all.push_back(std::move(source));
  return SourceId{static_cast<std::uint32_t>(all.size() - 1)};
}

FactStore& FactStore::AddSibling(std::string run_id) {
  siblings_.push_back(std::make_unique<SiblingRun>());
  siblings_.back()->id = std::move(run_id);
  siblings_.back()->facts.sources_ = sources_;
  return siblings_.back()->facts;
}

MetricTable& FactStore::AddTable(SourceId source, std::string_view writer) {
  MetricTable& table = tables_.emplace_back();
  table.source = source;
  table.writer = writer;
  return table;
}

std::vector<const SignatureHit*> FactView::Hits(std::string_view signature) const {
  std::vector<const SignatureHit*> hits;
  for (const SignatureHit& hit : All<SignatureHit>()) {
    if (hit.signature->id == signature) hits.push_back(&hit);
  }
  return hits;
}

std::vector<const SignatureHit*> FactView::HitsFor(std::string_view finding) const {
  std::vector<const SignatureHit*> hits;
  for (const SignatureHit& hit : All<SignatureHit>()) {
    if (hit.signature->finding == finding) hits.push_back(&hit);
  }
  return hits;
}

std::vector<const ConfigValue*> FactView::Config(std::string_view name) const {
  std::vector<const ConfigValue*> values;
  for (const ConfigValue& value : All<ConfigValue>()) {
    if (SameKey(value.key, name)) values.push_back(&value);
  }
  std::stable_sort(values.begin(), values.end(),
                   [](const ConfigValue* a, const ConfigValue* b) { return Trust(a->origin) < Trust(b->origin); });
  return values;
}

const ConfigValue* FactView::FirstConfig(std::span<const std::string_view> names) const {
  for (const std::string_view name : names) {
    const std::vector<const ConfigValue*> values = Config(name);
    if (!values.empty()) return values.front();
  }
  return nullptr;
}

}  // namespace assay
