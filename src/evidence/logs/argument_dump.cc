// SPDX-License-Identifier: Apache-2.0
#include "evidence/logs/argument_dump.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "evidence/codecs/secret_filter.h"

namespace assay {
namespace {

constexpr std::array<std::string_view, 12> kTriggers{"Namespace(",  "Arguments(",    "SFTConfig(", "rgs: {",
                                                     "rguments: {", "rgs = {",       "onfig: {",   "rameters: {",
                                                     "arams: {",    " arguments --", "  --",       "Overriding config with "};
constexpr std::size_t kMaxLines = 2000;  // of one dump
constexpr std::size_t kMaxFacts = 4096;  // of one log
constexpr std::size_t kMaxValue = 4096;
constexpr int kMaxDepth = 8;

bool IsName(std::string_view name) {
  return !name.empty() && name.size() <= 200 && !IsDigit(name[0]) &&
         std::all_of(name.begin(), name.end(), [](char c) { return IsIdentifierChar(c) || c == '.' || c == '-' || c == '/'; });
}

std::string_view Unquoted(std::string_view text) {
  const bool quoted = text.size() > 1 && (text[0] == '\'' || text[0] == '"') && text.back() == text[0];
  return quoted ? text.substr(1, text.size() - 2) : text;
}

// Length of the Python value at the start of `text`: up to the comma or bracket that ends it. npos when neither comes.
std::size_t ValueLength(std::string_view text) {
  int depth = 0;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == '\\') ++i;
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      if (depth-- == 0) return i;
    } else if (c == ',' && depth == 0) {
      return i;
    }
  }
  return std::string_view::npos;
}

// "  learning_rate ................... 0.0003": name and value of Megatron's table.
std::optional<std::pair<std::string_view, std::string_view>> ParseTableRow(std::string_view text) {
  text = Trim(text);
  const std::size_t dots = text.find(" ..");
  if (dots == std::string_view::npos) return std::nullopt;
  const std::size_t value = text.find_first_not_of('.', dots + 1);
  const std::string_view name = text.substr(0, dots);
  if (!IsName(name) || (value != std::string_view::npos && text[value] != ' ')) return std::nullopt;
  return std::pair{name, value == std::string_view::npos ? std::string_view() : Trim(text.substr(value))};
}

// "max_iters = 4000  # about an epoch" of a configuration that is written in Python.
std::optional<std::pair<std::string_view, std::string_view>> ParseAssignment(std::string_view text) {
  const std::size_t equals = text.find(" = ");
  if (equals == std::string_view::npos || !IsName(text.substr(0, equals))) return std::nullopt;
  const std::string_view value = text.substr(equals + 3);
  return std::pair{text.substr(0, equals), Trim(value.substr(0, value.find(" #")))};
}

}  // namespace

std::span<const std::string_view> ArgumentDump::Triggers() { return kTriggers; }

void ArgumentDump::Push(const std::string& key, std::string_view value, const Citation& cite) {
  std::string kept = WithoutSecrets(key, value.substr(0, kMaxValue));
  if (seen_.size() == kMaxFacts || !seen_.insert(key + "=" + kept).second) return;
  facts_.Add(ConfigValue{.key = key, .value = std::move(kept), .origin = ConfigValue::Origin::kArguments, .cite = cite});
}

// "name=value, name=value)" or "'name': value, 'name': value}". Stops at the first thing that is no pair.
void ArgumentDump::Pairs(std::string_view text, char separator, const std::string& prefix, const Citation& cite, int depth) {
  while (!text.empty()) {
    text = Trim(text);
    const std::size_t at = text.find(separator);
    if (at == std::string_view::npos) return;
    const std::string_view name = Unquoted(Trim(text.substr(0, at)));
    if (!IsName(name)) return;
    text = Trim(text.substr(at + 1));
    const std::size_t length = ValueLength(text);
    if (length == std::string_view::npos) return;
    const std::string_view value = Trim(text.substr(0, length));
    const std::string key = prefix + std::string(name);
    if (value.starts_with('{') && value.size() > 2 && depth < kMaxDepth) {
      Pairs(value.substr(1), ':', key + ".", cite, depth + 1);
    } else if (value.starts_with("Namespace(") && depth < kMaxDepth) {
      Pairs(value.substr(10), '=', key + ".", cite, depth + 1);
    } else {
      Push(key, Unquoted(value), cite);
    }
    if (text[length] != ',') return;
    text.remove_prefix(length + 1);
  }
}

void ArgumentDump::Start(std::string_view text, const Citation& cite, std::optional<int> rank, bool complete) {
  lines_ = 0;
  rank_ = rank;
  for (const std::string_view call : {"Namespace(", "Arguments(", "SFTConfig("}) {
    const std::size_t at = text.find(call);
    if (at == std::string_view::npos) continue;
    const std::string_view inside = Trim(text.substr(at + call.size()));
    if (inside.empty() && complete && call != "Namespace(") {
      shape_ = Shape::kCall;
      return;
    }
    return Pairs(inside, '=', "args.", cite, 0);
  }
  // nanoGPT prints the file that it takes its settings from.
  if (text.starts_with("Overriding config with ")) {
    if (complete && Trim(text).ends_with(".py:")) shape_ = Shape::kAssignments;
    return;
  }
  if (text.find(" arguments --") != std::string_view::npos) {
    // "--- end of arguments ---" closes the table and opens none.
    if (complete && text.find("end of") == std::string_view::npos) shape_ = Shape::kTable;
    return;
  }
  if (const std::string_view option = Trim(text); option.starts_with("--") && IsSpace(text[0])) {
    const std::size_t blank = option.find(' ');
    if (blank == std::string_view::npos || !complete) return;
    const std::string_view name = option.substr(2, blank - 2);
    const std::string_view value = Trim(option.substr(blank));
    // A help text names a placeholder in capitals, or goes on with words.
    const bool placeholder =
        std::none_of(value.begin(), value.end(), [](char c) { return IsDigit(c) || (c >= 'a' && c <= 'z'); });
    if (IsName(name) && !placeholder && value.find(' ') == std::string_view::npos)
      Push("args." + std::string(name), Unquoted(value), cite);
    return;
  }
  const std::size_t brace = text.find('{');
  if (brace != std::string_view::npos) Pairs(text.substr(brace + 1), ':', "args.", cite, 0);
}

bool ArgumentDump::Line(std::string_view text, const Citation& cite, std::optional<int> rank, bool complete) {
  if (rank != rank_) return false;
  const std::string_view bare = Trim(text);
  const bool ends = bare == ")" || bare.find("end of arguments") != std::string_view::npos || ++lines_ > kMaxLines;
  if (ends) {
    shape_ = Shape::kNone;
    return true;
  }
  if (shape_ == Shape::kAssignments) {
    if (bare.empty() || bare.starts_with('#')) return true;
    const auto pair = ParseAssignment(text);
    if (pair && complete) Push("args." + std::string(pair->first), Unquoted(pair->second), cite);
    if (!pair) shape_ = Shape::kNone;
    return pair.has_value();
  }
  if (shape_ == Shape::kTable) {
    const auto row = ParseTableRow(text);
    if (row && complete) Push("args." + std::string(row->first), row->second, cite);
    if (!row) shape_ = Shape::kNone;
    return row.has_value();
  }
  const std::size_t equals = bare.find('=');
  if (equals == std::string_view::npos || !IsName(bare.substr(0, equals))) {
    shape_ = Shape::kNone;
    return false;
  }
  Pairs(bare, '=', "args.", cite, 0);
  return true;
}

}  // namespace assay
