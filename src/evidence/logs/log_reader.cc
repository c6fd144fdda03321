// SPDX-License-Identifier: Apache-2.0
#include "evidence/logs/log_reader.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "base/text.h"
#include "evidence/codecs/literal_scanner.h"
#include "evidence/dialects/dialect.h"
#include "evidence/logs/line_prefix.h"
#include "evidence/logs/metric_collector.h"
#include "evidence/logs/progress_bar.h"
#include "evidence/logs/signature_matcher.h"
#include "evidence/logs/terminal_replay.h"
#include "evidence/logs/traceback_reader.h"

namespace assay {
namespace {

constexpr std::size_t kWindow = std::size_t{1} << 20U;
constexpr std::size_t kKeptHits = 32;           // first and last of each signature in one source
constexpr std::size_t kMaxTracebackLines = 2000;
constexpr std::string_view kFrameMarker = "File \"";

// What a literal found by the scanner stands for.
struct Target {
  enum class Kind : std::uint8_t { kSignature, kDialect, kTraceback, kFrame, kChain, kBar } kind;
  std::uint32_t index;  // signature or dialect
};

std::vector<const Signature*> Pointers(std::span<const Signature> shipped, std::span<const Signature> user) {
  std::vector<const Signature*> all;
  for (const Signature& s : shipped) all.push_back(&s);
  for (const Signature& s : user) all.push_back(&s);
  return all;
}

}  // namespace

struct LogReader::Tables {
  explicit Tables(std::span<const Signature> user) : matcher(Pointers(knowledge::Signatures(), user)) {
    for (std::size_t i = 0; i < matcher.size(); ++i) {
      for (const std::string_view literal : matcher.signature(i).literals) Add(literal, Target::Kind::kSignature, i);
    }
    dialects.assign(dialects::All().begin(), dialects::All().end());
    std::stable_sort(dialects.begin(), dialects.end(), [](const Dialect* a, const Dialect* b) { return a->precedence < b->precedence; });
    for (std::size_t i = 0; i < dialects.size(); ++i) {
      for (const std::string_view trigger : dialects[i]->triggers) Add(trigger, Target::Kind::kDialect, i);
    }
    Add(kTracebackMarker, Target::Kind::kTraceback, 0);
    Add(kFrameMarker, Target::Kind::kFrame, 0);
    Add(kDuringHandling, Target::Kind::kChain, 0);
    Add(kDirectCause, Target::Kind::kChain, 1);
    Add("%|", Target::Kind::kBar, 0);
    Add("it [", Target::Kind::kBar, 0);
    scanner = std::make_unique<LiteralScanner>(literals);
  }
  void Add(std::string_view literal, Target::Kind kind, std::size_t index) {
    literals.push_back(literal);
    targets.push_back({kind, static_cast<std::uint32_t>(index)});
  }

  SignatureMatcher matcher;
  std::vector<const Dialect*> dialects;  // in order of precedence
  std::vector<std::string_view> literals;
  std::vector<Target> targets;           // of each literal
  std::unique_ptr<LiteralScanner> scanner;
};

// One reading of one log.
class LogReader::Session {
 public:
  Session(Tables& tables, SourceId source, const LogOptions& options, FactStore& facts)
      : tables_(tables), source_(source), options_(options), facts_(facts), collector_(source, facts) {
    shape_.source = source;
    first_hits_.resize(tables.matcher.size());
    last_hits_.resize(tables.matcher.size());
    hit_counts_.resize(tables.matcher.size());
  }

