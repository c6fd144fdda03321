// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "evidence/codecs/dict_reader.h"
#include "evidence/dialects/dialect.h"

// MLPerf logging: ":::MLLOG {json}" with key, value and metadata. Hyperparameters are logged the same way; only measured values
// are rows. Format: mlcommons/logging, mlperf_logging/mllog.
namespace assay::dialects {
namespace {

constexpr std::array<std::string_view, 1> kTriggers{":::MLLOG {"};

bool IsMeasured(std::string_view key) {
  if (key.starts_with("opt_") || key.starts_with("target_")) return false;
  return key.find("accuracy") != std::string_view::npos || key.find("loss") != std::string_view::npos ||
         key.find("throughput") != std::string_view::npos || MetricOfName(key) != Metric::kOther;
}

Parsed Parse(const LogLine& line, LogContext& /*context*/, MetricLine& out) {
  DictReader dict(line.text);
  if (!dict.before().ends_with(":::MLLOG ")) return Parsed::kNotMine;
  std::string_view key;
  while (const auto entry = dict.Next()) {
    if (entry->key == "key") {
      key = entry->value;
    } else if (entry->key == "value" && entry->number && IsMeasured(key)) {
      out.Add(key, *entry->number);
    } else if (entry->key == "value" && key == "tracked_stats") {
      DictReader stats(entry->value);
      while (const auto stat = stats.Next()) {
        if (stat->number) out.Add(stat->key, *stat->number);
      }
    } else if (entry->key == "metadata") {
      DictReader metadata(entry->value);
      while (const auto item = metadata.Next()) {
        if (!item->number) continue;
        if (item->key == "epoch_num") out.epoch = *item->number;
        if (item->key == "step_num" || item->key == "step" || item->key == "iteration_num") out.SetStep(*item->number);
      }
    }
  }
  return out.values().empty() ? Parsed::kContext : Parsed::kRow;
}

}  // namespace

extern const Dialect mllog;
constinit const Dialect mllog{
    .id = "mllog",
    .title = "MLPerf logging: :::MLLOG lines",
    .triggers = kTriggers,
    .precedence = 11,
    .sample =
        ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1700000000000, \"event_type\": \"POINT_IN_TIME\", \"key\": "
        "\"eval_accuracy\", \"value\": 0.7512, \"metadata\": {\"file\": \"train.py\", \"lineno\": 10, \"epoch_num\": 4}}",
    .parse = Parse,
};

}  // namespace assay::dialects
