// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "base/text.h"
#include "evidence/codecs/byte_stream.h"
#include "evidence/codecs/line_reader.h"
#include "evidence/codecs/metric_rows.h"
#include "evidence/codecs/secret_filter.h"
#include "evidence/codecs/yaml_kinds.h"
#include "evidence/formats/format.h"

// MLflow. The file store keeps a run in many small files, recognised by their path: mlruns/<experiment>/<run>/meta.yaml (its
// status), metrics/<key> (lines "milliseconds value step"), params/<key> and tags/<key> (the file is the value). Keys may hold
// slashes. A store in SQLite (mlflow.db) is named and not read.
namespace assay::formats {
namespace {

constexpr std::string_view kSqliteMagic{"SQLite format 3\0", 16};

enum class Part { kMetric, kParameter, kTag, kMeta };
struct Place {
  Part part;
  std::string_view key;
};

bool IsRunId(std::string_view name) {
  return name.size() == 32 && std::all_of(name.begin(), name.end(), [](char c) { return IsDigit(c) || (c >= 'a' && c <= 'f'); });
}

// Where in the store a file lies; nullopt for files outside a run.
std::optional<Place> PlaceOf(std::string_view path) {
  const std::vector<std::string_view> parts = Split(path, '/');
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    if (!IsRunId(parts[i])) continue;
    if (i + 2 == parts.size()) return parts[i + 1] == "meta.yaml" ? std::optional(Place{Part::kMeta, {}}) : std::nullopt;
    const std::string_view key = path.substr(static_cast<std::size_t>(parts[i + 2].data() - path.data()));
    if (parts[i + 1] == "metrics") return Place{Part::kMetric, key};
    if (parts[i + 1] == "params") return Place{Part::kParameter, key};
    if (parts[i + 1] == "tags") return Place{Part::kTag, key};
    return std::nullopt;
  }
  return std::nullopt;
}

struct MetricLine {
  double milliseconds = 0;
  double value = 0;
  double step = 0;
};
std::optional<MetricLine> ParseMetric(std::string_view line) {
  const std::vector<std::string_view> words = Split(Trim(line), ' ');
  if (words.size() < 2 || words.size() > 5) return std::nullopt;  // newer stores append data set ids
  const auto time = ParseNumber(words[0]);
  const auto value = ParseNumber(words[1]);
  const auto step = words.size() > 2 ? ParseNumber(words[2]) : std::optional(0.0);
  if (!time || !value || !step) return std::nullopt;
  return MetricLine{*time, *value, *step};
}

Match Sniff(const ArtifactHead& head) {
  if (head.text().starts_with(kSqliteMagic))
    return BaseName(head.path).find("mlflow") != std::string_view::npos ? Match::kYes : Match::kNo;
  const auto place = PlaceOf(head.path);
  if (!place) return Match::kNo;
  switch (place->part) {
    case Part::kMeta: return LooksLikeMlflowMeta(head.path, head.text()) ? Match::kYes : Match::kNo;
    case Part::kMetric: return ParseMetric(head.text().substr(0, head.text().find('\n'))) ? Match::kYes : Match::kNo;
    case Part::kParameter:
    case Part::kTag: return head.text().find('\0') == std::string_view::npos ? Match::kYes : Match::kNo;
  }
  return Match::kNo;
}

void ReadMetric(std::string_view key, const Artifact& artifact, FactStore& facts) {
  const auto stream = OpenStream(artifact.file);
  LineReader lines(*stream);
  MetricRows rows(facts, artifact.source, "mlflow-run");
  LineDamage damage("the metric's file", artifact.source, facts);
  while (const auto line = lines.Next()) {
    if (Trim(line->text).empty()) continue;
    const auto metric = ParseMetric(line->text);
    if (!line->complete) {
      damage.CutLine(*line);
    } else if (!metric || line->overlong) {
      damage.BadLine(*line, "it is no time, value and step");
    } else {
      rows.Take("timestamp", metric->milliseconds / 1000);
      rows.Take("step", metric->step);
      // A metric that is itself called "step" or "epoch" counts the same thing.
      if (StepNameRank(key) == 0) rows.Take(key, metric->value);
      rows.Commit(line->begin, line->end);
    }
  }
  damage.Finish(lines);
}

void Push(std::string key, std::string_view value, SourceId source, const TextLine& line, FactStore& facts) {
  std::string kept = WithoutSecrets(key, value.substr(0, 4096));
  facts.Add(ConfigValue{.key = std::move(key),
                        .value = std::move(kept),
                        .origin = ConfigValue::Origin::kMetadata,
                        .cite = {.source = source, .begin = line.begin, .end = line.end, .line = line.number}});
}

std::string_view StatusName(std::string_view number) {
  if (number == "1") return "RUNNING";
  if (number == "2") return "SCHEDULED";
  if (number == "3") return "FINISHED";
  if (number == "4") return "FAILED";
  return number == "5" ? "KILLED" : number;
}

// meta.yaml as the store writes it: flat, one "key: value" a line.
void ReadMeta(const Artifact& artifact, FactStore& facts) {
  const auto stream = OpenStream(artifact.file);
  LineReader lines(*stream);
  LineDamage damage("the run's meta.yaml", artifact.source, facts);
  while (const auto line = lines.Next()) {
    const std::size_t colon = line->text.find(':');
    if (colon == std::string_view::npos || colon == 0 ||
        !std::all_of(line->text.begin(), line->text.begin() + static_cast<std::ptrdiff_t>(colon), IsIdentifierChar)) {
      continue;
    }
    if (!line->complete) {
      damage.CutLine(*line);
      break;
    }
    std::string_view value = Trim(line->text.substr(colon + 1));
    if (value.size() > 1 && (value[0] == '\'' || value[0] == '"') && value.back() == value[0])
      value = value.substr(1, value.size() - 2);
    const std::string_view key = line->text.substr(0, colon);
    Push("mlflow." + std::string(key), key == "status" ? StatusName(value) : value, artifact.source, *line, facts);
  }
  damage.Finish(lines);
}

// params/<key> and tags/<key>: the file has no mark of its end, so that its bytes are the value.
void ReadValue(const Place& place, const Artifact& artifact, FactStore& facts) {
  const auto stream = OpenStream(artifact.file);
  LineReader lines(*stream);
  const auto line = lines.Next();
  const TextLine empty{.number = 1};
  Push((place.part == Part::kTag ? "mlflow.tag." : "mlflow.param.") + std::string(place.key),
       line ? Trim(line->text) : std::string_view(), artifact.source, line ? *line : empty, facts);
}

void Read(const Artifact& artifact, FactStore& facts) {
  const auto place = PlaceOf(artifact.path);
  if (!place) {
    facts.AddNotChecked(std::string(artifact.path),
                        "MLflow stores in SQLite are not read yet; metrics and status of its runs are unknown here");
    return;
  }
  switch (place->part) {
    case Part::kMetric: return ReadMetric(place->key, artifact, facts);
    case Part::kMeta: return ReadMeta(artifact, facts);
    case Part::kParameter:
    case Part::kTag: return ReadValue(*place, artifact, facts);
  }
}

}  // namespace

extern const Format mlflow_run;
constinit const Format mlflow_run{
    .id = "mlflow-run",
    .title = "Run in MLflow's file store",
    .typical_names = "mlruns/<experiment>/<run>/{meta.yaml,metrics/*,params/*,tags/*}, mlflow.db",
    .sample = "mlflow/file_store/mlruns/374185310303948806/a55a0000000040008000000010071007/metrics/train/loss",
    .sniff = Sniff,
    .read = Read,
};

}  // namespace assay::formats
