// SPDX-License-Identifier: Apache-2.0
#include "evidence/logs/log_reader.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "evidence/logs/line_prefix.h"
#include "evidence/logs/log_session.h"
#include "evidence/logs/log_tables.h"

namespace assay {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 20U;  // the longest line
constexpr std::size_t kLayoutHead = std::size_t{64} << 10U;

// How many of the bytes at hand make the next window: whole lines, about `window` of them. 0 when the buffer must be filled
// first; everything where even that holds no line's end.
std::size_t WindowLength(std::string_view content, std::size_t window, bool full, bool ended) {
  const std::size_t wanted = std::max<std::size_t>(window, 1);
  if (content.size() > wanted) {
    const std::size_t newline = content.rfind('\n', wanted - 1);
    if (newline != std::string_view::npos) return newline + 1;
    const std::size_t next = content.find('\n', wanted);
    if (next != std::string_view::npos) return next + 1;
  }
  if (ended) return content.size();
  if (content.size() <= wanted && !full) return 0;
  const std::size_t newline = content.rfind('\n');
  if (newline != std::string_view::npos) return newline + 1;
  if (!full) return 0;
  // One line fills the buffer: a progress bar without newlines is cut between two of its states, anything else anywhere.
  const std::size_t bar = content.rfind('\r');
  return bar == std::string_view::npos ? content.size() : bar + 1;
}

}  // namespace

LogReader::LogReader(std::span<const Signature> user_signatures) : tables_(std::make_unique<LogTables>(user_signatures)) {}
LogReader::~LogReader() = default;

LogReader& LogReader::Shared() {
  static LogReader reader;
  return reader;
}

void LogReader::Read(ByteStream& stream, SourceId source, const LogOptions& options, FactStore& facts) {
  LogSession session(*tables_, source, options, facts);
  std::vector<std::byte> buffer(kBuffer);
  std::size_t begin = 0;  // of the bytes not looked at
  std::size_t filled = 0;
  std::uint64_t offset = 0;  // of buffer[begin]
  bool ended = false;
  std::string damage;
  bool layout_known = false;
  for (;;) {
    const std::string_view content(reinterpret_cast<const char*>(buffer.data()) + begin, filled - begin);
    const bool full = content.size() == buffer.size();
    const std::size_t length = layout_known ? WindowLength(content, options.window, full, ended) : 0;
    if (length == 0) {
      if (ended && layout_known) break;
      // Many zeros that no disk holds are a line too long to be read.
      const std::uint64_t hole = layout_known ? stream.SkipHole(kBuffer, std::numeric_limits<std::uint64_t>::max()) : 0;
      if (hole > 0) {
        if (!content.empty()) {
          session.Overlong(offset, content.size());
          session.Window(content, offset);
        }
        begin += content.size();
        offset += content.size();
        session.Hole(offset, hole);
        offset += hole;
        continue;
      }
      // Reads of the window's size keep the bytes in the cache that the scan needs next.
      if (begin > 0) std::memmove(buffer.data(), buffer.data() + begin, content.size());
      begin = 0;
      filled = content.size();
      const std::size_t wanted = layout_known ? std::max<std::size_t>(options.window, 4096) : kLayoutHead;
      const auto into = std::span(buffer).subspan(filled, std::min(wanted, buffer.size() - filled));
      const auto read = stream.Read(into);
      if (!read.has_value()) damage = read.error().reason;
      const std::size_t n = read.has_value() ? *read : 0;
      ended = ended || n < into.size();
      filled += n;
      if (!layout_known) {
        const std::string_view head(reinterpret_cast<const char*>(buffer.data()), filled);
        session.SetLayout(DetectPeelOptions(head));
        layout_known = true;
      }
      continue;
    }
    if (length == content.size() && full && content.back() != '\n' && content.back() != '\r' && !ended)
      session.Overlong(offset, length);
    session.Window(content.substr(0, length), offset);
    begin += length;
    offset += length;
  }
  if (damage.empty()) damage = stream.damage();
  session.Finish(damage);
}

}  // namespace assay
