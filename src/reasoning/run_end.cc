// SPDX-License-Identifier: Apache-2.0
#include "reasoning/run_end.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "reasoning/pace.h"
#include "reasoning/progress.h"

namespace assay {
namespace {

constexpr std::size_t kWentOn = 3;           // steps after a line: the run went on
constexpr std::uint64_t kMessageLines = 60;  // an exception's text may be a list of keys or a compiler's output
constexpr std::uint64_t kCaughtLines = 3;    // of one that was caught other lines follow soon
constexpr std::uint64_t kMoreWork = 20;      // lines between an error and the end of the training: the program went on
constexpr std::uint64_t kNearEnd = 60;       // lines; farther from the end the program went on after an error that it printed

template <std::size_t N>
bool HoldsAny(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view w) { return text.find(w) != std::string_view::npos; });
}

std::string_view LastName(std::string_view exception) { return exception.substr(exception.rfind('.') + 1); }  // npos + 1 is 0

// Findings whose lines a program can print and go on after: what is raised to it, and what it can try again.
bool CanBeHandled(std::string_view finding) {
  static constexpr std::array<std::string_view, 24> kRaised{
      "import-failure",   "launch-error",      "cuda-init-failure",   "enospc",          "edquot",        "write-failed",
      "io-error",         "fd-limit",          "proc-limit",          "port-in-use",     "missing-ranks", "ckpt-load-error",
      "api-name-missing", "library-shadowed",  "ckpt-shape-mismatch", "bad-file",        "sample-form",   "remote-error",
      "jit-build-error",  "toolchain-missing", "fork-after-init",     "file-size-limit", "memlock-limit", "wrapper-timeout"};
  return std::find(kRaised.begin(), kRaised.end(), finding) != kRaised.end();
}

// What a process may still print while it goes down after its work.
bool IsShutdownKind(std::string_view finding) {
  static constexpr std::array<std::string_view, 8> kKinds{"sigsegv", "sigabrt",   "sigill",           "sigbus",
                                                          "sigfpe",  "net-error", "watchdog-timeout", "exit-status"};
  return std::find(kKinds.begin(), kKinds.end(), finding) != kKinds.end();
}

// The scheduler says that it ends the job: nothing but a requeued attempt starts below.
bool EndsJob(std::string_view finding) { return finding.starts_with("sched-"); }

bool IsWord(std::string_view text, std::size_t at, std::size_t length) {
  const auto letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); };
  return (at == 0 || !letter(text[at - 1])) && (at + length >= text.size() || !letter(text[at + length]));
}

// The line carries a level below an error, or says that it is tried again.
bool IsMildLine(std::string_view quote) {
  const std::string_view head = quote.substr(0, 160);
  for (const std::string_view level : {"WARNING", "WARN", "INFO", "DEBUG", "UserWarning", "RuntimeWarning", "ImportWarning"}) {
    const std::size_t at = head.find(level);
    if (at != std::string_view::npos && IsWord(head, at, level.size())) return true;
  }
  static constexpr std::array<std::string_view, 10> kWords{"retrying",     "Retrying",    "will retry", "trying again",
                                                           "Trying again", "alling back", "attempt 1/", "Retry(",
                                                           "skipping",     "Skipping"};
  return HoldsAny(quote, kWords);
}

// A destructor, a handler at exit, the interpreter's own shut-down.
bool IsShutdownTraceback(const Traceback& t) {
  static constexpr std::array<std::string_view, 8> kFunctions{
      "__del__",   "_run_exitfuncs", "_cleanup",       "destroy_process_group",
      "_shutdown", "shutdown",       "_exit_function", "_python_exit"};
  return std::any_of(t.frames.begin(), t.frames.end(), [&](const TracebackFrame& f) {
    return std::find(kFunctions.begin(), kFunctions.end(), f.function) != kFunctions.end();
  });
}

bool IsImportError(const Traceback& t) {
  const std::string_view name = LastName(t.exception);
  return name == "ImportError" || name == "ModuleNotFoundError";
}

// A whole stack from the script's first line on, of an exception that no import raised: nothing above it could have caught it but
// the script's own first level.
bool LooksUncaught(const Traceback& t) {
  return t.complete && !IsImportError(t) && t.frames.size() >= 2 && t.frames.front().function == "<module>" &&
         !t.frames.front().library;
}

