// SPDX-License-Identifier: Apache-2.0
#include "evidence/listings/slurm_records.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/text.h"
#include "evidence/codecs/system_time.h"

namespace assay {
namespace {

constexpr std::size_t kMaxColumns = 128;

std::string_view Shortened(std::string_view text) { return Trim(text).substr(0, 256); }

// "240G", "4000Mn", "16Gc", "61204112K", "0": bytes. The letter behind the unit says per node or per CPU; then only "per node" is
// a limit that one process can meet.
std::optional<double> Memory(std::string_view text) {
  text = Trim(text);
  if (text.ends_with('c')) return std::nullopt;
  if (text.ends_with('n')) text.remove_suffix(1);
  const auto value = ParseByteSize(text);
  return value && *value >= 0 ? value : std::nullopt;
}

bool IsJobId(std::string_view text) { return !text.empty() && IsDigit(text[0]) && text.size() <= 64; }

// States as Slurm spells them, in full.
bool IsState(std::string_view word) {
  constexpr std::array<std::string_view, 17> kStates{
      "COMPLETED", "FAILED",  "CANCELLED", "TIMEOUT",   "OUT_OF_MEMORY", "NODE_FAIL", "PREEMPTED",  "BOOT_FAIL",  "DEADLINE",
      "REQUEUED",  "RUNNING", "PENDING",   "SUSPENDED", "RESIZING",      "REVOKED",   "COMPLETING", "CONFIGURING"};
  return std::find(kStates.begin(), kStates.end(), word) != kStates.end();
}

}  // namespace

bool SlurmRecords::Take(const ListingLine& line, ListingContext& context) {
  return KeyValues(line, context) || Efficiency(line, context) || Table(line, context);
}

void SlurmRecords::Finish(ListingContext& context) { Push(context); }

void SlurmRecords::Set(std::string_view key, std::string_view value) {
  value = Trim(value);
  if (value.empty() || value == "(null)" || value == "Unknown" || value == "N/A" || value == "None" || value == "None assigned")
    return;
  if (key == "State" || key == "JobState") {
    const std::vector<std::string_view> words = Columns(value);
    std::string_view state = words[0];
    while (state.ends_with('+')) state.remove_suffix(1);  // cut by its column: "CANCELLED+", "OUT_OF_ME+"
    record_.state = state.starts_with("OUT_OF_ME") ? "OUT_OF_MEMORY" : std::string(state.substr(0, 64));
    if (words.size() >= 3 && words[1] == "by") record_.cancelled_by = words[2].substr(0, 64);
  } else if (key == "ExitCode") {
    const std::vector<std::string_view> parts = Split(value, ':');
    if (parts.size() != 2) return;
    const std::int64_t code = ParseInteger(parts[0]).value_or(-1);
    const std::int64_t signal = ParseInteger(parts[1]).value_or(0);
    if (code >= 0 && code < 100000) record_.exit_code = static_cast<int>(code);
    if (signal > 0 && signal < 1000) record_.signal = static_cast<int>(signal);
  } else if (key == "Reason") {
    record_.reason = Shortened(value);
  } else if (key == "NodeList" || key == "BatchHost") {
    if (record_.node.empty()) record_.node = Shortened(value);
  } else if (key == "Timelimit" || key == "TimeLimit") {
    record_.limit_seconds = ParseClockDuration(value);
  } else if (key == "Elapsed" || key == "RunTime") {
    record_.elapsed_seconds = ParseClockDuration(value);
  } else if (key == "MaxRSS") {
    const auto peak = Memory(value);
    if (peak && *peak > 0) record_.peak_memory = peak;  // 0: nothing was sampled
  } else if (key == "ReqMem" || key == "MinMemoryNode") {
    record_.requested_memory = Memory(value);
  } else if (key == "TRES" || key == "ReqTRES" || key == "AllocTRES") {
    for (const std::string_view part : Split(value, ',')) {
      if (part.starts_with("mem=") && !record_.requested_memory) record_.requested_memory = Memory(part.substr(4));
    }
  } else if (key == "Start" || key == "StartTime" || key == "End" || key == "EndTime") {
    const auto time = ParseTimePrefix(value);
    if (time && time->length == value.size()) times_.emplace_back(key.starts_with("Start") ? "start" : "end", time->time);
  }
}

void SlurmRecords::Push(ListingContext& context) {
  open_ = false;
  if (!record_.job.empty() && !record_.state.empty() && context.kept++ < ListingContext::kMaxReadings) {
    for (const auto& [name, time] : times_) {
      const auto outer = context.time;
      context.time = time;
      context.Number("scheduler." + record_.job + "." + name, time.seconds, "seconds", record_.cite);
      context.time = outer;
    }
    context.facts.Add(std::move(record_));
  }
  record_ = {};
  times_.clear();
}

bool SlurmRecords::Table(const ListingLine& line, ListingContext& context) {
  const std::string_view text = line.text;
  const std::vector<std::string_view> words = Columns(text);
  const auto dashes = [](std::string_view word) { return word.find_first_not_of('-') == std::string_view::npos; };
  if (!header_.empty() && words.size() >= 2 && words.size() <= kMaxColumns && std::all_of(words.begin(), words.end(), dashes)) {
    columns_.clear();
    spans_.clear();
    for (const std::string_view word : words) {
      const auto begin = static_cast<std::size_t>(word.data() - text.data());
      const std::size_t end = begin + word.size();
      spans_.emplace_back(begin, end);
      columns_.emplace_back(begin < header_.size() ? Trim(std::string_view(header_).substr(begin, end - begin))
                                                   : std::string_view{});
    }
    header_.clear();
    return true;
  }
  header_.clear();
  const bool bars = text.find('|') != std::string_view::npos;
  if (bars ? text.starts_with("JobID|") || text.find("|JobID|") != std::string_view::npos
           : std::find(words.begin(), words.end(), "JobID") != words.end() &&
                 std::find(words.begin(), words.end(), "State") != words.end()) {
    columns_.clear();
    spans_.clear();
    if (bars) {
      for (const std::string_view name : Split(text, '|')) columns_.emplace_back(name);
      if (columns_.size() > kMaxColumns) columns_.clear();
    } else {
      header_ = text.substr(0, 4096);
    }
    return true;
  }
  if (columns_.empty()) return false;
  std::vector<std::string_view> cells;
  if (spans_.empty()) {
    cells = Split(text, '|');
    if (cells.size() != columns_.size()) return false;
  } else {
    for (const auto& [begin, end] : spans_)
      cells.push_back(begin < text.size() ? text.substr(begin, end - begin) : std::string_view{});
  }
  record_ = {};
  times_.clear();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string_view value = Trim(cells[i]);
    if (columns_[i] == "JobID" || (columns_[i] == "JobIDRaw" && record_.job.empty())) {
      record_.job = value.substr(0, 64);
    } else {
      Set(columns_[i], value);
    }
  }
  if (!IsJobId(record_.job) || !IsState(record_.state)) {
    record_ = {};
    times_.clear();
    return false;
  }
  record_.cite = line.cite;
  Push(context);
  return true;
}

