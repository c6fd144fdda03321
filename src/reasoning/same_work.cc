// SPDX-License-Identifier: Apache-2.0
#include "reasoning/same_work.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/text.h"
#include "reasoning/series.h"

namespace assay {
namespace {

std::string Setting(std::string_view key) {
  std::string name = ToLower(key.substr(key.find_last_of("./") + 1));  // npos + 1 is 0
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

bool IsLabel(std::string_view setting) {
  constexpr std::array<std::string_view, 22> kLabels{"name", "dir",     "path", "folder", "output", "host",   "node", "port",
                                                     "seed", "date",    "time", "user",   "uuid",   "id",     "log",  "resume",
                                                     "tag",  "project", "job",  "file",   "rank",   "version"};
  return std::any_of(kLabels.begin(), kLabels.end(), [&](std::string_view label) {
    return setting == label || setting.ends_with("_" + std::string(label)) || setting.starts_with(std::string(label) + "_");
  });
}

std::map<std::string, const ConfigValue*> Settings(const FactView& facts) {
  std::map<std::string, const ConfigValue*> settings;
  for (const ConfigValue& value : facts.All<ConfigValue>()) {
    const std::string setting = Setting(value.key);
    if (setting.empty() || IsLabel(setting)) continue;
    const auto values = facts.Config(setting);
    settings[setting] = values.empty() ? &value : values.front();
  }
  return settings;
}

SameWork ByLosses(const FactView& one, const FactView& other) {
  SameWork same;
  for (const MetricTable& a : one.tables()) {
    const auto loss_a = FullestColumn(a, Metric::kLoss);
    if (!loss_a) continue;
    for (const MetricTable& b : other.tables()) {
      const auto loss_b = FullestColumn(b, Metric::kLoss);
      if (!loss_b || a.writer != b.writer) continue;
      std::size_t equal = 0;
      bool moves = false;
      std::optional<double> first;
      std::vector<Citation> cites;
      for (std::size_t i = 0; i < std::min(a.row_count(), b.row_count()); ++i) {
        const auto x = a.At(i, *loss_a);
        const auto y = b.At(i, *loss_b);
        const bool same_place =
            a.row(i).step == b.row(i).step && (std::isnan(a.row(i).epoch) || a.row(i).epoch == b.row(i).epoch);
        if (!x || !y || !same_place || *x != *y) continue;
        ++equal;
        if (first && *first != *x) moves = true;
        first = first ? first : x;
        if (cites.size() < 2) {
          cites.push_back(a.Cite(i));
          cites.push_back(b.Cite(i));
        }
      }
      if (equal >= 3 && moves) return {.by = SameWork::By::kLosses, .cites = std::move(cites)};
    }
  }
  return same;
}

}  // namespace

SameWork CompareWork(const FactView& one, const FactView& other, const std::vector<std::string_view>& allowed) {
  if (SameWork same = ByLosses(one, other)) return same;
  SameWork same;
  const auto a = Settings(one);
  const auto b = Settings(other);
  std::size_t equal = 0;
  bool foreign = false;
  for (const auto& [setting, value] : a) {
    const auto it = b.find(setting);
    if (it == b.end()) continue;
    if (Trim(value->value) == Trim(it->second->value)) {
      ++equal;
      if (same.cites.size() < 4) {
        same.cites.push_back(value->cite);
        same.cites.push_back(it->second->cite);
      }
      continue;
    }
    same.differing.push_back(setting);
    foreign = foreign || std::find(allowed.begin(), allowed.end(), setting) == allowed.end();
  }
  if (equal >= 3 && !foreign) same.by = SameWork::By::kConfig;
  return same;
}

}  // namespace assay
