// SPDX-License-Identifier: Apache-2.0
#include "evidence/listings/listing_reader.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "evidence/codecs/line_reader.h"
#include "evidence/codecs/system_time.h"
#include "evidence/listings/df_table.h"
#include "evidence/listings/host_tables.h"
#include "evidence/listings/listing_context.h"
#include "evidence/listings/nvidia_smi.h"
#include "evidence/listings/queue_tables.h"
#include "evidence/listings/slurm_records.h"
#include "evidence/listings/smi_report.h"

namespace assay {

std::vector<std::string_view> Columns(std::string_view row) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while (at < row.size()) {
    while (at < row.size() && IsSpace(row[at])) ++at;
    const std::size_t begin = at;
    while (at < row.size() && !IsSpace(row[at])) ++at;
    if (at > begin) words.push_back(row.substr(begin, at - begin));
  }
  return words;
}

std::string_view FromColumn(std::string_view row, std::size_t n) {
  const std::vector<std::string_view> words = Columns(row);
  if (n >= words.size()) return {};
  return Trim(row.substr(static_cast<std::size_t>(words[n].data() - row.data())));
}

namespace {

constexpr std::size_t kMaxLine = 8192;  // of a table; longer lines are foreign

// "12: tmpfs …" as `srun -l` labels what every task prints.
std::string_view WithoutTaskNumber(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && text[at] == ' ') ++at;
  const std::size_t begin = at;
  while (at < text.size() && IsDigit(text[at])) ++at;
  return at > begin && at - begin <= 5 && text.substr(at).starts_with(": ") ? text.substr(at + 2) : text;
}

// "$ df -h", "+ df -h", "# nvidia-smi", "user@host:~$ ps aux": the command.
std::optional<std::string_view> Prompt(std::string_view text) {
  for (const std::string_view sign : {"$ ", "+ ", "# ", "> ", "++ "}) {
    if (text.starts_with(sign)) return text.substr(sign.size());
  }
  const std::size_t dollar = text.find("$ ");
  const std::size_t at = text.find('@');
  if (dollar != std::string_view::npos && at < dollar && dollar < 100 &&
      text.substr(0, dollar).find("  ") == std::string_view::npos) {
    return text.substr(dollar + 2);
  }
  return std::nullopt;
}

class Readers {
 public:
  explicit Readers(ListingContext& context) : context_(context) {}

  void Line(const ListingLine& line, ListingSurvey& survey) {
    const std::string_view text = Trim(line.text);
    const bool prompt = !text.starts_with("# gpu") && !text.starts_with("# Idx") && Prompt(text).has_value();
    if (text.empty() || prompt) {
      ++survey.neutral;
      if (prompt) context_.command = Prompt(text)->substr(0, 1024);
      return;
    }
    if (const auto time = ParseSystemTime(text); time && text.size() <= time->length + 1) {
      ++survey.neutral;
      context_.time = time->time;
      return;
    }
    // Every kind sees every line of its own state; the first that knows the line has it.
    std::optional<ListingKind> kind;
    if (line.text.size() > kMaxLine) {
      kind = std::nullopt;
    } else if (report_.Take(line, context_) || samples_.Take(line, context_) || table_.Take(line, context_)) {
      kind = ListingKind::kGpu;
    } else if (slurm_.Take(line, context_) || queue_.Take(line, context_)) {
      kind = ListingKind::kScheduler;
    } else if (quota_.Take(line, context_) || disk_.Take(line, context_)) {
      kind = ListingKind::kDisk;
    } else if (memory_.Take(line, context_) || TakeLimit(line, context_) || processes_.Take(line, context_)) {
      kind = ListingKind::kHost;
    }
    if (!kind) {
      ++survey.foreign;
      return;
    }
    ++survey.known;
    if (!survey.first) survey.first = kind;
  }

  void Finish() {
    samples_.Finish(context_);
    slurm_.Finish(context_);
  }

 private:
  ListingContext& context_;
  SmiReport report_;
  SmiSamples samples_;
  SmiTable table_;
  SlurmRecords slurm_;
  QueueTables queue_;
  QuotaTable quota_;
  DfTable disk_;
  MemoryTable memory_;
  ProcessTable processes_;
};

}  // namespace

ListingSurvey ReadListing(ByteStream& stream, SourceId source, std::string_view path, FactStore& facts) {
  ListingSurvey survey;
  ListingContext context{.facts = facts, .because = "it was saved beside the run, in " + Printable(path)};
  Readers readers(context);
  LineReader lines(stream);
  LineDamage damage("the saved listing", source, facts);
  while (const auto line = lines.Next()) {
    // What ends in the middle of a row says nothing; a row of the boxed table is closed by its own bar.
    if (!line->complete && !line->text.ends_with('|')) {
      if (!Trim(line->text).empty()) damage.CutLine(*line);
      continue;
    }
    readers.Line({.text = WithoutTaskNumber(line->text),
                  .cite = {.source = source, .begin = line->begin, .end = line->end, .line = line->number}},
                 survey);
  }
  readers.Finish();
  damage.Finish(lines);
  if (context.kept > ListingContext::kMaxReadings) {
    facts.AddAnomaly({.kind = AnomalyKind::kOverlong,
                      .cite = {.source = source, .begin = 0, .end = lines.size()},
                      .statement = "The listing holds more than " + std::to_string(ListingContext::kMaxReadings) +
                                   " values; the rest was not kept."});
  }
  return survey;
}

void ReadPrintedTables(ByteStream& stream, SourceId source, std::string_view path, std::span<const std::uint64_t> heads,
                       FactStore& facts) {
  constexpr std::uint64_t kReach = std::uint64_t{32} << 10;
  ListingContext context{.facts = facts, .because = "the run's own log prints it, in " + Printable(path)};
  SmiTable table;
  DfTable disk;
  LineReader lines(stream);
  std::size_t next = 0;     // of heads, the first that begins behind this line
  std::uint64_t reach = 0;  // where the table above must have ended
  while (const auto line = lines.Next()) {
    while (next < heads.size() && heads[next] <= line->end) reach = std::max(reach, heads[next++] + kReach);
    if (next == heads.size() && line->begin > reach) break;
    const std::string_view text = Trim(line->text);
    if (const auto time = ParseSystemTime(text); time && text.size() <= time->length + 1) context.time = time->time;
    if (line->begin > reach || line->text.size() > kMaxLine || (!line->complete && !line->text.ends_with('|'))) continue;
    const ListingLine row{.text = WithoutTaskNumber(line->text),
                          .cite = {.source = source, .begin = line->begin, .end = line->end, .line = line->number}};
    if (!table.Take(row, context)) disk.Take(row, context);
  }
}

ListingSurvey SurveyListing(std::string_view head) {
  ListingSurvey survey;
  FactStore scratch;
  ListingContext context{.facts = scratch};
  Readers readers(context);
  std::size_t at = 0;
  for (std::size_t end = head.find('\n'); end != std::string_view::npos; at = end + 1, end = head.find('\n', at)) {
    std::string_view text = head.substr(at, end - at);
    if (text.ends_with('\r')) text.remove_suffix(1);
    readers.Line({.text = WithoutTaskNumber(text)}, survey);
  }
  return survey;
}

}  // namespace assay