// The program says right below a refusal of memory that it caught it and goes on with less.
bool RecoveryBelow(const FactView& facts, const Citation& cite) {
  constexpr std::uint64_t kRightBelow = 1000;  // bytes: a message and a bar
  for (const SignatureHit* hit : facts.Hits("device-oom-survived")) {
    if (hit->cite.source == cite.source && hit->cite.begin >= cite.begin && hit->cite.begin < cite.end + kRightBelow) return true;
  }
  return false;
}

// Reading states back may be the start of another attempt or of a test after the training; behind the end of a job it is the
// first.
bool StatesReadAfter(const FactView& facts, const Citation& cite) {
  const auto hits = facts.Hits("lightning-restoring");
  return std::any_of(hits.begin(), hits.end(),
                     [&](const SignatureHit* hit) { return hit->cite.source == cite.source && hit->cite.begin > cite.end; });
}

}  // namespace

bool IsExceptionText(std::string_view quote) {
  for (const std::string_view end : {"Error", "Exception"}) {
    for (std::size_t at = quote.find(end); at != std::string_view::npos; at = quote.find(end, at + 1)) {
      const std::size_t after = at + end.size();
      if (after == quote.size() || quote[after] == ':') return true;
    }
  }
  return false;
}

bool ReadsCheckpoint(const Traceback& t) {
  static constexpr std::array<std::string_view, 4> kReaders{"torch/serialization.py", "safetensors/", "numpy/lib/", "pickle"};
  static constexpr std::array<std::string_view, 9> kWords{"ckpt",    "checkpoint", "Checkpoint", "resume",    "state_dict",
                                                          "weights", "pretrained", "restore",    "load_model"};
  const bool reads = std::any_of(t.frames.begin(), t.frames.end(), [&](const TracebackFrame& f) {
    return HoldsAny(f.file, kReaders) || f.code.find("torch.load(") != std::string::npos;
  });
  return reads && std::any_of(t.frames.begin(), t.frames.end(), [&](const TracebackFrame& f) {
           return !f.library && (HoldsAny(f.code, kWords) || HoldsAny(f.function, kWords));
         });
}

ExceptionKind KindOf(const Traceback& t) {
  const std::string_view name = LastName(t.exception);
  static constexpr std::array<std::string_view, 7> kLaunchers{
      "ChildFailedError", "ProcessRaisedException", "ProcessExitedException", "SignalException", "CalledProcessError",
      "SystemExit",       "RendezvousClosedError"};
  if (std::find(kLaunchers.begin(), kLaunchers.end(), name) != kLaunchers.end()) return ExceptionKind::kFollower;
  if (name == "BrokenPipeError" || name == "ConnectionResetError" || name == "ConnectionAbortedError" || name == "EOFError") {
    // The other end of a pipe is gone. Where user code talks to the outside it is an error of its own.
    return t.innermost_user && name != "BrokenPipeError" ? ExceptionKind::kReport : ExceptionKind::kFollower;
  }
  static constexpr std::array<std::string_view, 12> kPeers{"remote process exited",
                                                           "communicator was aborted",
                                                           "onnection closed by peer",
                                                           "onnection reset by peer",
                                                           "Broken pipe",
                                                           "was aborted: remote",
                                                           "pair closure",
                                                           "closed by remote peer",
                                                           "peer is gone",
                                                           "failed to recv, got 0 bytes",
                                                           "Socket closed",
                                                           "actor died unexpectedly"};
  if (HoldsAny(t.message, kPeers)) return ExceptionKind::kFollower;
  static constexpr std::array<std::string_view, 12> kParts{"DataLoader worker (pid",
                                                           "exited unexpectedly",
                                                           "is killed by signal",
                                                           "was terminated abruptly",
                                                           "was unexpectedly terminated",
                                                           "in DataLoader worker process",
                                                           "in replica ",
                                                           "in pin memory thread",
                                                           "Socket Timeout",
                                                           "wait timeout after",
                                                           "NCCL error in",
                                                           "NCCL Error "};
  if (name == "DistBackendError" || HoldsAny(t.message, kParts)) return ExceptionKind::kReport;
  return ExceptionKind::kOwn;
}

