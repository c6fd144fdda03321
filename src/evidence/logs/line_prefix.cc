// SPDX-License-Identifier: Apache-2.0
#include "evidence/logs/line_prefix.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>

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
  for (const std::string_view word : {"rank", "Rank", "RANK", "default", "GPU", "gpu", "worker"}) {
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

// " - INFO - ", "INFO:", "[INFO]", "INFO:root:", " - mmengine - INFO - ", "[titan]", "| INFO |".
bool PeelLevel(std::string_view& text) {
  std::string_view rest = text;
  while (!rest.empty() && (rest[0] == ' ' || rest[0] == '-' || rest[0] == '|' || rest[0] == ':' || rest[0] == ',')) rest.remove_prefix(1);
  const bool bracket = rest.starts_with('[');
  if (bracket) {
    rest.remove_prefix(1);
    SkipBlanks(rest);  // "[    INFO]"
  }
  for (const std::string_view level : {"INFO", "WARNING", "WARN", "ERROR", "DEBUG", "CRITICAL", "FATAL", "info", "warning", "error"}) {
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
    while (!after.empty() && (after[0] == ' ' || after[0] == '-' || after[0] == '|')) {
      // A minus that belongs to a number stays.
      if (after[0] == '-' && after.size() > 1 && IsDigit(after[1])) break;
      after.remove_prefix(1);
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
    while (name < rest.size() && name < 64 && (IsIdentifierChar(rest[name]) || rest[name] == '.' || rest[name] == ':' || rest[name] == '-')) ++name;
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

// Kubernetes' runtime writes "stdout F " after the time; pdsh and DeepSpeed write "node-1: ".
bool PeelHost(std::string_view& text) {
  for (const std::string_view stream : {"stdout F ", "stderr F ", "stdout P ", "stderr P "}) {
    if (text.starts_with(stream)) return text.remove_prefix(stream.size()), true;
  }
  std::size_t n = 0;
  while (n < text.size() && n < 63 && (std::islower(static_cast<unsigned char>(text[n])) != 0 || IsDigit(text[n]) || text[n] == '-')) ++n;
  const std::string_view name = text.substr(0, n);
  const bool host = n >= 3 && text.substr(n).starts_with(": ") && IsDigit(name.back()) &&
                    std::isalpha(static_cast<unsigned char>(name[0])) != 0 && name.find('-') != std::string_view::npos;
  if (!host) return false;
  text.remove_prefix(n + 2);
  return true;
}

}  // namespace

PeeledLine PeelPrefix(std::string_view line, const PeelOptions& options) {
  PeeledLine out;
  std::string_view text = line;
  if (options.numbered_by_srun) {
    std::string_view rest = text;
    SkipBlanks(rest);
    const auto digits = ReadDigits(rest);
    if (digits && rest.substr(digits->length).starts_with(": ")) {
      out.rank = digits->value;
      text = rest.substr(digits->length + 2);
    }
  }
  out.body = text;
  for (int i = 0; i < 8; ++i) {
    SkipBlanks(text);
    if (text.empty()) break;
    if (!PeelTime(text, out) && !PeelRank(text, out) && !PeelLevel(text) && !PeelGlog(text) && !PeelHost(text)) break;
    out.body = text.starts_with(' ') ? text.substr(1) : text;
  }
  out.text = text;
  return out;
}

bool LooksNumberedBySrun(std::string_view first_window) {
  int lines = 0;
  int numbered = 0;
  while (!first_window.empty() && lines < 50) {
    const std::size_t end = first_window.find('\n');
    std::string_view line = first_window.substr(0, end);
    first_window.remove_prefix(end == std::string_view::npos ? first_window.size() : end + 1);
    if (Trim(line).empty()) continue;
    ++lines;
    SkipBlanks(line);
    const auto digits = ReadDigits(line);
    if (digits && line.substr(digits->length).starts_with(": ")) ++numbered;
  }
  return lines >= 3 && numbered * 10 >= lines * 9;
}

}  // namespace assay