  // Whole lines, each ended by a newline except perhaps the very last of the log.
  void Window(std::string_view window, std::uint64_t offset, bool at_start, bool ended) {
    window_ = window;
    window_offset_ = offset;
    if (at_start) {
      peel_.numbered_by_srun = LooksNumberedBySrun(window);
      RememberFirstLine();
    }
    CountNuls();
    hits_.clear();
    tables_.scanner->Scan(window, hits_);
    std::size_t at = 0;       // first byte not looked at
    std::size_t hit = 0;
    counted_to_ = 0;
    while (at < window.size()) {
      std::size_t line_begin = at;
      const bool every_line = open_tracebacks_ > 0 || sticky_ranks_ > 0;
      if (!every_line) {
        if (hit == hits_.size()) break;
        const std::size_t newline = window.rfind('\n', static_cast<std::size_t>(hits_[hit].end) - 1);
        line_begin = newline == std::string_view::npos || newline < at ? at : newline + 1;
      }
      const auto* found = static_cast<const char*>(std::memchr(window.data() + line_begin, '\n', window.size() - line_begin));
      const std::size_t line_end = found == nullptr ? window.size() : static_cast<std::size_t>(found - window.data());
      const std::size_t first = hit;
      while (hit < hits_.size() && hits_[hit].end <= line_end) ++hit;
      PhysicalLine(line_begin, line_end, shape_.lines + CountLinesTo(line_begin) + 1, std::span(hits_).subspan(first, hit - first),
                   found != nullptr || !ended);
      at = line_end + 1;
    }
    shape_.lines += CountLinesTo(window.size());
    shape_.bytes = offset + window.size();
    if (ended) shape_.ends_with_newline = window.empty() || window.back() == '\n' || window.back() == '\r';
    RememberLastLine();
  }

  void Finish(const std::string& damage) {
    for (auto& [rank, state] : ranks_) {
      if (auto unfinished = state.traceback.Finish()) Push(std::move(*unfinished), rank);
    }
    for (std::size_t i = 0; i < first_hits_.size(); ++i) {
      if (first_hits_[i].empty()) continue;
      first_hits_[i].front().count = hit_counts_[i];
      for (SignatureHit& h : first_hits_[i]) facts_.Add(std::move(h));
      for (SignatureHit& h : last_hits_[i]) facts_.Add(std::move(h));
    }
    MarkTracebacks();
    for (Traceback& t : tracebacks_) facts_.Add(std::move(t));
    bars_.Finish(facts_);
    for (const auto& [rank, state] : ranks_) {
      if (rank >= 0) shape_.ranks.push_back(rank);
    }
    if (nul_begin_ != nul_end_) {
      facts_.AddAnomaly({.kind = AnomalyKind::kLostBytes,
                         .cite = {.source = source_, .begin = nul_begin_, .end = nul_end_},
                         .bytes_lost = shape_.nul_bytes,
                         .statement = "The log holds " + Plural(shape_.nul_bytes, "NUL byte") +
                                      ": its length was written and its data was not, as after a crash of the machine or of a file server."});
    }
    if (!damage.empty()) {
      facts_.AddAnomaly({.kind = AnomalyKind::kTruncated,
                         .cite = {.source = source_, .begin = shape_.bytes, .end = shape_.bytes},
                         .statement = "The log cannot be read to its end: " + damage + "."});
    } else if (!shape_.ends_with_newline && shape_.bytes > 0) {
      facts_.AddAnomaly({.kind = AnomalyKind::kTruncated,
                         .cite = shape_.last_line,
                         .statement = "The log ends in the middle of a line; its last line is provisional."});
    }
    facts_.Add(std::move(shape_));
  }

  void Overlong(std::uint64_t offset, std::size_t length) {
    if (overlong_said_) return;
    overlong_said_ = true;
    facts_.AddAnomaly({.kind = AnomalyKind::kOverlong,
                       .cite = {.source = source_, .begin = offset, .end = offset + length},
                       .statement = "A line is longer than 1 MiB; it was read in pieces."});
  }

 private:
  struct RankState {
    TracebackReader traceback;
    std::size_t traceback_lines = 0;
    LogContext context;
    const Dialect* sticky = nullptr;
  };

  std::uint64_t CountLinesTo(std::size_t position) {
    counted_lines_ = counted_to_ == 0 ? 0 : counted_lines_;
    counted_lines_ += static_cast<std::uint64_t>(std::count(window_.begin() + static_cast<std::ptrdiff_t>(counted_to_),
                                                            window_.begin() + static_cast<std::ptrdiff_t>(position), '\n'));
    counted_to_ = position;
    return counted_lines_;
  }

  void CountNuls() {
    const void* first = std::memchr(window_.data(), 0, window_.size());
    if (first == nullptr) return;
    const auto begin = static_cast<std::size_t>(static_cast<const char*>(first) - window_.data());
    if (nul_begin_ == nul_end_) nul_begin_ = window_offset_ + begin;
    nul_end_ = window_offset_ + window_.rfind('\0') + 1;
    shape_.nul_bytes += static_cast<std::uint64_t>(std::count(window_.begin() + static_cast<std::ptrdiff_t>(begin), window_.end(), '\0'));
  }