bool AnnouncesEnd(const SignatureHit& hit) {
  const bool end = hit.signature->role == Role::kNormalEnd || hit.signature->role == Role::kEarlyStop;
  if (!end || hit.origin != Origin::kRunLog) return false;
  for (const auto& [done, planned] : {std::pair<std::string_view, std::string_view>{"done_count", "planned_count"},
                                      {"epoch_done_count", "epoch_planned_count"}}) {
    const auto of = ParseInteger(hit.Capture(planned));
    if (of && ParseInteger(hit.Capture(done)).value_or(0) < *of) return false;
  }
  return true;
}

RunEnd::RunEnd(const FactView& facts) : facts_(facts) {
  for (const SignatureHit& hit : facts_.All<SignatureHit>()) {
    const Role role = hit.signature->role;
    const bool begins = role == Role::kResume || role == Role::kStart || hit.signature->id == "torchrun-restart";
    const bool redrawn = hit.quote.find("%|") != std::string::npos;  // a bar is drawn once more when it is closed
    if (begins && !redrawn && hit.origin == Origin::kRunLog) begins_.push_back(&hit);
  }
  for (const SignatureHit& hit : facts_.All<SignatureHit>()) {
    if (!AnnouncesEnd(hit)) continue;
    if (TrainingStepsAfter(facts_, hit.cite.source, hit.cite.end) >= kWentOn || NewAttemptAfter(hit.cite, hit.rank)) continue;
    const SignatureHit*& first = results_[hit.cite.source];
    if (first == nullptr || hit.cite.begin < first->cite.begin) first = &hit;
  }
  ReadRootRank();
  ReadChains();
}

// The first item below the last "Root Cause" line.
void RunEnd::ReadRootRank() {
  const std::vector<const SignatureHit*> blocks = facts_.Hits("torchrun-root-cause");
  if (blocks.empty()) return;
  const Citation& block = blocks.back()->cite;
  const SignatureHit* item = nullptr;
  for (const SignatureHit* hit : facts_.Hits("torchrun-item-rank")) {
    if (hit->cite.source == block.source && hit->cite.begin > block.begin &&
        (item == nullptr || hit->cite.begin < item->cite.begin))
      item = hit;
  }
  if (item == nullptr) return;
  if (const auto rank = ParseInteger(item->Capture("rank"))) root_rank_ = static_cast<int>(*rank);
}

// The same exception from the same line had been survived before: the program handles it.
bool RunEnd::HandledBefore(const Traceback& traceback, const std::vector<const Traceback*>& list) const {
  if (traceback.frames.empty()) return false;
  const TracebackFrame& place = traceback.frames.front();
  return std::any_of(list.begin(), list.end(), [&](const Traceback* t) {
    return t->cite.begin < traceback.cite.begin && t->exception == traceback.exception && !t->frames.empty() &&
           t->frames.front().file == place.file && t->frames.front().line == place.line &&
           Place(t->exception_cite, t->rank) == Standing::kSurvived;
  });
}

