// SPDX-License-Identifier: Apache-2.0
#include "evidence/logs/line_prefix.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/text.h"

namespace assay {
namespace {

void SkipBlanks(std::string_view& text) {
  while (!text.empty() && (text[0] == ' ' || text[0] == '\t')) text.remove_prefix(1);
}

// Digits at `at`, as a small number; nullopt when there are none or more than five.
struct Digits {
  int value;
  std::size_t length;
};
std::optional<Digits> ReadDigits(std::string_view text) {
  std::size_t n = 0;
  int value = 0;
  while (n < text.size() && n < 6 && IsDigit(text[n])) value = value * 10 + (text[n++] - '0');
  if (n == 0 || n > 5) return std::nullopt;
  return Digits{value, n};
}

// "[rank3]:", "[default3]:", "[rank: 3]", "[Rank 3]", "(rank 3)", "rank3:", "[3]:" (mpirun's "[1,3]<stdout>:" too).
bool PeelRank(std::string_view& text, PeeledLine& out) {
  if (text.empty() || (text[0] != '[' && text[0] != '(' && text[0] != 'r' && text[0] != 'R')) return false;
  std::string_view rest = text;
  const bool bracket = rest[0] == '[' || rest[0] == '(';
  if (bracket) rest.remove_prefix(1);
  bool named = false;
  // Without brackets only "rank3:" is a rank: "GPU 0: …" and "worker 2: …" are what lists are about.
  for (const std::string_view word : {"rank", "Rank", "RANK", "default", "GPU", "gpu", "worker"}) {
    if (!bracket && word.size() != 4) break;
    if (rest.starts_with(word)) {
      rest.remove_prefix(word.size());
      named = true;
      break;
    }
  }
  if (!named && rest.starts_with("1,") && bracket) {
    rest.remove_prefix(2);
    named = true;
  }
  if (!named) return false;
  while (!rest.empty() && (rest[0] == ' ' || rest[0] == ':' || rest[0] == '=' || rest[0] == '_')) rest.remove_prefix(1);
  const auto digits = ReadDigits(rest);
  if (!digits) return false;
  rest.remove_prefix(digits->length);
  if (bracket) {
    if (rest.empty() || (rest[0] != ']' && rest[0] != ')')) return false;
    rest.remove_prefix(1);
    if (rest.starts_with("<std")) rest.remove_prefix(std::min(rest.size(), rest.find('>') + 1));
    if (rest.starts_with(':')) rest.remove_prefix(1);
  } else {
    if (!rest.starts_with(':') && !rest.starts_with("]:")) return false;
    rest.remove_prefix(1);
  }
  if (!out.rank) out.rank = digits->value;
  text = rest;
  return true;
}

bool PeelTime(std::string_view& text, PeeledLine& out) {
  std::string_view rest = text;
  const bool bracket = rest.starts_with('[') || rest.starts_with('<');
  if (bracket) rest.remove_prefix(1);
  if (const auto time = ParseTimePrefix(rest)) {
    rest.remove_prefix(time->length);
    if (bracket) {
      if (!rest.starts_with(']') && !rest.starts_with('>') && !rest.starts_with(' ')) return false;
      // "[2026-01-01 12:00:00 rank0]" and "[2026-01-01 12:00:00,123][root][INFO]": the bracket ends later.
      if (rest.starts_with(' ')) {
        const std::size_t close = rest.find(']');
        if (close == std::string_view::npos || close > 48) return false;
        rest.remove_prefix(close);
      }
      rest.remove_prefix(1);
    }
    if (!out.time) out.time = time->time;
    text = rest;
    return true;
  }
  // "12/31 23:59:59", "[12/31 23:59:59 d2.utils.events]:", "23:59:59": without a date there is no time to keep.
  const auto is = [&](std::size_t at, std::string_view shape) {
    if (at + shape.size() > rest.size()) return false;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (shape[i] == 'd' ? !IsDigit(rest[at + i]) : rest[at + i] != shape[i]) return false;
    }
    return true;
  };
  std::size_t length = 0;
  if (is(0, "dd/dd dd:dd:dd")) {
    length = 14;
  } else if (is(0, "dd:dd:dd")) {
    length = 8;
  } else {
    return false;
  }
  while (length < rest.size() && (IsDigit(rest[length]) || rest[length] == '.' || rest[length] == ',')) ++length;
  rest.remove_prefix(length);
  if (bracket) {
    const std::size_t close = rest.find(']');
    if (close == std::string_view::npos || close > 48) return false;
    rest.remove_prefix(close + 1);
    if (rest.starts_with(':')) rest.remove_prefix(1);
  }
  text = rest;
  return true;
}

// loguru: "module:function:12 - " behind the level.
void PeelCallSite(std::string_view& text) {
  constexpr std::size_t kLongest = 160;
  const std::size_t end = text.substr(0, kLongest).find(" - ");
  if (end == std::string_view::npos) return;
  const std::vector<std::string_view> parts = Split(text.substr(0, end), ':');
  if (parts.size() != 3 || parts[0].empty() || parts[2].empty()) return;
  if (text.substr(0, end).find(' ') != std::string_view::npos || !std::all_of(parts[2].begin(), parts[2].end(), IsDigit)) return;
  text.remove_prefix(end + 3);
}

// " - INFO - ", "INFO:", "[INFO]", "INFO:root:", " - mmengine - INFO - ", "[titan]", "| INFO |".
bool PeelLevel(std::string_view& text) {
  std::string_view rest = text;
  while (!rest.empty() && (rest[0] == ' ' || rest[0] == '-' || rest[0] == '|' || rest[0] == ':' || rest[0] == ','))
    rest.remove_prefix(1);
  const bool bracket = rest.starts_with('[');
  if (bracket) {
    rest.remove_prefix(1);
    SkipBlanks(rest);  // "[    INFO]"
  }
  for (const std::string_view level :
       {"INFO", "WARNING", "WARN", "ERROR", "DEBUG", "CRITICAL", "FATAL", "info", "warning", "error"}) {
    if (!rest.starts_with(level) || rest.size() == level.size() || IsIdentifierChar(rest[level.size()])) continue;
    std::string_view after = rest.substr(level.size());
    if (bracket) {
      if (after[0] != ']' && after[0] != ' ' && after[0] != '|' && after[0] != ':') return false;
      const std::size_t close = after.find(']');
      if (close == std::string_view::npos || close > 64) return false;
      after.remove_prefix(close + 1);
    } else if (after.starts_with(':')) {
      // "INFO:logger.name:text", but "ERROR: text" has no name.
      after.remove_prefix(1);
      std::size_t name = 0;
      while (name < after.size() && (IsIdentifierChar(after[name]) || after[name] == '.')) ++name;
      if (name > 0 && name < after.size() && after[name] == ':' && name < 64) after.remove_prefix(name + 1);
    } else if (after[0] != ' ' && after[0] != '\t') {
      return false;
    }
    const std::string_view behind = after;
    while (!after.empty() && (after[0] == ' ' || after[0] == '-' || after[0] == '|')) {
      // A minus that belongs to a number stays.
      if (after[0] == '-' && after.size() > 1 && IsDigit(after[1])) break;
      after.remove_prefix(1);
    }
    if (behind.size() - after.size() > 1 && behind.substr(0, behind.size() - after.size()).find('|') != std::string_view::npos) {
      PeelCallSite(after);
    }
    text = after;
    return true;
  }
  // A logger's name between dashes: "- mmengine - INFO - " (the level follows) or "- root - ".
  if (!bracket && text.size() > 2 && (text[0] == '-' || text.starts_with(" - "))) {
    std::size_t name = 0;
    while (name < rest.size() && (IsIdentifierChar(rest[name]) || rest[name] == '.')) ++name;
    if (name > 0 && name < 64 && !IsDigit(rest[0]) && rest.substr(name).starts_with(" - ")) {
      text = rest.substr(name + 1);
      return true;
    }
  }
  // "[titan]", "[deepspeed]", "[file.py:12:function]": a tag in brackets without blanks.
  if (bracket) {
    std::size_t name = 0;
    while (name < rest.size() && name < 64 &&
           (IsIdentifierChar(rest[name]) || rest[name] == '.' || rest[name] == ':' || rest[name] == '-'))
      ++name;
    if (name > 1 && name < rest.size() && rest[name] == ']' && std::isalpha(static_cast<unsigned char>(rest[0])) != 0) {
      text = rest.substr(name + 1);
      return true;
    }
  }
  return false;
}

// glog and absl: "I0131 12:00:00.123456  140 file.cc:262] text". There is no year, so that there is no time to keep.
bool PeelGlog(std::string_view& text) {
  constexpr std::string_view kShape = "dddd dd:dd:dd.";
  if (text.size() < kShape.size() + 1 || std::string_view("IWEFD").find(text[0]) == std::string_view::npos) return false;
  for (std::size_t i = 0; i < kShape.size(); ++i) {
    if (kShape[i] == 'd' ? !IsDigit(text[i + 1]) : text[i + 1] != kShape[i]) return false;
  }
  const std::size_t close = text.find("] ");
  if (close == std::string_view::npos || close > 128) return false;
  text.remove_prefix(close + 2);
  return true;
}

// "Jan 31 12:00:00": its length. There is no year, so that there is no time to keep.
std::size_t SyslogTimeLength(std::string_view text) {
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  constexpr std::string_view kShape = "mmm dd dd:dd:dd";
  if (text.size() < kShape.size() || text[3] != ' ') return 0;
  const std::size_t month = kMonths.find(text.substr(0, 3));
  if (month == std::string_view::npos || month % 3 != 0) return 0;
  for (std::size_t i = 4; i < kShape.size(); ++i) {
    const bool padded = i == 4 && text[i] == ' ';
    if (kShape[i] == 'd' ? !IsDigit(text[i]) && !padded : text[i] != kShape[i]) return 0;
  }
  return kShape.size();
}

// "node17 python[123]: " behind a time; `named` allows "node17 kernel: " too.
bool PeelHostAndProgram(std::string_view& text, bool named) {
  std::string_view rest = text;
  const auto skip_name = [&rest](std::string_view extra) {
    std::size_t n = 0;
    while (n < rest.size() && n < 64 && (IsIdentifierChar(rest[n]) || extra.find(rest[n]) != std::string_view::npos)) ++n;
    rest.remove_prefix(n);
    return n > 0;
  };
  if (!skip_name("-.") || !rest.starts_with(' ')) return false;
  rest.remove_prefix(1);
  if (!skip_name("-./@()")) return false;
  if (rest.starts_with('[')) {
    rest.remove_prefix(1);
    std::size_t n = 0;
    while (n < rest.size() && IsDigit(rest[n])) ++n;
    if (n == 0 || !rest.substr(n).starts_with("]: ")) return false;
    text = rest.substr(n + 3);
    return true;
  }
  if (!named || !rest.starts_with(": ")) return false;
  text = rest.substr(2);
  return true;
}

// syslog and journald: "Jan 31 12:00:00 node17 python[123]: text".
bool PeelSyslog(std::string_view& text) {
  const std::size_t length = SyslogTimeLength(text);
  if (length == 0 || !text.substr(length).starts_with(' ')) return false;
  std::string_view rest = text.substr(length + 1);
  if (!PeelHostAndProgram(rest, true)) return false;
  text = rest;
  return true;
}

// The kernel's "[   12.345678] " and dmesg -T's "[Sat Jan 31 12:00:00 2026] ".
bool PeelKernelTime(std::string_view& text, PeeledLine& out) {
  std::string_view rest = text.substr(1);
  if (rest.size() > 25 && rest[3] == ' ' && SyslogTimeLength(rest.substr(4)) > 0 && rest[24] == ']') {
    constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
    const auto month = static_cast<unsigned>(kMonths.find(rest.substr(4, 3)) / 3 + 1);
    std::string iso(rest.substr(20, 4));
    iso += month < 10 ? "-0" : "-1";
    iso += static_cast<char>('0' + month % 10);
    iso += '-';
    iso += rest[8] == ' ' ? '0' : rest[8];
    iso += rest[9];
    iso += ' ';
    iso += rest.substr(11, 8);
    if (const auto time = ParseTimePrefix(iso); time && !out.time) out.time = time->time;
    text = rest.substr(25);
    return true;
  }
  SkipBlanks(rest);
  std::size_t n = 0;
  while (n < rest.size() && n < 12 && IsDigit(rest[n])) ++n;
  if (n == 0 || rest.size() < n + 9 || rest[n] != '.' || rest[n + 7] != ']' || rest[n + 8] != ' ') return false;
  if (!std::all_of(rest.begin() + static_cast<std::ptrdiff_t>(n) + 1, rest.begin() + static_cast<std::ptrdiff_t>(n) + 7, IsDigit))
    return false;
  text = rest.substr(n + 9);
  return true;
}

// Ray: "(pid=123)", "(RayTrainWorker pid=1, ip=10.0.0.1)".
bool PeelRay(std::string_view& text) {
  constexpr std::size_t kLongest = 96;
  const std::size_t close = text.substr(0, kLongest).find(')');
  if (close == std::string_view::npos || close + 1 >= text.size() || text[close + 1] != ' ') return false;
  const std::string_view inside = text.substr(1, close - 1);
  const std::size_t pid = inside.find("pid=");
  if (pid == std::string_view::npos || (pid > 0 && inside[pid - 1] != ' ') || pid + 4 >= inside.size() ||
      !IsDigit(inside[pid + 4]))
    return false;
  text.remove_prefix(close + 2);
  return true;
}

// Kubernetes' runtime writes "stdout F " after the time.
bool PeelStream(std::string_view& text) {
  for (const std::string_view stream : {"stdout F ", "stderr F ", "stdout P ", "stderr P "}) {
    if (text.starts_with(stream)) return text.remove_prefix(stream.size()), true;
  }
  return false;
}

// pdsh and DeepSpeed write "node-1: ".
bool PeelHost(std::string_view& text) {
  if (PeelStream(text)) return true;
  std::size_t n = 0;
  while (n < text.size() && n < 63 &&
         (std::islower(static_cast<unsigned char>(text[n])) != 0 || IsDigit(text[n]) || text[n] == '-'))
    ++n;
  const std::string_view name = text.substr(0, n);
  const bool host = n >= 3 && text.substr(n).starts_with(": ") && IsDigit(name.back()) &&
                    std::isalpha(static_cast<unsigned char>(name[0])) != 0 && name.find('-') != std::string_view::npos;
  if (!host) return false;
  const std::string_view behind = text.substr(n + 2);
  if (!behind.empty() && IsDigit(behind[0]) && !ParseTimePrefix(behind)) return false;  // "loss-1: 0.5"
  text = behind;
  return true;
}

// Length of "node17: " at the start, 0 when there is none.
std::size_t HostColonLength(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && n < 63 && (IsIdentifierChar(text[n]) || text[n] == '-' || text[n] == '.')) ++n;
  const bool named = n > 1 && std::isalpha(static_cast<unsigned char>(text[0])) != 0 && IsDigit(text[n - 1]);
  return named && text.substr(n).starts_with(": ") ? n + 2 : 0;
}

