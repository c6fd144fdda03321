// SPDX-License-Identifier: Apache-2.0
#include "evidence/listings/host_tables.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "base/text.h"
#include "evidence/codecs/secret_filter.h"

namespace assay {
namespace {

struct LimitName {
  char flag;              // of ulimit
  std::string_view proc;  // of /proc/PID/limits
  std::string_view name;
  std::string_view unit;
};
constexpr std::array<LimitName, 8> kLimits{{
    {'n', "Max open files", "open_files", "count"},
    {'u', "Max processes", "processes", "count"},
    {'f', "Max file size", "file_size", "bytes"},
    {'v', "Max address space", "virtual_memory", "bytes"},
    {'d', "Max data size", "data", "bytes"},
    {'l', "Max locked memory", "locked_memory", "bytes"},
    {'s', "Max stack size", "stack", "bytes"},
    {'c', "Max core file size", "core", "bytes"},
}};

std::optional<double> LimitValue(std::string_view word, double scale) {
  if (word == "unlimited") return std::numeric_limits<double>::infinity();
  const auto value = ParseInteger(word);
  if (!value || *value < 0) return std::nullopt;
  return static_cast<double>(*value) * scale;
}

// The bytes of one cell of free: "24684084", "23Gi", "954M". A bare number is of the unit that the command asked for; without a
// command it counts KiB if it is too large for MiB, and else says nothing.
std::optional<double> FreeCell(std::string_view word, std::string_view command) {
  const auto number = ParseNumberPrefix(word);
  if (!number || !std::isfinite(number->value) || number->value < 0) return std::nullopt;
  if (number->length != word.size()) return ParseByteSize(word);
  constexpr double kKiB = 1024.0;
  const auto asked = [&](std::string_view flag, std::string_view name) {
    return command.find(flag) != std::string_view::npos || command.find(name) != std::string_view::npos;
  };
  if (asked(" -g", "--gibi")) return number->value * kKiB * kKiB * kKiB;
  if (asked(" -m", "--mebi")) return number->value * kKiB * kKiB;
  if (asked(" -b", "--bytes")) return number->value;
  if (asked(" -k", "--kibi") || number->value > 16e6 || Trim(command) == "free") return number->value * kKiB;
  return std::nullopt;
}

}  // namespace

bool ProcessTable::Take(const ListingLine& line, ListingContext& context) {
  const std::vector<std::string_view> words = Columns(line.text);
  if (words.size() < 2) return false;
  const bool has_pid = std::find(words.begin(), words.end(), "PID") != words.end();
  if (has_pid && (words.back() == "CMD" || words.back() == "COMMAND" || words.back() == "ARGS")) {
    columns_.assign(words.begin(), words.end());
    return columns_.size() <= 64;
  }
  if (columns_.empty() || words.size() < columns_.size()) return false;
  ProcessSeen process{.cite = line.cite};
  std::optional<double> resident;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string_view column = columns_[i];
    if (column == "PID" || column == "PPID") {
      const auto number = ParseInteger(words[i]);
      if (!number || *number < 0 || *number > 1 << 22) return false;
      (column == "PID" ? process.pid : process.parent) = *number;
    } else if (column == "STAT" || column == "S") {
      process.state = words[i][0];
    } else if (column == "RSS" || column == "RES" || column == "RSZ") {
      const bool bare = ParseInteger(words[i]).has_value();
      resident = ParseByteSize(words[i]);
      if (resident && bare) *resident *= 1024;
    }
  }
  if (process.pid == 0) return false;
  process.command = WithoutSecrets("command", FromColumn(line.text, columns_.size() - 1).substr(0, 4096));
  const std::string_view program = Columns(process.command).empty() ? std::string_view{} : Columns(process.command)[0];
  process.name = program.substr(program.rfind('/') + 1);
  if (resident) context.Number("process." + std::to_string(process.pid) + ".rss", *resident, "bytes", line.cite);
  if (context.kept++ < ListingContext::kMaxReadings) context.facts.Add(std::move(process));
  return true;
}

bool MemoryTable::Take(const ListingLine& line, ListingContext& context) {
  const std::vector<std::string_view> words = Columns(line.text);
  if (words.size() >= 3 && words[0] == "total" && words[1] == "used" && words[2] == "free") {
    inside_ = true;
    columns_.assign(words.begin(), words.end());
    return true;
  }
  if (words.size() == 3 && words[2] == "kB" && words[0].ends_with(':')) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kNames{{{"MemTotal:", "host.memory_total"},
                                                                                   {"MemAvailable:", "host.memory_available"},
                                                                                   {"SwapTotal:", "host.swap_total"},
                                                                                   {"Shmem:", "host.memory_shared"}}};
    const auto value = ParseInteger(words[1]);
    if (!value || *value < 0) return false;
    for (const auto& [label, name] : kNames) {
      if (words[0] == label) context.Number(std::string(name), static_cast<double>(*value) * 1024, "bytes", line.cite);
    }
    return true;
  }
  if (!inside_ || words.empty() || (words[0] != "Mem:" && words[0] != "Swap:" && words[0] != "Total:" && words[0] != "-/+"))
    return false;
  const std::string_view kind = words[0] == "Mem:" ? "host.memory_" : words[0] == "Swap:" ? "host.swap_" : "";
  for (std::size_t i = 1; !kind.empty() && i < words.size() && i <= columns_.size(); ++i) {
    const std::string_view column = columns_[i - 1];
    if (column != "total" && column != "used" && column != "available") continue;
    if (const auto value = FreeCell(words[i], context.command))
      context.Number(std::string(kind) + std::string(column), *value, "bytes", line.cite);
  }
  return true;
}

bool TakeLimit(const ListingLine& line, ListingContext& context) {
  for (const LimitName& limit : kLimits) {
    // "Max open files            1024                 1048576              files": soft, then hard
    if (line.text.starts_with(limit.proc)) {
      const std::vector<std::string_view> words = Columns(line.text.substr(limit.proc.size()));
      const auto value = words.size() >= 2 ? LimitValue(words[0], 1) : std::nullopt;
      if (!value) return false;
      context.Number("limit." + std::string(limit.name), *value, std::string(limit.unit), line.cite);
      return true;
    }
  }
  // "open files                          (-n) 20000", "file size               (blocks, -f) unlimited"
  const std::size_t open = line.text.find(" (");
  const std::size_t close = line.text.find(") ", open == std::string_view::npos ? line.text.size() : open);
  if (close == std::string_view::npos || close < 2 || line.text[close - 2] != '-') return false;
  const std::vector<std::string_view> words = Columns(line.text.substr(close + 1));
  if (words.size() != 1) return false;
  const std::string_view inside = line.text.substr(open + 2, close - open - 2);
  const double scale = inside.starts_with("kbytes")      ? 1024
                       : inside.starts_with("512 bytes") ? 512
                       : inside.starts_with("blocks")    ? 1024
                                                         : 1;
  const auto value = LimitValue(words[0], scale);
  if (!value) return false;
  for (const LimitName& limit : kLimits) {
    if (line.text[close - 1] == limit.flag)
      context.Number("limit." + std::string(limit.name), *value, std::string(limit.unit), line.cite);
  }
  return true;
}

}  // namespace assay
