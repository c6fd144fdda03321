// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/kernel_stamp.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "evidence/codecs/system_time.h"

namespace assay {
namespace {

std::string_view Word(std::string_view text) { return text.substr(0, text.find(' ')); }

// "host kernel: text" behind a time; the length includes both.
bool HostAndKernel(std::string_view line, std::size_t at, KernelStamp& out) {
  const std::string_view host = Word(line.substr(std::min(at, line.size())));
  const std::size_t after = at + host.size();
  constexpr std::string_view kKernel = " kernel: ";
  if (host.empty() || after > line.size() || !line.substr(after).starts_with(kKernel)) return false;
  out.host = host;
  out.length = after + kKernel.size();
  return true;
}

std::optional<KernelStamp> Bracketed(std::string_view line) {
  const std::size_t close = line.find(']');
  if (close == std::string_view::npos || close > 40) return std::nullopt;
  KernelStamp out;
  out.length = close + 1 < line.size() && line[close + 1] == ' ' ? close + 2 : close + 1;
  const std::string_view inside = Trim(line.substr(1, close - 1));
  // The kernel prints exactly six places; other loggers that put seconds into brackets do not.
  const std::size_t point = inside.find('.');
  if (point != std::string_view::npos && inside.size() - point == 7) {
    const auto seconds = ParseNumber(inside);
    if (!seconds || !(*seconds >= 0)) return std::nullopt;
    out.since_boot = seconds;
    return out;
  }
  if (inside.empty() || IsDigit(inside[0])) return std::nullopt;
  const auto time = ParseSystemTime(inside);
  if (!time || time->length != inside.size()) return std::nullopt;
  out.time = time->time;
  return out;
}

std::optional<KernelStamp> FromKmsg(std::string_view line) {
  const std::size_t semicolon = line.find(';');
  if (semicolon == std::string_view::npos || semicolon > 120) return std::nullopt;
  const std::vector<std::string_view> fields = Split(line.substr(0, semicolon), ',');
  if (fields.size() < 4) return std::nullopt;
  const auto microseconds = ParseInteger(fields[2]);
  if (!ParseInteger(fields[0]) || !ParseInteger(fields[1]) || !microseconds || *microseconds < 0) return std::nullopt;
  return KernelStamp{.since_boot = static_cast<double>(*microseconds) / 1e6, .length = semicolon + 1};
}

std::optional<KernelStamp> FromSyslog(std::string_view line) {
  constexpr std::string_view kMonths = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec ";
  if (line.size() < 20 || kMonths.find(line.substr(0, 4)) == std::string_view::npos || line[15] != ' ') return std::nullopt;
  const std::string_view clock = line.substr(7, 8);
  if (clock[2] != ':' || clock[5] != ':' || !IsDigit(clock[0]) || !IsDigit(clock[7])) return std::nullopt;
  KernelStamp out;
  if (!HostAndKernel(line, 16, out)) return std::nullopt;
  return out;
}

}  // namespace

std::optional<KernelStamp> ParseKernelStamp(std::string_view line) {
  if (line.starts_with('<')) {  // "<6>[    1.234567] text", and "<6>Sep 21 …": the priority
    const std::size_t close = line.find('>');
    if (close == std::string_view::npos || close > 4) return std::nullopt;
    auto inner = ParseKernelStamp(line.substr(close + 1));
    if (inner) inner->length += close + 1;
    return inner;
  }
  if (line.starts_with('[')) return Bracketed(line);
  if (line.empty()) return std::nullopt;
  if (IsDigit(line[0])) {
    if (const auto kmsg = FromKmsg(line)) return kmsg;
    const auto time = ParseTimePrefix(line);
    if (!time || !line.substr(time->length).starts_with(' ')) return std::nullopt;
    KernelStamp out{.time = time->time, .length = time->length + 1};
    if (HostAndKernel(line, time->length + 1, out)) return out;
    // dmesg's own ISO form has a comma, six places and an offset; anything else may be any logger's.
    const bool dmesg = time->length == 32 && line[19] == ',';
    return dmesg ? std::optional(out) : std::nullopt;
  }
  return FromSyslog(line);
}

}  // namespace assay
