// SPDX-License-Identifier: Apache-2.0
#include "evidence/listings/queue_tables.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"

namespace assay {
namespace {

// The short states of squeue(1), and the long ones of -o %T.
std::string_view JobState(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kStates{{{"PD", "PENDING"},
                                                                                   {"R", "RUNNING"},
                                                                                   {"CG", "COMPLETING"},
                                                                                   {"CD", "COMPLETED"},
                                                                                   {"CA", "CANCELLED"},
                                                                                   {"F", "FAILED"},
                                                                                   {"TO", "TIMEOUT"},
                                                                                   {"NF", "NODE_FAIL"},
                                                                                   {"PR", "PREEMPTED"},
                                                                                   {"OOM", "OUT_OF_MEMORY"},
                                                                                   {"S", "SUSPENDED"},
                                                                                   {"CF", "CONFIGURING"},
                                                                                   {"BF", "BOOT_FAIL"},
                                                                                   {"DL", "DEADLINE"}}};
  for (const auto& [brief, full] : kStates) {
    if (word == brief || word == full) return full;
  }
  return {};
}

std::size_t Find(const std::vector<std::string_view>& words, std::string_view word) {
  return static_cast<std::size_t>(std::find(words.begin(), words.end(), word) - words.begin());
}

// "0/1": ready containers of all.
bool IsReady(std::string_view word) {
  const std::vector<std::string_view> parts = Split(word, '/');
  return parts.size() == 2 && ParseInteger(parts[0]) && ParseInteger(parts[1]);
}

}  // namespace

bool QueueTables::Header(std::string_view text) {
  const std::vector<std::string_view> words = Columns(text);
  const std::size_t n = words.size();
  if (n < 4 || n > 32) return false;
  if (const std::size_t state = std::min(Find(words, "ST"), Find(words, "STATE")); Find(words, "JOBID") < n && state < n) {
    kind_ = Kind::kJobs;
    name_ = Find(words, "JOBID");
    state_ = state;
    node_ = Find(words, "NODELIST(REASON)") == n - 1 ? n - 1 : 0;
    return true;
  }
  if (Find(words, "READY") < n && Find(words, "STATUS") < n && Find(words, "RESTARTS") < n && Find(words, "NAME") < n) {
    kind_ = Kind::kPods;
    name_ = Find(words, "NAME");
    state_ = Find(words, "STATUS");
    ready_ = Find(words, "READY");
    return true;
  }
  return false;
}

bool QueueTables::JobRow(const ListingLine& line, ListingContext& context) const {
  const std::vector<std::string_view> words = Columns(line.text);
  if (words.size() <= std::max(name_, state_) || words[name_].size() > 64 || !IsDigit(words[name_][0])) return false;
  const std::string_view state = JobState(words[state_]);
  if (state.empty()) return false;
  SchedulerRecord record{.job = std::string(words[name_]), .state = std::string(state), .cite = line.cite};
  if (node_ > 0 && words.size() > node_) {
    const std::string_view last = FromColumn(line.text, node_).substr(0, 256);
    // One column for two things: in brackets why the job waits, else where it is.
    (last.starts_with('(') ? record.reason : record.node) = std::string(last);
  }
  if (context.kept++ < ListingContext::kMaxReadings) context.facts.Add(std::move(record));
  return true;
}

bool QueueTables::PodRow(const ListingLine& line, ListingContext& context) const {
  const std::vector<std::string_view> words = Columns(line.text);
  if (words.size() <= std::max({name_, state_, ready_}) || !IsReady(words[ready_]) || words[name_].size() > 256) return false;
  if (context.kept++ < ListingContext::kMaxReadings) {
    context.facts.Add(
        SchedulerRecord{.job = std::string(words[name_]), .state = std::string(words[state_].substr(0, 64)), .cite = line.cite});
  }
  return true;
}

bool QueueTables::Take(const ListingLine& line, ListingContext& context) {
  if (Header(line.text)) return true;
  if (kind_ == Kind::kNone) return false;
  return kind_ == Kind::kJobs ? JobRow(line, context) : PodRow(line, context);
}

}  // namespace assay