bool SlurmRecords::KeyValues(const ListingLine& line, ListingContext& context) {
  const std::string_view text = Trim(line.text);
  if (text.starts_with("JobId=")) {
    Push(context);
    open_ = true;
  } else if (!open_ || text.find('=') == std::string_view::npos || !line.text.starts_with(' ')) {
    if (open_) Push(context);
    return false;
  }
  record_.cite = record_.cite.source == kNoSource ? line.cite : record_.cite;
  record_.cite.end = line.cite.end;
  for (const std::string_view word : Columns(text)) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view key = word.substr(0, equals);
    if (key == "JobId") {
      if (IsJobId(word.substr(equals + 1))) record_.job = word.substr(equals + 1);
    } else {
      Set(key, word.substr(equals + 1));
    }
  }
  return true;
}

// "Job ID: 77120", "State: OUT_OF_MEMORY (exit code 0)", "Memory Efficiency: 99.31% of 64.00 GB".
bool SlurmRecords::Efficiency(const ListingLine& line, ListingContext& context) {
  const std::string_view text = line.text;
  const auto after = [&](std::string_view label) {
    return text.starts_with(label) ? Trim(text.substr(label.size())) : std::string_view{};
  };
  if (const std::string_view id = after("Job ID: "); IsJobId(id)) {
    Push(context);
    record_.job = id;
    record_.cite = line.cite;
    return true;
  }
  if (record_.job.empty()) return false;
  if (const std::string_view state = after("State: "); !state.empty()) {
    Set("State", state);
    const std::size_t code = state.find("(exit code ");
    if (code != std::string_view::npos) {
      if (const auto number = ParseInteger(Split(state.substr(code + 11), ')')[0]); number && *number >= 0 && *number < 100000) {
        record_.exit_code = static_cast<int>(*number);
      }
    }
  } else if (const std::string_view used = after("Memory Utilized: "); !used.empty()) {
    record_.peak_memory = ParseByteSize(used.substr(0, used.find(" (")));
  } else if (const std::string_view share = after("Memory Efficiency: "); !share.empty()) {
    const std::size_t of = share.find(" of ");
    if (of != std::string_view::npos) record_.requested_memory = ParseByteSize(share.substr(of + 4, share.find(" (") - of - 4));
  } else if (const std::string_view time = after("Job Wall-clock time: "); !time.empty()) {
    record_.elapsed_seconds = ParseClockDuration(time);
  } else if (after("Cluster: ").empty() && after("User/Group: ").empty() && after("Nodes: ").empty() &&
             after("Cores per node: ").empty() && after("Cores: ").empty() && after("CPU Utilized: ").empty() &&
             after("CPU Efficiency: ").empty()) {
    Push(context);
    return false;
  }
  record_.cite.end = line.cite.end;
  return true;
}

}  // namespace assay