  void PhysicalLine(std::size_t begin, std::size_t end, std::uint64_t number, std::span<const LiteralScanner::Hit> hits, bool complete) {
    std::string_view line = window_.substr(begin, end - begin);
    const bool controls = line.find_first_of("\r\b\x1b") != std::string_view::npos;
    LineSegment whole{.text = line, .begin = 0, .end = line.size()};
    const std::vector<LineSegment>* segments = nullptr;
    if (controls) segments = &replay_.Replay(line);
    const std::size_t count = controls ? segments->size() : (line.empty() ? 0 : 1);
    std::size_t hit = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const LineSegment& segment = controls ? (*segments)[i] : whole;
      const std::size_t segment_end = begin + segment.end;
      const std::size_t first = hit;
      while (hit < hits.size() && hits[hit].end <= segment_end) ++hit;
      const bool last = i + 1 == count;
      Segment(segment, begin, number, hits.subspan(first, hit - first), complete || !last || end > segment_end);
    }
  }

  void Segment(const LineSegment& segment, std::size_t line_begin, std::uint64_t number, std::span<const LiteralScanner::Hit> hits,
               bool complete) {
    const PeeledLine peeled = PeelPrefix(segment.text, peel_);
    LogLine line{.text = peeled.text,
                 .cite = {.source = source_,
                          .begin = window_offset_ + line_begin + segment.begin,
                          .end = window_offset_ + line_begin + segment.end,
                          .line = number},
                 .rank = peeled.rank,
                 .time = peeled.time};
    if (line.time) {
      if (!shape_.first_time) shape_.first_time = line.time;
      shape_.last_time = line.time;
    }
    RankState& state = ranks_[line.rank.value_or(-1)];
    if (state.traceback.open() && InTraceback(state, peeled, line, complete)) return;

    std::uint64_t dialect_mask = 0;
    bool bar = false;
    confirmed_.clear();
    for (const LiteralScanner::Hit& hit : hits) {
      const Target target = tables_.targets[hit.literal];
      switch (target.kind) {
        case Target::Kind::kSignature:
          if (std::find(confirmed_.begin(), confirmed_.end(), target.index) == confirmed_.end()) {
            confirmed_.push_back(target.index);
            TrySignature(target.index, segment.text, line, complete);
          }
          break;
        case Target::Kind::kDialect: dialect_mask |= std::uint64_t{1} << target.index; break;
        case Target::Kind::kTraceback: StartTraceback(state, line); break;
        case Target::Kind::kFrame:
          if (!state.traceback.open()) StartFromFrame(state, peeled, line, line_begin + segment.begin, complete);
          break;
        case Target::Kind::kChain:
          state.traceback.SetChain(target.index == 0 ? Traceback::Chain::kDuringHandling : Traceback::Chain::kDirectCause);
          break;
        case Target::Kind::kBar: bar = true; break;
      }
    }
    if (!options_.metrics) return;
    if (bar) {
      if (const auto parsed = ParseBar(line.text)) {
        bars_.Add(*parsed, line.cite, line.rank);
        if (!parsed->description.empty() || parsed->total > 0) Progress(line.cite.begin);
      }
    }
    Metrics(state, line, dialect_mask, complete);
  }

  void TrySignature(std::size_t index, std::string_view text, const LogLine& line, bool complete) {
    auto match = tables_.matcher.Confirm(index, text, complete);
    if (!match) return;
    ++hit_counts_[index];
    std::vector<SignatureHit>& first = first_hits_[index];
    std::vector<SignatureHit>& last = last_hits_[index];
    std::vector<SignatureHit>& into = first.size() < kKeptHits ? first : last;
    if (into.size() == kKeptHits) into.erase(into.begin());
    into.push_back({.signature = &tables_.matcher.signature(index),
                    .cite = line.cite,
                    .quote = Printable(Trim(text)),
                    .captures = std::move(match->captures),
                    .origin = options_.origin,
                    .rank = line.rank,
                    .time = line.time});
  }

  void Metrics(RankState& state, const LogLine& line, std::uint64_t mask, bool complete) {
    if (state.context.wants_next_line && state.sticky != nullptr) {
      if (ParseWith(*state.sticky, state, line, complete)) return;
      state.context.wants_next_line = false;
      --sticky_ranks_;
      state.sticky = nullptr;
    }
    for (std::size_t i = 0; mask != 0 && i < tables_.dialects.size(); ++i) {
      if ((mask >> i & 1U) == 0) continue;
      if (ParseWith(*tables_.dialects[i], state, line, complete)) return;
    }
  }