void RunEnd::ReadChains() {
  const bool several_processes = root_rank_ || !facts_.Hits("torchrun-child-failed").empty() ||
                                 !facts_.Hits("world-size").empty() ||
                                 std::any_of(facts_.All<LogShape>().begin(), facts_.All<LogShape>().end(),
                                             [](const LogShape& shape) { return shape.ranks.size() > 1; });
  std::map<SourceId, std::vector<const Traceback*>> by_source;
  for (const Traceback& t : facts_.All<Traceback>()) by_source[t.cite.source].push_back(&t);
  for (auto& [source, list] : by_source) {
    std::stable_sort(list.begin(), list.end(),
                     [](const Traceback* a, const Traceback* b) { return a->cite.begin < b->cite.begin; });
    std::map<int, const Traceback*> previous;
    for (const Traceback* t : list) {
      const Traceback*& before = previous[t->rank.value_or(-1)];
      if (t->chain != Traceback::Chain::kNone && before != nullptr) led_to_[before] = t;
      before = t;
    }
    // From the last one on: one that another exception of the same process follows was caught.
    std::map<int, const Traceback*> later;
    for (auto it = list.rbegin(); it != list.rend(); ++it) {
      const Traceback* t = *it;
      if (led_to_.contains(t)) continue;
      Standing standing = Place(t->exception_cite, t->rank);
      if (standing == Standing::kSurvived && LooksUncaught(*t) && OnlyFlushedBelow(t->exception_cite)) standing = Standing::kEnd;
      const Traceback*& next = later[t->rank.value_or(-1)];
      if (standing == Standing::kEnd) {
        const bool ignored =
            std::any_of(facts_.All<SignatureHit>().begin(), facts_.All<SignatureHit>().end(), [&](const SignatureHit& h) {
              return h.signature->id == "leaked-at-exit" && h.cite.source == source && h.cite.line + 1 == t->cite.line;
            });
        // Several processes may print into one log without their ranks: the same exception again, or blocks that touch each
        // other.
        const bool same_event =
            next != nullptr && (next->exception == t->exception || next->cite.line <= t->exception_cite.line + 2);
        const auto results = ResultsAt(source);
        if (ignored || t->exception.empty() || HandledBefore(*t, list) || GoesOnToCut(*t)) {
          standing = Standing::kCaught;
        } else if (results && *results < t->cite.begin && IsShutdownTraceback(*t)) {
          standing = Standing::kAfterResults;
        } else if (next != nullptr && !same_event) {
          standing = Standing::kCaught;
        }
      }
      standing_[t] = standing;
      if (standing != Standing::kEnd) continue;
      uncaught_.push_back(t);
      // Among several processes a report may be another one's: it does not show that this exception was caught.
      const ExceptionKind kind = KindOf(*t);
      if (kind == ExceptionKind::kOwn || (kind == ExceptionKind::kReport && !several_processes)) next = t;
    }
  }
  const auto is_root = [&](const Traceback* t) { return root_rank_ && t->rank == root_rank_; };
  // By time where all of them have one on one clock, else as they stand in the logs.
  const bool timed = std::all_of(uncaught_.begin(), uncaught_.end(), [&](const Traceback* t) {
    return t->time && uncaught_.front()->time && t->time->zoned == uncaught_.front()->time->zoned;
  });
  std::stable_sort(uncaught_.begin(), uncaught_.end(), [&](const Traceback* a, const Traceback* b) {
    if (KindOf(*a) != KindOf(*b)) return KindOf(*a) < KindOf(*b);
    if (is_root(a) != is_root(b)) return is_root(a);
    if (timed && a->time->seconds != b->time->seconds) return a->time->seconds < b->time->seconds;
    if (a->cite.source != b->cite.source) return a->cite.source < b->cite.source;
    return a->cite.begin < b->cite.begin;
  });
}

std::vector<const Traceback*> RunEnd::Chain(const Traceback& last) const {
  std::vector<const Traceback*> chain{&last};
  for (bool found = true; found;) {
    found = false;
    for (const auto& [before, after] : led_to_) {
      if (after != chain.front()) continue;
      chain.insert(chain.begin(), before);
      found = true;
      break;
    }
  }
  return chain;
}

Standing RunEnd::Of(const Traceback& traceback) const {
  const Traceback* last = &traceback;
  for (auto it = led_to_.find(last); it != led_to_.end(); it = led_to_.find(last)) last = it->second;
  const auto known = standing_.find(last);
  return known == standing_.end() ? Standing::kCaught : known->second;
}

const Traceback* RunEnd::Holding(const Citation& cite) const {
  const Traceback* holding = nullptr;
  for (const Traceback& t : facts_.All<Traceback>()) {
    if (t.cite.source != cite.source || cite.begin < t.cite.begin) continue;
    if (holding == nullptr || t.cite.begin > holding->cite.begin) holding = &t;
  }
  if (holding == nullptr) return nullptr;
  if (cite.begin < std::max(holding->cite.end, holding->exception_cite.end)) return holding;
  const std::uint64_t below = cite.line - std::min(cite.line, holding->exception_cite.line);
  return below <= (Of(*holding) == Standing::kEnd ? kMessageLines : kCaughtLines) ? holding : nullptr;
}

bool RunEnd::InFirst(const Citation& cite) const {
  const Traceback* holding = first() == nullptr ? nullptr : Holding(cite);
  if (holding == nullptr) return false;
  const std::vector<const Traceback*> chain = Chain(*first());
  return std::find(chain.begin(), chain.end(), holding) != chain.end();
}

const SignatureHit* RunEnd::Results(SourceId source) const {
  const auto found = results_.find(source);
  return found == results_.end() ? nullptr : found->second;
}

std::optional<std::uint64_t> RunEnd::ResultsAt(SourceId source) const {
  const SignatureHit* hit = Results(source);
  return hit == nullptr ? std::nullopt : std::optional(hit->cite.begin);
}

