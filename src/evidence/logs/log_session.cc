// SPDX-License-Identifier: Apache-2.0
#include "evidence/logs/log_session.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/text.h"
#include "evidence/codecs/byte_scan.h"
#include "evidence/logs/docker_line.h"

namespace assay {
namespace {

constexpr std::size_t kKeptHits = 32;  // first and last of each signature in one source
constexpr std::size_t kMaxTracebackLines = 2000;
constexpr std::size_t kMaxRanks = 16384;  // past it, lines count as those of no rank
constexpr std::size_t kKeptLine = 4096;   // of a line that is remembered beyond its window
constexpr std::string_view kLineEnds = "\n\r";

// Where `wanted` stands next in [from, to), or `to`.
std::size_t NextByte(std::string_view text, char wanted, std::size_t from, std::size_t to) {
  if (from >= to) return to;
  const void* found = std::memchr(text.data() + from, wanted, to - from);
  return found == nullptr ? to : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

// One past the last `wanted` in [from, to), or `from`.
std::size_t BehindLastByte(std::string_view text, char wanted, std::size_t from, std::size_t to) {
  if (from >= to) return from;
  const void* found = memrchr(text.data() + from, wanted, to - from);
  return found == nullptr ? from : static_cast<std::size_t>(static_cast<const char*>(found) - text.data()) + 1;
}

// A number that touches the cut may be the start of another number ("1,2" of "1,234"), and a number right before it may still
// lack its unit ("61.2 Gi").
std::string_view WithoutLastToken(std::string_view text) {
  const auto is_token = [](char c) { return IsIdentifierChar(c) || c == '.' || c == '-' || c == '+' || c == ',' || c == '/'; };
  while (!text.empty() && is_token(text.back())) text.remove_suffix(1);
  std::string_view before = text;
  while (!before.empty() && before.back() == ' ') before.remove_suffix(1);
  if (before.size() == text.size() || before.empty() || !IsDigit(before.back())) return text;
  while (!before.empty() && is_token(before.back())) before.remove_suffix(1);
  return before;
}

}  // namespace

LogSession::LogSession(LogTables& tables, SourceId source, const LogOptions& options, FactStore& facts)
    : tables_(tables),
      search_(options.metrics ? tables.everything : tables.signatures),
      source_(source),
      options_(options),
      facts_(facts),
      collector_(source, facts),
      arguments_(facts) {
  shape_.source = source;
  // A log of blank lines has no first and no last line, and is cited all the same.
  shape_.first_line.source = shape_.last_line.source = source;
  first_hits_.resize(tables.matcher.size());
  last_hits_.resize(tables.matcher.size());
  hit_counts_.resize(tables.matcher.size());
  unranked_ = &ranks_[-1];
}

void LogSession::Window(std::string_view window, std::uint64_t offset) {
  window_ = window;
  window_offset_ = offset;
  next_escape_ = NextByte(window, '\x1b', 0, window.size());
  next_backspace_ = NextByte(window, '\b', 0, window.size());
  counted_to_ = 0;
  counted_lines_ = 0;
  CheckBytes();
  std::size_t from = 0;
  if (in_overlong_) {
    // What the pieces of an overlong line say about numbers is unsafe: the rest of the line is left out.
    from = std::min(window.find_first_of(kLineEnds), window.size());
    in_overlong_ = from == window.size();
  }
  if (from < window.size()) Units(from);
  in_overlong_ = in_overlong_ || ends_overlong_;
  ends_overlong_ = false;
  RememberEnds();
  shape_.lines += CountByte(window_.substr(counted_to_), '\n') + counted_lines_;
  shape_.bytes = offset + window.size();
  if (!window.empty()) shape_.ends_with_newline = window.back() == '\n' || window.back() == '\r';
}

void LogSession::Units(std::size_t from) {
  const std::string_view window = window_;
  hits_.clear();
  if (!layout_.docker_json) search_.Scanner().Scan(window, hits_);
  std::size_t at = from;  // first byte not looked at
  std::size_t hit = 0;
  std::size_t newline = 0;   // the next one at or behind `at`, once it has been searched for
  std::size_t carriage = 0;  // the next carriage return before that newline
  bool searched = false;
  while (at < window.size()) {
    while (hit < hits_.size() && hits_[hit].end <= at) ++hit;
    std::size_t begin = at;
    if (!WantsEveryLine() && !layout_.docker_json) {
      if (hit == hits_.size()) break;
      const auto last = static_cast<std::size_t>(hits_[hit].end) - 1;
      begin = BehindLastByte(window, '\n', at, last);
      begin = BehindLastByte(window, '\r', begin, last);
    }
    if (!searched || newline < begin) newline = NextByte(window, '\n', begin, window.size());
    if (!searched || carriage < begin || carriage > newline) carriage = NextByte(window, '\r', begin, newline);
    searched = true;
    const std::size_t end = std::min(newline, carriage);
    const std::size_t first = hit;
    while (hit < hits_.size() && hits_[hit].end <= end) ++hit;
    if (layout_.docker_json) {
      DockerLine(begin, newline);
      at = newline + 1;
    } else {
      Unit(begin, end, std::span(hits_).subspan(first, hit - first));
      at = end + 1;
    }
  }
}

void LogSession::Unit(std::size_t begin, std::size_t end, std::span<const Hit> hits) {
  const std::string_view text = window_.substr(begin, end - begin);
  if (text.empty()) return;
  const Place place{.begin = window_offset_ + begin, .end = window_offset_ + end, .line = LineNumber(begin)};
  const bool complete = end < window_.size();
  if (next_escape_ < begin) next_escape_ = NextByte(window_, '\x1b', begin, window_.size());
  if (next_backspace_ < begin) next_backspace_ = NextByte(window_, '\b', begin, window_.size());
  if (next_escape_ < end || next_backspace_ < end) {
    Replayed(text, place, begin, hits, complete, true);
  } else {
    Segment(text, place, hits, complete);
  }
}

void LogSession::Replayed(std::string_view text, const Place& place, std::size_t base, std::span<const Hit> hits, bool complete,
                          bool exact_place) {
  const std::vector<LineSegment>& segments = replay_.Replay(text);
  std::size_t hit = 0;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const LineSegment& segment = segments[i];
    const std::size_t first = hit;
    while (hit < hits.size() && hits[hit].end <= base + segment.end) ++hit;
    const Place part{.begin = place.begin + segment.begin, .end = place.begin + segment.end, .line = place.line};
    const bool last = i + 1 == segments.size() && segment.end == text.size();
    Segment(segment.text, exact_place ? part : place, hits.subspan(first, hit - first), complete || !last);
  }
}

void LogSession::DockerLine(std::size_t begin, std::size_t end) {
  const std::string_view line = window_.substr(begin, end - begin);
  const Place place{.begin = window_offset_ + begin, .end = window_offset_ + end, .line = LineNumber(begin)};
  std::string text;
  bool whole = false;
  if (!UnwrapDockerLine(line, text, docker_time_, whole)) text.assign(line);
  inner_hits_.clear();
  search_.Scanner().Scan(text, inner_hits_);
  if (!inner_hits_.empty() || WantsEveryLine()) {
    Replayed(text, place, 0, inner_hits_, whole && end < window_.size(), false);
  }
  docker_time_.reset();
  above_ = std::move(text);
  above_place_ = place;
}

LogSession::RankState& LogSession::StateOf(std::optional<int> rank) {
  if (!rank) return *unranked_;
  const auto found = ranks_.find(*rank);
  if (found != ranks_.end()) return found->second;
  return ranks_.size() < kMaxRanks ? ranks_[*rank] : *unranked_;
}

void LogSession::Segment(std::string_view text, const Place& place, std::span<const Hit> hits, bool complete) {
  const PeeledLine peeled = PeelPrefix(text, layout_);
  LogLine line{.text = peeled.text,
               .cite = {.source = source_, .begin = place.begin, .end = place.end, .line = place.line},
               .rank = peeled.rank,
               .time = peeled.time ? peeled.time : docker_time_};
  if (line.time) {
    if (!shape_.first_time) shape_.first_time = line.time;
    shape_.last_time = line.time;
  }
  RankState& state = StateOf(line.rank);
  if (state.traceback.open() && InTraceback(state, peeled, line, complete)) return;

  std::uint64_t dialect_mask = 0;
  bool bar = false;
  bool arguments = false;
  confirmed_.clear();
  for (const Hit& hit : hits) {
    for (const LogTables::Target& target : search_.targets[hit.literal]) {
      using Kind = LogTables::Target::Kind;
      switch (target.kind) {
        case Kind::kSignature:
          if (std::find(confirmed_.begin(), confirmed_.end(), target.index) == confirmed_.end()) {
            confirmed_.push_back(target.index);
            if (HasAlso(target.index, hits)) TrySignature(target.index, WithoutCollector(text, layout_), line, complete);
          }
          break;
        case Kind::kAlso: break;
        case Kind::kDialect: dialect_mask |= std::uint64_t{1} << target.index; break;
        case Kind::kTraceback: StartTraceback(state, line); break;
        case Kind::kFrame:
          if (!state.traceback.open()) StartFromFrame(state, peeled, line, complete);
          break;
        case Kind::kChain:
          state.traceback.SetChain(target.index == 0 ? Traceback::Chain::kDuringHandling : Traceback::Chain::kDirectCause);
          break;
        case Kind::kBar: bar = true; break;
        case Kind::kArguments: arguments = true; break;
      }
    }
  }
  if (!options_.metrics) return;
  if (arguments_.open() && arguments_.Line(line.text, line.cite, line.rank, complete)) return;
  if (arguments && !arguments_.open()) arguments_.Start(peeled.body, line.cite, line.rank, complete);
  if (bar) {
    if (const auto parsed = ParseBar(line.text)) {
      bars_.Add(*parsed, line.cite, line.rank);
      if (!parsed->description.empty() || parsed->total > 0) Progress(line.cite.begin);
    }
  }
  Metrics(state, line, dialect_mask, complete);
}

bool LogSession::HasAlso(std::size_t signature, std::span<const Hit> hits) const {
  if (tables_.matcher.signature(signature).also.empty()) return true;
  return std::any_of(hits.begin(), hits.end(), [&](const Hit& hit) {
    const std::vector<LogTables::Target>& targets = search_.targets[hit.literal];
    return std::any_of(targets.begin(), targets.end(), [&](const LogTables::Target& target) {
      return target.kind == LogTables::Target::Kind::kAlso && target.index == signature;
    });
  });
}

void LogSession::TrySignature(std::size_t index, std::string_view text, const LogLine& line, bool complete) {
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

void LogSession::Metrics(RankState& state, const LogLine& line, std::uint64_t mask, bool complete) {
  if (state.context.wants_next_line && state.sticky != nullptr) {
    if (ParseWith(*state.sticky, state, line, complete)) return;
    state.context.wants_next_line = false;
    --sticky_ranks_;
    state.sticky = nullptr;
  }
  for (; mask != 0; mask &= mask - 1) {
    const auto first = static_cast<std::size_t>(std::countr_zero(mask));
    if (ParseWith(*tables_.dialects[first], state, line, complete)) return;
  }
}

bool LogSession::ParseWith(const Dialect& dialect, RankState& state, LogLine line, bool complete) {
  values_.Clear();
  const bool wanted = state.context.wants_next_line;
  if (!complete) line.text = WithoutLastToken(line.text);
  const Parsed parsed = dialect.parse(line, state.context, values_);
  if (parsed == Parsed::kNotMine) return false;
  if (state.context.wants_next_line && !wanted) ++sticky_ranks_;
  if (!state.context.wants_next_line && wanted) --sticky_ranks_;
  if (state.context.wants_next_line) state.sticky = &dialect;
  if (parsed == Parsed::kRow) {
    collector_.Add(dialect, line, values_);
    Progress(line.cite.begin);
  }
  return true;
}

void LogSession::StartTraceback(RankState& state, const LogLine& line) {
  if (!state.traceback.open()) ++open_tracebacks_;
  state.traceback_lines = 0;
  if (auto unfinished = state.traceback.Start(line.cite, line.rank, line.time))
    Push(std::move(*unfinished), line.rank.value_or(-1));
}

// Frames without the marker above them, as people paste them; the exception may stand in the line before.
void LogSession::StartFromFrame(RankState& state, const PeeledLine& peeled, const LogLine& line, bool complete) {
  StartTraceback(state, line);
  if (!InTraceback(state, peeled, line, complete)) return;
  std::string_view above = above_;
  Place place = above_place_;
  const std::size_t begin = line.cite.begin < window_offset_ ? 0 : static_cast<std::size_t>(line.cite.begin - window_offset_);
  if (!layout_.docker_json && begin > 0 && begin <= window_.size()) {
    const std::size_t end = begin - 1;
    const std::size_t from = BehindLastByte(window_, '\n', 0, end);
    if (from > 0 || above_place_.end < window_offset_ || above_.empty()) {
      above = window_.substr(from, end - from);
      place = {.begin = window_offset_ + from, .end = window_offset_ + end, .line = line.cite.line - 1};
    }
  }
  if (const auto exception = ParseExceptionLine(PeelPrefix(above, layout_).text)) {
    state.traceback.PrintedAbove(*exception, {.source = source_, .begin = place.begin, .end = place.end, .line = place.line});
  }
}

// True for a line inside the block: quoted source must not be taken for what the run reports. The exception's own line is
// looked at further.
bool LogSession::InTraceback(RankState& state, const PeeledLine& peeled, const LogLine& line, bool complete) {
  if (peeled.text.starts_with(kTracebackMarker)) return false;
  auto finished = state.traceback.Line(peeled.body, line.cite, complete);
  if (!finished && ++state.traceback_lines > kMaxTracebackLines) finished = state.traceback.Finish();
  if (!finished) return true;
  --open_tracebacks_;
  Push(std::move(*finished), line.rank.value_or(-1));
  return false;
}

void LogSession::Push(Traceback traceback, int rank) {
  if (traceback.frames.empty() && traceback.exception.empty()) return;
  if (!traceback.rank && rank >= 0) traceback.rank = rank;
  constexpr std::size_t kMaxTracebacks = 512;
  if (tracebacks_.size() == kMaxTracebacks) tracebacks_.erase(tracebacks_.begin() + kMaxTracebacks / 2);
  tracebacks_.push_back(std::move(traceback));
}

void LogSession::MarkTracebacks() {
  std::map<int, std::size_t> last_of_rank;
  for (std::size_t i = 0; i < tracebacks_.size(); ++i) {
    tracebacks_[i].progress_follows = last_progress_ >= tracebacks_[i].cite.end;
    last_of_rank[tracebacks_[i].rank.value_or(-1)] = i;
  }
  for (const auto& [rank, index] : last_of_rank) tracebacks_[index].last = !tracebacks_[index].progress_follows;
}

std::uint64_t LogSession::LineNumber(std::size_t position) {
  counted_lines_ += CountByte(window_.substr(counted_to_, position - counted_to_), '\n');
  counted_to_ = position;
  return shape_.lines + counted_lines_ + 1;
}

// NUL bytes and bytes that are not UTF-8, wherever they stand.
void LogSession::CheckBytes() {
  const std::size_t nul = NextByte(window_, '\0', 0, window_.size());
  if (nul < window_.size()) {
    if (nul_begin_ == nul_end_) nul_begin_ = window_offset_ + nul;
    nul_end_ = window_offset_ + window_.rfind('\0') + 1;
    shape_.nul_bytes += CountByte(window_.substr(nul), '\0');
  }
  if (encoding_said_) return;
  auto bad = FirstInvalidUtf8(window_);
  // A sequence that an overlong line's cut divides is no damage.
  constexpr std::size_t kLongestSequence = 4;
  if (bad && (ends_overlong_ && window_.size() - *bad < kLongestSequence)) bad.reset();
  if (bad && in_overlong_ && *bad < kLongestSequence) bad.reset();
  if (!bad) return;
  encoding_said_ = true;
  facts_.AddAnomaly(
      {.kind = AnomalyKind::kBadEncoding,
       .cite = {.source = source_, .begin = window_offset_ + *bad, .end = window_offset_ + *bad + 1, .line = LineNumber(*bad)},
       .statement = "The log is not UTF-8 throughout; the first byte that is not stands here."});
  counted_to_ = 0;
  counted_lines_ = 0;
}

// The first and the last line of the log that are not blank, and the line above the next window.
void LogSession::RememberEnds() {
  constexpr std::string_view kBlank = "\r\n\t ";
  const std::size_t first = window_.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return;
  if (shape_.first_text.empty()) {
    const std::size_t end = std::min(window_.find_first_of(kLineEnds, first), window_.size());
    const std::string_view text = window_.substr(first, end - first);
    const std::uint64_t line = shape_.lines + CountByte(window_.substr(0, first), '\n') + 1;
    shape_.first_line = {.source = source_, .begin = window_offset_ + first, .end = window_offset_ + end, .line = line};
    shape_.first_text = Printable(text);
    if (const auto time = PeelPrefix(text, layout_).time) shape_.first_time = time;
  }
  const std::size_t last = window_.find_last_not_of(kBlank);
  const std::size_t begin = BehindLastByte(window_, '\r', BehindLastByte(window_, '\n', 0, last), last);
  const std::string_view text = window_.substr(begin, last + 1 - begin);
  const std::uint64_t line = shape_.lines + CountByte(window_.substr(0, last), '\n') + 1;
  shape_.last_line = {.source = source_, .begin = window_offset_ + begin, .end = window_offset_ + last + 1, .line = line};
  shape_.last_text = Printable(text);
  last_raw_.assign(text.substr(0, kKeptLine));
  if (layout_.docker_json) return;
  std::size_t end = window_.size();
  if (window_.back() == '\n') --end;
  const std::size_t from = BehindLastByte(window_, '\n', 0, end);
  above_.assign(window_.substr(from, std::min(end - from, kKeptLine)));
  above_place_ = {.begin = window_offset_ + from,
                  .end = window_offset_ + end,
                  .line = shape_.lines + CountByte(window_.substr(0, from), '\n') + 1};
}

void LogSession::Overlong(std::uint64_t offset, std::size_t length) {
  ends_overlong_ = true;
  if (overlong_said_) return;
  overlong_said_ = true;
  facts_.AddAnomaly({.kind = AnomalyKind::kOverlong,
                     .cite = {.source = source_, .begin = offset, .end = offset + length},
                     .statement = "A line is longer than 1 MiB; what stands behind that was not read."});
}

void LogSession::Hole(std::uint64_t offset, std::uint64_t length) {
  if (nul_begin_ == nul_end_) nul_begin_ = offset;
  nul_end_ = offset + length;
  shape_.nul_bytes += length;
  shape_.bytes = offset + length;
  shape_.ends_with_newline = false;
  in_overlong_ = true;
}

void LogSession::Finish(const std::string& damage) {
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
  if (const auto time = PeelPrefix(last_raw_, layout_).time) shape_.last_time = time;
  if (nul_begin_ != nul_end_) {
    facts_.AddAnomaly(
        {.kind = AnomalyKind::kLostBytes,
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

}  // namespace assay