  bool ParseWith(const Dialect& dialect, RankState& state, LogLine line, bool complete) {
    MetricLine out;
    const bool wanted = state.context.wants_next_line;
    if (!complete) line.text = WithoutLastToken(line.text);
    const Parsed parsed = dialect.parse(line, state.context, out);
    if (parsed == Parsed::kNotMine) return false;
    if (state.context.wants_next_line && !wanted) ++sticky_ranks_;
    if (!state.context.wants_next_line && wanted) --sticky_ranks_;
    if (state.context.wants_next_line) state.sticky = &dialect;
    if (parsed == Parsed::kRow) {
      collector_.Add(dialect, line, out);
      Progress(line.cite.begin);
    }
    return true;
  }

  // A number that touches the cut may be the start of another number ("1,2" of "1,234"), and a number right before it may still
  // lack its unit ("61.2 Gi").
  static std::string_view WithoutLastToken(std::string_view text) {
    const auto is_token = [](char c) { return IsIdentifierChar(c) || c == '.' || c == '-' || c == '+' || c == ',' || c == '/'; };
    while (!text.empty() && is_token(text.back())) text.remove_suffix(1);
    std::string_view before = text;
    while (!before.empty() && before.back() == ' ') before.remove_suffix(1);
    if (before.size() == text.size() || before.empty() || !IsDigit(before.back())) return text;
    while (!before.empty() && is_token(before.back())) before.remove_suffix(1);
    return before;
  }

  void Progress(std::uint64_t offset) { last_progress_ = std::max(last_progress_, offset); }

  void StartTraceback(RankState& state, const LogLine& line) {
    if (!state.traceback.open()) ++open_tracebacks_;
    state.traceback_lines = 0;
    if (auto unfinished = state.traceback.Start(line.cite, line.rank, line.time)) Push(std::move(*unfinished), line.rank.value_or(-1));
  }

  // Frames without the marker above them, as people paste them; the exception may stand in the line before.
  void StartFromFrame(RankState& state, const PeeledLine& peeled, const LogLine& line, std::size_t begin, bool complete) {
    StartTraceback(state, line);
    if (!InTraceback(state, peeled, line, complete)) return;
    if (begin < 2) return;
    const std::size_t previous = window_.rfind('\n', begin - 2);
    const std::size_t from = previous == std::string_view::npos ? 0 : previous + 1;
    const std::string_view above = PeelPrefix(window_.substr(from, begin - 1 - from), peel_).text;
    if (const auto exception = ParseExceptionLine(above)) {
      state.traceback.PrintedAbove(*exception, {.source = source_,
                                                .begin = window_offset_ + from,
                                                .end = window_offset_ + begin - 1,
                                                .line = line.cite.line - 1});
    }
  }

  // True for a line inside the block: quoted source must not be taken for what the run reports. The exception's own line is
  // looked at further.
  bool InTraceback(RankState& state, const PeeledLine& peeled, const LogLine& line, bool complete) {
    if (peeled.text.starts_with(kTracebackMarker)) return false;
    auto finished = state.traceback.Line(peeled.body, line.cite, complete);
    if (!finished && ++state.traceback_lines > kMaxTracebackLines) finished = state.traceback.Finish();
    if (!finished) return true;
    --open_tracebacks_;
    Push(std::move(*finished), line.rank.value_or(-1));
    return false;
  }

  void Push(Traceback traceback, int rank) {
    if (traceback.frames.empty() && traceback.exception.empty()) return;
    if (!traceback.rank && rank >= 0) traceback.rank = rank;
    constexpr std::size_t kMaxTracebacks = 512;
    if (tracebacks_.size() == kMaxTracebacks) tracebacks_.erase(tracebacks_.begin() + kMaxTracebacks / 2);
    tracebacks_.push_back(std::move(traceback));
  }

  void MarkTracebacks() {
    std::map<int, std::size_t> last_of_rank;
    for (std::size_t i = 0; i < tracebacks_.size(); ++i) {
      tracebacks_[i].progress_follows = last_progress_ >= tracebacks_[i].cite.end;
      last_of_rank[tracebacks_[i].rank.value_or(-1)] = i;
    }
    for (const auto& [rank, index] : last_of_rank) tracebacks_[index].last = !tracebacks_[index].progress_follows;
  }