bool RunEnd::NewAttemptAfter(const Citation& cite, std::optional<int> rank) const {
  for (const MetricTable& table : facts_.tables()) {
    if (table.source == cite.source && AttemptRises(table, cite.begin)) return true;
  }
  return std::any_of(begins_.begin(), begins_.end(), [&](const SignatureHit* hit) {
    const bool other_rank = rank && hit->rank && *rank != *hit->rank;
    return !other_rank && hit->cite.source == cite.source && hit->cite.begin > cite.end;
  });
}

// Another log of the run begins with training after this one had ended.
bool RunEnd::IsFormerSource(SourceId source) const {
  const auto shape_of = [&](SourceId id) -> const LogShape* {
    for (const LogShape& shape : facts_.All<LogShape>()) {
      if (shape.source == id) return &shape;
    }
    return nullptr;
  };
  const LogShape* mine = shape_of(source);
  if (mine == nullptr || !mine->last_time) return false;
  return std::any_of(facts_.tables().begin(), facts_.tables().end(), [&](const MetricTable& table) {
    if (table.source == source || !IsTraining(table)) return false;
    const LogShape* other = shape_of(table.source);
    return other != nullptr && other->first_time && other->first_time->zoned == mine->last_time->zoned &&
           other->first_time->seconds >= mine->last_time->seconds;
  });
}

// The log was written to long after the scheduler had ended the job: by the next attempt, whatever it prints first.
bool RunEnd::WrittenLongAfter(const SignatureHit& hit) const {
  constexpr double kGrace = 900;  // seconds: until a scheduler kills what does not stop by itself
  const std::optional<Time> ended = hit.time ? hit.time : TimeIn(hit.quote);
  if (!ended) return false;
  for (const LogShape& shape : facts_.All<LogShape>()) {
    if (shape.source != hit.cite.source || shape.last_line.begin <= hit.cite.begin) continue;
    const auto comparable = [&](const std::optional<Time>& time) { return time && time->zoned == ended->zoned; };
    // The scheduler's clock may be in another zone than the log's: then it does not lie between the log's times.
    return comparable(shape.first_time) && comparable(shape.last_time) && shape.first_time->seconds <= ended->seconds &&
           shape.last_time->seconds > ended->seconds + kGrace;
  }
  return false;
}

// Standard error without any step of its own, while the run's other log announces the end of the training.
bool RunEnd::FinishedElsewhere(SourceId source) const {
  if (LastProgress(facts_, source) > 0) return false;
  return std::any_of(facts_.All<LogShape>().begin(), facts_.All<LogShape>().end(), [&](const LogShape& shape) {
    return shape.source != source && LastProgress(facts_, shape.source) > 0 && Results(shape.source) != nullptr;
  });
}

Standing RunEnd::Place(const Citation& cite, std::optional<int> rank) const {
  if (NewAttemptAfter(cite, rank) || IsFormerSource(cite.source)) return Standing::kFormerAttempt;
  if (StepsAfter(facts_, cite.source, cite.end) >= kWentOn) return Standing::kSurvived;
  if (FinishedElsewhere(cite.source)) return Standing::kSurvived;
  // An end announced right below may be the job script's own echo; one that comes after more work is the program's.
  const SignatureHit* results = Results(cite.source);
  if (results == nullptr || results->cite.begin < cite.end) return Standing::kEnd;
  const bool steps_between = TrainingStepsAfter(facts_, cite.source, cite.end) > 0;
  const bool lines_between = cite.line > 0 && results->cite.line > cite.line + kMoreWork;
  if (steps_between || lines_between) return Standing::kSurvived;
  return Standing::kEnd;
}

// The log is cut somewhere below: fewer steps follow than would show that the run went on. What a logger wrote shows it, too, and
// so does, after an import that may fail, any line that reports no failure.
bool RunEnd::GoesOnToCut(const Traceback& traceback) const {
  const Citation& cite = traceback.exception_cite;
  for (const LogShape& shape : facts_.All<LogShape>()) {
    if (shape.source != cite.source || shape.ends_with_newline || shape.last_line.begin <= cite.begin) continue;
    if (LooksUncaught(traceback) && OnlyFlushedBelow(cite)) return false;
    if (IsMildLine(shape.last_text) || TrainingStepsAfter(facts_, cite.source, cite.end) > 0) return true;
    return IsImportError(traceback) && shape.last_line.line > cite.line + 1 &&
           std::none_of(facts_.All<SignatureHit>().begin(), facts_.All<SignatureHit>().end(), [&](const SignatureHit& hit) {
             const Role role = hit.signature->role;
             const bool bad = role == Role::kFailure || role == Role::kSymptom || role == Role::kFollower;
             return bad && hit.cite.source == cite.source && hit.cite.begin >= cite.end;
           });
  }
  return false;
}