std::size_t TaskNumberLength(std::string_view text, int* number) {
  std::string_view rest = text;
  SkipBlanks(rest);
  const auto digits = ReadDigits(rest);
  if (!digits || !rest.substr(digits->length).starts_with(": ")) return 0;
  if (number != nullptr) *number = digits->value;
  return text.size() - rest.size() + digits->length + 2;
}

// docker compose: "trainer-1  | text", the names padded to one width. The name without its padding, empty when there is none.
std::string_view ServiceOf(std::string_view line, std::size_t* length) {
  std::size_t n = 0;
  while (n < line.size() && n < 128 && (IsIdentifierChar(line[n]) || line[n] == '-' || line[n] == '.')) ++n;
  const std::string_view name = line.substr(0, n);
  const std::size_t number = name.find_last_not_of("0123456789");
  const bool numbered = n > 0 && number != std::string_view::npos && number + 1 < n && number > 0 &&
                        (name[number] == '-' || name[number] == '_') && !name.starts_with("rank");
  std::size_t bar = n;
  while (bar < line.size() && line[bar] == ' ') ++bar;
  if (!numbered || bar == n || bar >= line.size() || line[bar] != '|') return {};
  if (bar + 1 < line.size() && line[bar + 1] != ' ') return {};
  if (length != nullptr) *length = std::min(bar + 2, line.size());
  return name;
}

