// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/config_flattener.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "evidence/codecs/secret_filter.h"
#include "platform/file_system.h"

namespace assay {
namespace {

constexpr std::size_t kMaxListValues = 64;  // of a list that becomes one value

// At most `limit` bytes, cut between characters.
std::string Shortened(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  std::size_t end = limit;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace

std::string ConfigFlattener::Joined(std::string_view component) const {
  std::string key = path_;
  if (!key.empty()) key.push_back('.');
  return key.append(component.substr(0, kMaxKeyBytes)).substr(0, kMaxKeyBytes);
}

std::string ConfigFlattener::Path() const {
  if (levels_.empty()) return path_;
  const Level& level = levels_.back();
  return Joined(level.list ? std::to_string(level.items) : level.key);
}

void ConfigFlattener::Key(std::string_view key) {
  if (!levels_.empty()) levels_.back().key = std::string(key.substr(0, kMaxKeyBytes));
}

void ConfigFlattener::Add(std::string_view key, std::string_view value, const ConfigPlace& place, bool number, bool merged) {
  if (overflow_) return;
  std::string text = Shortened(value, kMaxValueBytes);
  if (entries_.size() == kMaxEntries || text_bytes_ + text.size() + key.size() > kMaxTextBytes) {
    overflow_ = place;
    return;
  }
  text_bytes_ += text.size() + key.size();
  entries_.push_back({.key = std::string(key), .value = std::move(text), .place = place, .number = number, .merged = merged});
}

void ConfigFlattener::Scalar(std::string_view value, const ConfigPlace& place, bool number) {
  if (levels_.empty()) {
    Add(path_, value, place, number, false);
    return;
  }
  Level& level = levels_.back();
  if (level.list && level.plain && level.waiting.size() < kMaxListValues) {
    level.waiting.push_back({.key = Path(), .value = Shortened(value, kMaxValueBytes), .place = place, .number = number});
  } else if (!level.list || !level.plain) {
    Add(Path(), value, place, number, false);
  }
  ++level.items;
}

void ConfigFlattener::Lost() {
  if (!levels_.empty()) ++levels_.back().items;
}

void ConfigFlattener::FlushWaiting(Level& level) {
  for (const ConfigEntry& e : level.waiting) Add(e.key, e.value, e.place, e.number, false);
  level.waiting.clear();
  level.plain = false;
}

void ConfigFlattener::Begin(bool list, const ConfigPlace& place) {
  const std::size_t length = path_.size();
  if (!levels_.empty()) {
    if (levels_.back().list) FlushWaiting(levels_.back());
    path_ = Path();
  }
  levels_.push_back({.list = list, .path_length = length, .first_entry = entries_.size(), .place = place});
}

// {name: N, value: V} inside a list: one entry called N.
void ConfigFlattener::NameListItem(const Level& item) {
  if (entries_.size() != item.first_entry + 2) return;
  ConfigEntry& first = entries_[item.first_entry];
  ConfigEntry& second = entries_[item.first_entry + 1];
  ConfigEntry& name = first.key == Joined("name") ? first : second;
  ConfigEntry& value = &name == &first ? second : first;
  if (name.key != Joined("name") || value.key != Joined("value")) return;
  std::string key = path_.substr(0, item.path_length);
  if (!key.empty()) key.push_back('.');
  ConfigEntry named{.key = key.append(name.value), .value = value.value, .place = value.place, .number = value.number};
  entries_.resize(item.first_entry);
  entries_.push_back(std::move(named));
}

void ConfigFlattener::End(std::uint64_t end_offset) {
  if (levels_.empty()) return;
  Level& level = levels_.back();
  ConfigPlace place = level.place;
  place.end = std::max(end_offset, place.begin);
  if (level.list && level.plain) {
    std::string text = "[";
    for (const ConfigEntry& e : level.waiting) {
      if (text.size() > 1) text += ", ";
      text += e.value;
      if (text.size() > kMaxValueBytes) break;
    }
    if (level.items > level.waiting.size()) text += ", … " + std::to_string(level.items) + " items";
    text += "]";
    Add(path_, text, place, false, false);
  } else if (!level.list && level.items == 0 && levels_.size() > 1) {
    Add(path_, "{}", place, false, false);
  } else if (!level.list && levels_.size() > 1 && levels_[levels_.size() - 2].list) {
    NameListItem(level);
  }
  path_.resize(level.path_length);
  levels_.pop_back();
  if (!levels_.empty()) ++levels_.back().items;
}

void ConfigFlattener::Abandon() {
  if (levels_.empty()) return;
  entries_.resize(std::min(entries_.size(), levels_.back().first_entry));
  path_.resize(levels_.back().path_length);
  levels_.pop_back();
}

void ConfigFlattener::Repeat(std::size_t first, std::size_t last, std::string_view root, const ConfigPlace& place) {
  if (!levels_.empty() && levels_.back().list) FlushWaiting(levels_.back());
  const bool merge = !levels_.empty() && !levels_.back().list && levels_.back().key == "<<";
  const std::string target = merge ? path_ : Path();
  for (std::size_t i = first; i < last && i < entries_.size() && !overflow_; ++i) {
    // Copied: Add may move the entries.
    const ConfigEntry entry = entries_[i];
    std::string key = target;
    std::string_view below = std::string_view(entry.key).substr(std::min(root.size(), entry.key.size()));
    if (key.empty() && below.starts_with('.')) below.remove_prefix(1);
    key.append(below);
    Add(key.substr(0, kMaxKeyBytes), entry.value, place, entry.number, merge);
  }
  if (!levels_.empty()) ++levels_.back().items;
}

bool FlattenFrom(JsonReader& json, const JsonToken& first, ConfigFlattener& into) {
  const std::size_t outside = into.depth();
  JsonToken token = first;
  for (;;) {
    const ConfigPlace place{.begin = token.begin, .end = token.end, .line = token.line};
    switch (token.kind) {
      case JsonKind::kBeginObject: into.BeginMap(place); break;
      case JsonKind::kBeginArray: into.BeginList(place); break;
      case JsonKind::kEndObject:
      case JsonKind::kEndArray: into.End(token.end); break;
      case JsonKind::kKey: into.Key(token.text); break;
      case JsonKind::kString:
      case JsonKind::kBool:
      case JsonKind::kNull: into.Scalar(token.text, place); break;
      case JsonKind::kNumber: into.Scalar(token.text, place, true); break;
      case JsonKind::kEnd:
      case JsonKind::kFailed: return false;
    }
    if (into.depth() <= outside && token.kind != JsonKind::kKey) return true;
    if (into.overflow()) return true;  // the rest would be dropped anyway
    token = json.Next();
  }
}

bool FlattenNext(JsonReader& json, ConfigFlattener& into) { return FlattenFrom(json, json.Next(), into); }

void PushConfig(ConfigFlattener& flat, std::string_view prefix, ConfigValue::Origin origin, SourceId source, FactStore& facts) {
  std::set<std::string_view> own;
  for (const ConfigEntry& e : flat.entries()) {
    if (!e.merged) own.insert(e.key);
  }
  for (const ConfigEntry& e : flat.entries()) {
    if (e.key.empty() || (e.merged && own.contains(e.key))) continue;
    facts.Add(ConfigValue{.key = std::string(prefix) + e.key,
                          .value = WithoutSecrets(e.key, e.value),
                          .origin = origin,
                          .cite = {.source = source, .begin = e.place.begin, .end = e.place.end, .line = e.place.line}});
  }
  if (const auto place = flat.overflow()) {
    facts.AddAnomaly(
        {.kind = AnomalyKind::kOverlong,
         .cite = {.source = source, .begin = place->begin, .end = place->end, .line = place->line},
         .statement = "The file holds more configured values than assay keeps; what follows this place was left out."});
  }
}

ConfigValue::Origin OriginOfConfigFile(std::string_view path) {
  constexpr std::array<std::string_view, 12> kNames{
      "hparams.yaml",         "hparams.yml", "hparams.json", "args.yaml",   "args.json",
      "training_args.json",   "opt.yaml",    "params.json",  "params.yaml", "params.txt",
      "hyperparameters.json", "args"};
  const std::string_view name = BaseName(path);
  const bool recorded = std::find(kNames.begin(), kNames.end(), name) != kNames.end() || name.starts_with("wandb-") ||
                        path.find(".hydra/") != std::string_view::npos || path.starts_with("wandb/") ||
                        path.find("/wandb/") != std::string_view::npos;
  return recorded ? ConfigValue::Origin::kMetadata : ConfigValue::Origin::kFile;
}

}  // namespace assay