// Standard output into a file is written in blocks: what was printed before an exception may stand below it, flushed at exit.
// That is less than a block, carries no time (a logger writes each line at once), and announces no end.
bool RunEnd::OnlyFlushedBelow(const Citation& cite) const {
  constexpr std::uint64_t kBlock = 8192;
  for (const LogShape& shape : facts_.All<LogShape>()) {
    if (shape.source != cite.source) continue;
    if (shape.bytes > cite.end + kBlock || ResultsAt(cite.source) || ExtentOfRun(facts_).reached_plan) return false;
  }
  for (const MetricTable& table : facts_.tables()) {
    if (table.source != cite.source || table.row_count() == 0) continue;
    for (std::size_t i = RowsBefore(table, cite.end); i < table.row_count(); ++i) {
      if (!std::isnan(table.row(i).time)) return false;
    }
  }
  // Bars go to standard error, which is not held back.
  return std::none_of(facts_.All<ProgressBar>().begin(), facts_.All<ProgressBar>().end(), [&](const ProgressBar& bar) {
    return bar.cite.source == cite.source && bar.cite.begin > cite.end && bar.last > bar.first;
  });
}

std::uint64_t RunEnd::LinesOf(SourceId source) const {
  for (const LogShape& shape : facts_.All<LogShape>()) {
    if (shape.source == source) return shape.lines;
  }
  return 0;
}

Standing RunEnd::Of(const SignatureHit& hit) const {
  if (hit.origin != Origin::kRunLog) return Standing::kEnd;
  const bool requeued = EndsJob(hit.signature->finding) && (StatesReadAfter(facts_, hit.cite) || WrittenLongAfter(hit));
  const Standing place = requeued ? Standing::kFormerAttempt : Place(hit.cite, hit.rank);
  const Traceback* around = place == Standing::kSurvived ? Holding(hit.cite) : nullptr;
  if (around != nullptr && Of(*around) == Standing::kEnd) return Standing::kEnd;
  if (place != Standing::kEnd) return place;
  if (hit.signature->finding == "device-oom" && RecoveryBelow(facts_, hit.cite)) return Standing::kCaught;
  if (const Traceback* holding = Holding(hit.cite)) {
    const Standing standing = Of(*holding);
    const bool inside = hit.cite.begin < std::max(holding->cite.end, holding->exception_cite.end);
    if (inside || standing != Standing::kEnd) return standing;
  }
  const std::string_view finding = hit.signature->finding;
  const auto results = ResultsAt(hit.cite.source);
  if (results && *results < hit.cite.begin && IsShutdownKind(finding)) return Standing::kAfterResults;
  if (!CanBeHandled(finding)) return Standing::kEnd;
  if (IsMildLine(hit.quote)) return Standing::kCaught;
  const Traceback* end = nullptr;
  for (const Traceback* t : uncaught_) {
    if (t->cite.source == hit.cite.source && KindOf(*t) != ExceptionKind::kFollower && end == nullptr) end = t;
  }
  if (end == nullptr) return LinesOf(hit.cite.source) > hit.cite.line + kNearEnd ? Standing::kCaught : Standing::kEnd;
  // Native code prints its reason above the exception; an exception's own text that is not the last one's was handled.
  if (hit.cite.begin > end->cite.begin) return Standing::kEnd;
  const std::vector<const Traceback*> chain = Chain(*end);
  const bool told_again = std::any_of(chain.begin(), chain.end(), [&](const Traceback* t) {
    return hit.quote.find(LastName(t->exception)) != std::string::npos;
  });
  if (IsExceptionText(hit.quote) && !told_again) return Standing::kCaught;
  const std::uint64_t reach = IsExceptionText(hit.quote) ? kCaughtLines : 4 * kNearEnd;
  return chain.front()->cite.line > hit.cite.line + reach ? Standing::kCaught : Standing::kEnd;
}

}  // namespace assay