  void RememberFirstLine() {
    const std::size_t begin = window_.find_first_not_of("\r\n\t ");
    if (begin == std::string_view::npos) return;
    const std::size_t end = std::min(window_.find_first_of("\r\n", begin), window_.size());
    const std::string_view text = window_.substr(begin, end - begin);
    shape_.first_line = {.source = source_, .begin = window_offset_ + begin, .end = window_offset_ + end, .line = 1};
    shape_.first_text = Printable(text);
    shape_.first_time = PeelPrefix(text, peel_).time;
  }

  void RememberLastLine() {
    const std::size_t last = window_.find_last_not_of("\r\n\t ");
    if (last == std::string_view::npos) return;
    const std::size_t before = window_.find_last_of("\n\r", last);
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    const std::string_view text = window_.substr(begin, last + 1 - begin);
    const auto below = static_cast<std::uint64_t>(std::count(window_.begin() + static_cast<std::ptrdiff_t>(last), window_.end(), '\n'));
    shape_.last_line = {.source = source_,
                        .begin = window_offset_ + begin,
                        .end = window_offset_ + last + 1,
                        .line = shape_.lines - below + 1};
    shape_.last_text = Printable(text);
    if (const auto time = PeelPrefix(text, peel_).time) shape_.last_time = time;
  }

  Tables& tables_;
  SourceId source_;
  const LogOptions& options_;
  FactStore& facts_;
  MetricCollector collector_;
  ProgressTracker bars_;
  TerminalReplay replay_;
  PeelOptions peel_;
  LogShape shape_;
  std::map<int, RankState> ranks_;  // -1: lines without a rank
  std::size_t open_tracebacks_ = 0;
  std::size_t sticky_ranks_ = 0;    // ranks whose dialect wants the next line
  std::vector<Traceback> tracebacks_;
  std::vector<std::vector<SignatureHit>> first_hits_;
  std::vector<std::vector<SignatureHit>> last_hits_;
  std::vector<std::uint64_t> hit_counts_;
  std::vector<std::uint32_t> confirmed_;
  std::vector<LiteralScanner::Hit> hits_;
  std::uint64_t last_progress_ = 0;
  std::uint64_t nul_begin_ = 0;
  std::uint64_t nul_end_ = 0;
  bool overlong_said_ = false;
  std::string_view window_;
  std::uint64_t window_offset_ = 0;
  std::size_t counted_to_ = 0;
  std::uint64_t counted_lines_ = 0;
};

LogReader::LogReader(std::span<const Signature> user_signatures) : tables_(std::make_unique<Tables>(user_signatures)) {}
LogReader::~LogReader() = default;

LogReader& LogReader::Shared() {
  static LogReader reader;
  return reader;
}

void LogReader::Read(ByteStream& stream, SourceId source, const LogOptions& options, FactStore& facts) {
  Session session(*tables_, source, options, facts);
  std::vector<std::byte> buffer(kWindow);
  std::size_t filled = 0;      // bytes in the buffer
  std::uint64_t offset = 0;    // of buffer[0]
  bool at_start = true;
  std::string damage;
  for (bool ended = false; !ended;) {
    const auto read = stream.Read(std::span(buffer).subspan(filled));
    if (!read.has_value()) damage = read.error().reason;
    const std::size_t n = read.has_value() ? *read : 0;
    ended = filled + n < buffer.size();
    filled += n;
    const std::string_view content(reinterpret_cast<const char*>(buffer.data()), filled);
    std::size_t whole = ended ? filled : content.rfind('\n') + 1;  // npos + 1 is 0
    if (whole == 0) {
      // One line fills the window: a progress bar without newlines is cut between two of its states, anything else anywhere.
      const std::size_t bar = content.rfind('\r');
      whole = bar == std::string_view::npos || bar == 0 ? filled : bar;
      if (whole == filled) session.Overlong(offset, filled);
    }
    session.Window(content.substr(0, whole), offset, at_start, ended);
    at_start = false;
    std::memmove(buffer.data(), buffer.data() + whole, filled - whole);
    filled -= whole;
    offset += whole;
  }
  if (damage.empty()) damage = stream.damage();
  session.Finish(damage);
}

}  // namespace assay
