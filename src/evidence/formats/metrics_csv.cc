// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.h"
#include "evidence/codecs/byte_stream.h"
#include "evidence/codecs/line_reader.h"
#include "evidence/codecs/metric_rows.h"
#include "evidence/formats/format.h"

// Tables of metrics: Lightning's metrics.csv (empty: not logged in that row), Keras's CSVLogger (NA: not logged), ultralytics's
// results.csv (names padded with blanks), timm's summary.csv, and any table whose header names a step, an epoch or a known
// metric. A blank or NA cell is no value, nan is one, and 0.0 is another.
namespace assay::formats {
namespace {

// The separator that the header uses most; 0 when it uses none.
char SeparatorOf(std::string_view header) {
  char best = 0;
  std::ptrdiff_t most = 0;
  for (const char c : {',', ';', '\t'}) {
    const std::ptrdiff_t count = std::count(header.begin(), header.end(), c);
    if (count > most) best = c;
    most = std::max(most, count);
  }
  return best;
}

// Fields of one line, blanks around them and quotes taken off; separators inside quotes are text.
void SplitFields(std::string_view line, char separator, std::vector<std::string_view>& fields) {
  fields.clear();
  std::size_t begin = 0;
  bool quoted = false;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    if (i < line.size() && line[i] == '"') quoted = !quoted;
    if (i < line.size() && (quoted || line[i] != separator)) continue;
    std::string_view field = Trim(line.substr(begin, i - begin));
    if (field.size() > 1 && field.starts_with('"') && field.ends_with('"')) field = field.substr(1, field.size() - 2);
    fields.push_back(field);
    begin = i + 1;
  }
}

bool IsBlankCell(std::string_view field) {
  return field.empty() || field == "NA" || field == "N/A" || field == "None" || field == "null" || field == "-";
}

bool NamesPosition(std::string_view name) { return StepNameRank(name) > 0 || IsEpochName(name); }

bool NamesMetric(std::string_view name) {
  switch (MetricOfName(name)) {
    case Metric::kLoss:
    case Metric::kEvalLoss:
    case Metric::kLearningRate:
    case Metric::kAccuracy:
    case Metric::kEvalAccuracy:
    case Metric::kPerplexity: return true;
    default: return false;
  }
}

// Names, all different from numbers, one of them known. Sentences of a log that happen to hold commas have none.
bool IsHeader(std::span<const std::string_view> fields) {
  if (fields.size() < 2) return false;
  bool known = false;
  for (const std::string_view field : fields) {
    if (field.empty() || field.size() > 200 || ParseNumber(field) || field.find(": ") != std::string_view::npos) return false;
    known = known || NamesPosition(field) || NamesMetric(field);
  }
  return known;
}

Match Sniff(const ArtifactHead& head) {
  std::string_view text = head.text();
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::size_t newline = text.find('\n');
  if (newline == std::string_view::npos) return Match::kNo;
  const char separator = SeparatorOf(text.substr(0, newline));
  if (separator == 0) return Match::kNo;
  std::vector<std::string_view> fields;
  SplitFields(text.substr(0, newline), separator, fields);
  if (!IsHeader(fields)) return Match::kNo;
  const std::size_t columns = fields.size();
  text.remove_prefix(newline + 1);
  const std::size_t second = text.find('\n');
  if (second == std::string_view::npos && text.size() + 1 + newline >= 4096) return Match::kYes;  // the row reaches past the head
  if (text.empty()) return Match::kYes;
  SplitFields(text.substr(0, second), separator, fields);
  if (second == std::string_view::npos) return Match::kYes;  // a row that is just being written
  const bool numbers = std::any_of(fields.begin(), fields.end(), [](std::string_view f) { return ParseNumber(f).has_value(); });
  return fields.size() == columns && (numbers || IsHeader(fields)) ? Match::kYes : Match::kNo;
}

class CsvReader {
 public:
  CsvReader(const Artifact& artifact, FactStore& facts)
      : rows_(facts, artifact.source, "metrics-csv"),
        damage_("the metrics table", artifact.source, facts) {}

  void Line(const TextLine& line) {
    if (Trim(line.text).empty()) return;
    if (line.overlong) return damage_.BadLine(line, "it is longer than 1 MiB");
    if (separator_ == 0) separator_ = SeparatorOf(line.text);
    SplitFields(line.text, separator_ == 0 ? ',' : separator_, fields_);
    // A writer that appends to an older table puts its header in the middle.
    if (line.complete && IsHeader(fields_)) {
      names_.assign(fields_.begin(), fields_.end());
      // ultralytics counts the seconds since the start here, which is no time of a step.
      const bool elapsed =
          std::any_of(names_.begin(), names_.end(), [](const std::string& n) { return n.starts_with("train/box_loss"); });
      for (std::string& name : names_) {
        if (elapsed && name == "time") name = "elapsed_time";
      }
      return;
    }
    if (!line.complete) return damage_.CutLine(line);
    if (fields_.size() != names_.size()) {
      return damage_.BadLine(
          line, "it has " + Plural(fields_.size(), "field") + " where the header has " + std::to_string(names_.size()));
    }
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      if (IsBlankCell(fields_[i])) continue;
      if (const auto number = ParseNumber(fields_[i])) rows_.Take(names_[i], *number);
    }
    if (rows_.pending() == 0) return damage_.BadLine(line, "it holds no number");
    rows_.Commit(line.begin, line.end);
  }
  void Finish(const LineReader& lines) { damage_.Finish(lines); }

 private:
  MetricRows rows_;
  LineDamage damage_;
  char separator_ = 0;
  std::vector<std::string> names_;
  std::vector<std::string_view> fields_;
};

void Read(const Artifact& artifact, FactStore& facts) {
  const auto stream = OpenStream(artifact.file);
  LineReader lines(*stream);
  CsvReader reader(artifact, facts);
  while (const auto line = lines.Next()) reader.Line(*line);
  reader.Finish(lines);
}

}  // namespace

extern const Format metrics_csv;
constinit const Format metrics_csv{
    .id = "metrics-csv",
    .title = "Table of metrics, separated by commas, semicolons or tabs",
    .typical_names = "metrics.csv (Lightning), training.csv (Keras), results.csv (ultralytics), summary.csv (timm)",
    .sample = "lightning/finished/lightning_logs/version_0/metrics.csv",
    .sniff = Sniff,
    .read = Read,
};

}  // namespace assay::formats