void PeelService(std::string_view& line, const PeelOptions& options) {
  std::size_t length = 0;
  if (!options.service.empty() && ServiceOf(line, &length) == options.service) line.remove_prefix(length);
}

bool PeelOne(std::string_view& text, PeeledLine& out) {
  const char c = text[0];
  if (IsDigit(c) || c == '<') {
    if (!PeelTime(text, out)) return false;
    std::string_view behind = text;  // journald's short-iso format
    SkipBlanks(behind);
    if (PeelHostAndProgram(behind, false)) text = behind;
    return true;
  }
  if (c == '[') return PeelTime(text, out) || PeelKernelTime(text, out) || PeelRank(text, out) || PeelLevel(text);
  if (c == '(') return PeelRank(text, out) || PeelRay(text);
  if (c == '>' && text.starts_with(">> ")) return text.remove_prefix(3), true;  // transformers' own logging
  if (c >= 'A' && c <= 'Z') return PeelGlog(text) || PeelSyslog(text) || PeelRank(text, out) || PeelLevel(text);
  if (c >= 'a' && c <= 'z') return PeelRank(text, out) || PeelLevel(text) || PeelHost(text);
  return (c == '-' || c == '|' || c == ':' || c == ',') && PeelLevel(text);
}

}  // namespace

PeeledLine PeelPrefix(std::string_view line, const PeelOptions& options) {
  PeeledLine out;
  std::string_view text = line;
  PeelService(text, options);
  if (options.numbered_by_srun) {
    int task = 0;
    if (const std::size_t length = TaskNumberLength(text, &task)) {
      out.rank = task;
      text.remove_prefix(length);
    }
  } else if (options.prefixed_by_host) {
    text.remove_prefix(HostColonLength(text));
  }
  out.body = text;
  constexpr int kMostPrefixes = 8;
  for (int i = 0; i < kMostPrefixes; ++i) {
    SkipBlanks(text);
    if (text.empty() || !PeelOne(text, out)) break;
    out.body = text.starts_with(' ') ? text.substr(1) : text;
  }
  out.text = text;
  return out;
}

