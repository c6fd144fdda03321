// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.h"
#include "evidence/codecs/byte_stream.h"
#include "evidence/codecs/lenient_json.h"
#include "evidence/codecs/line_reader.h"
#include "evidence/codecs/metric_rows.h"
#include "evidence/formats/format.h"

// Metrics as one JSON object a line: mmengine's scalars.json, detectron2's metrics.json, fairseq's --log-format json (numbers as
// text), and scripts that write {"step": 1, "loss": 2.5}. Nested objects give dotted names.
namespace assay::formats {
namespace {

constexpr std::size_t kMaxName = 256;

// Numbers of one object. False when it is not whole; `why` then ends a sentence.
struct Row {
  std::vector<std::pair<std::string, double>> values;
  bool inner_count = false;  // has "iter" beside "step": mmengine's training rows
};
bool ReadObject(JsonReader& json, Row& row, std::string& why, bool& cut) {
  row.values.clear();
  row.inner_count = false;
  std::string path;
  std::vector<std::size_t> lengths;  // of `path`, for each open object
  std::string key;
  for (JsonToken token = json.Next();; token = json.Next()) {
    const auto name = [&] { return path.empty() ? key : (path + "." + key).substr(0, kMaxName); };
    switch (token.kind) {
      case JsonKind::kBeginObject:
        lengths.push_back(path.size());
        if (lengths.size() > 1) path = name();
        break;
      case JsonKind::kEndObject:
        path.resize(lengths.back());
        lengths.pop_back();
        break;
      case JsonKind::kKey: key = std::string(token.text.substr(0, kMaxName)); break;
      case JsonKind::kNumber:
        row.inner_count = row.inner_count || (lengths.size() == 1 && key == "iter");
        row.values.emplace_back(name(), token.number);
        break;
      case JsonKind::kString:
        if (const auto number = ParseNumber(token.text)) row.values.emplace_back(name(), *number);
        break;
      case JsonKind::kBeginArray:
        if (json.SkipContainer()) break;
        [[fallthrough]];
      case JsonKind::kFailed:
        why = std::string(json.failure_reason());
        cut = json.failure() == JsonReader::Failure::kTruncated;
        return false;
      default: break;
    }
    if (!lengths.empty()) continue;
    if (token.kind != JsonKind::kEndObject) return why = "it is no object", false;
    if (json.Next().kind == JsonKind::kEnd) return true;
    why = std::string(json.failure_reason());
    return false;
  }
}

bool NamesStepOrMetric(std::string_view name) {
  const Metric metric = MetricOfName(name);
  return StepNameRank(name) > 0 || IsEpochName(name) || metric == Metric::kLoss || metric == Metric::kEvalLoss ||
         metric == Metric::kLearningRate || metric == Metric::kGradNorm || metric == Metric::kPerplexity;
}

Match Sniff(const ArtifactHead& head) {
  std::string_view text = head.text();
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::string_view name = BaseName(head.path);
  const bool named = name.ends_with(".jsonl") || name.ends_with(".ndjson") || name == "scalars.json";
  int objects = 0;
  bool known = false;
  Row row;
  std::string why;
  bool cut = false;
  for (const std::string_view line : Split(text, '\n')) {
    if (Trim(line).empty()) continue;
    if (!line.starts_with('{')) return Match::kNo;
    JsonReader json(line, 0, 1);
    const bool whole = ReadObject(json, row, why, cut);
    if (!whole && objects == 0 && !(cut && named)) return Match::kNo;
    known = known || std::any_of(row.values.begin(), row.values.end(), [](const auto& v) { return NamesStepOrMetric(v.first); });
    if (!whole) break;
    ++objects;
  }
  // One object alone is a configuration or a summary, unless its name says that lines follow.
  return known && (objects > 1 || named) ? Match::kYes : Match::kNo;
}

void Read(const Artifact& artifact, FactStore& facts) {
  const auto stream = OpenStream(artifact.file);
  LineReader lines(*stream);
  MetricRows rows(facts, artifact.source, "json-lines");
  // mmengine counts its evaluation rows by epochs in the same column "step": they are a table of their own.
  MetricRows evaluations(facts, artifact.source, "json-lines");
  LineDamage damage("the metrics file", artifact.source, facts);
  bool training_counts_inner = false;
  Row row;
  while (const auto line = lines.Next()) {
    if (Trim(line->text).empty()) continue;
    if (line->overlong) {
      damage.BadLine(*line, "it is longer than 1 MiB");
      continue;
    }
    JsonReader json(line->text, line->begin, line->number);
    std::string why;
    bool cut = false;
    if (!ReadObject(json, row, why, cut)) {
      if (cut && !line->complete) {
        damage.CutLine(*line);
      } else {
        damage.BadLine(*line, why);
      }
      continue;
    }
    training_counts_inner = training_counts_inner || row.inner_count;
    MetricRows& into = training_counts_inner && !row.inner_count ? evaluations : rows;
    for (const auto& [name, value] : row.values) into.Take(name, value);
    into.Commit(line->begin, line->end);
  }
  damage.Finish(lines);
}

}  // namespace

extern const Format json_lines;
constinit const Format json_lines{
    .id = "json-lines",
    .title = "Metrics as one JSON object a line",
    .typical_names = "scalars.json (mmengine), metrics.json (detectron2), *.jsonl",
    .sample = "detectron2/metrics/metrics.json",
    .sniff = Sniff,
    .read = Read,
};

}  // namespace assay::formats