std::string_view WithoutCollector(std::string_view line, const PeelOptions& options) {
  constexpr std::size_t kNanoseconds = std::string_view("2026-01-31T12:00:00.1234567Z").size();  // trailing zeros may be cut
  PeelService(line, options);
  std::string_view rest = line;
  PeeledLine ignored;
  if (rest.starts_with('(')) return PeelRay(rest) ? rest : line;
  if (rest.empty() || !IsDigit(rest[0]) || !PeelTime(rest, ignored)) return line;
  const std::string_view time = line.substr(0, line.size() - rest.size());
  if (rest.starts_with(' ')) rest.remove_prefix(1);  // further ones are the program's
  // `kubectl logs --timestamps` and `docker logs -t` write nanoseconds; hardly a program's own logger does.
  const bool collectors = time.size() >= kNanoseconds && time.ends_with('Z') && time[10] == 'T';
  return PeelStream(rest) || collectors ? rest : line;
}

PeelOptions DetectPeelOptions(std::string_view head) {
  std::map<std::string_view, int> services;
  int lines = 0;
  int numbered = 0;
  int hosts = 0;
  int docker = 0;
  while (!head.empty() && lines < 50) {
    const std::size_t end = head.find('\n');
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(end == std::string_view::npos ? head.size() : end + 1);
    if (Trim(line).empty()) continue;
    ++lines;
    if (TaskNumberLength(line, nullptr) > 0) ++numbered;
    if (HostColonLength(line) > 0) ++hosts;
    if (line.starts_with("{\"log\":\"")) ++docker;
    if (const std::string_view service = ServiceOf(line, nullptr); !service.empty()) ++services[service];
  }
  const auto nearly_all = [lines](int count, int least) { return lines >= least && count * 10 >= lines * 9; };
  PeelOptions options{.numbered_by_srun = nearly_all(numbered, 3),
                      .prefixed_by_host = nearly_all(hosts, 3),
                      .docker_json = nearly_all(docker, 1)};
  for (const auto& [service, count] : services) {
    if (nearly_all(count, 2)) options.service = service;
  }
  return options;
}

}  // namespace assay
