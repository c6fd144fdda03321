// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/command_line.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "platform/file_system.h"

namespace assay {
namespace {

constexpr std::size_t kMaxWords = 4096;

bool IsOperatorChar(char c) { return c == '|' || c == '&' || c == ';' || c == '>' || c == '<'; }

bool IsOptionName(std::string_view name) {
  return !name.empty() && !IsDigit(name[0]) &&
         std::all_of(name.begin(), name.end(), [](char c) { return IsIdentifierChar(c) || c == '-' || c == '.' || c == '/'; });
}

// "--lr", "-n", not "-1" and not "-".
bool IsOption(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && !IsDigit(word[1]) && word[1] != '.' && word != "--";
}

template <std::size_t N>
bool IsOneOf(std::string_view word, const std::array<std::string_view, N>& list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool IsLauncher(std::string_view word) {
  constexpr std::array<std::string_view, 14> kLaunchers{"torchrun", "accelerate", "deepspeed",     "srun",     "mpirun",
                                                        "mpiexec",  "horovodrun", "ray",           "composer", "axolotl",
                                                        "yolo",     "lightning",  "fairseq-train", "jsrun"};
  const std::string_view name = BaseName(word);
  if (IsOneOf(name, kLaunchers)) return true;
  return name.starts_with("python") && name.size() <= 10 && name.find_first_not_of("0123456789.", 6) == std::string_view::npos;
}

}  // namespace

std::vector<CommandWord> SplitCommand(std::string_view line) {
  std::vector<CommandWord> words;
  std::size_t i = 0;
  while (i < line.size() && words.size() < kMaxWords) {
    if (IsSpace(line[i])) {
      ++i;
      continue;
    }
    if (line[i] == '#') break;
    CommandWord word{.begin = i};
    if (IsOperatorChar(line[i])) {
      while (i < line.size() && IsOperatorChar(line[i])) word.text.push_back(line[i++]);
      word.operator_sign = true;
    } else {
      char quote = 0;
      for (; i < line.size() && (quote != 0 || (!IsSpace(line[i]) && !IsOperatorChar(line[i]))); ++i) {
        const char c = line[i];
        if (quote == 0 && (c == '"' || c == '\'')) {
          quote = c;
        } else if (quote != 0 && c == quote) {
          quote = 0;
        } else if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
          word.text.push_back(line[++i]);
        } else {
          word.text.push_back(c);
        }
      }
      // "2>&1": the digit belongs to the redirection.
      if (i < line.size() && (line[i] == '>' || line[i] == '<') && word.text.size() == 1 && IsDigit(word.text[0]))
        word.operator_sign = true;
    }
    word.end = i;
    words.push_back(std::move(word));
  }
  return words;
}

std::vector<CommandOption> OptionsOf(std::span<const CommandWord> words) {
  std::vector<CommandOption> options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const CommandWord& word = words[i];
    if (word.operator_sign) continue;
    std::string_view name = word.text;
    const bool dashed = IsOption(name);
    while (dashed && name.starts_with('-')) name.remove_prefix(1);
    const std::size_t equals = name.find('=');
    if (equals != std::string_view::npos) {
      std::string_view key = name.substr(0, equals);
      while (!dashed && key.starts_with('+')) key.remove_prefix(1);  // hydra: "+key" adds, "++key" forces
      if (IsOptionName(key)) options.push_back({std::string(key), std::string(name.substr(equals + 1)), word.begin, word.end});
      continue;
    }
    if (!dashed || !IsOptionName(name)) continue;
    CommandOption option{.name = std::string(name), .begin = word.begin, .end = word.end};
    // Several values ("--betas 0.9 0.999") are one text, as far as they are no file of the command itself.
    std::size_t next = i + 1;
    while (next < words.size() && !words[next].operator_sign && !IsOption(words[next].text)) {
      if (next > i + 1 && !ParseNumber(words[next].text)) break;
      if (!option.value.empty()) option.value.push_back(' ');
      option.value += words[next].text;
      option.end = words[next].end;
      ++next;
    }
    // "python -u train.py", "-m package": the program is no value of the flag before it.
    if (next == i + 2 && (option.name == "u" || option.value.ends_with(".py"))) {
      option.value.clear();
      option.end = word.end;
    } else {
      i = next - 1;
    }
    options.push_back(std::move(option));
  }
  return options;
}

std::span<const CommandWord> LaunchPart(std::span<const CommandWord> words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].operator_sign || !IsLauncher(words[i].text)) continue;
    std::size_t end = i;
    while (end < words.size() && !words[end].operator_sign) ++end;
    // `python -c '…'` and `python --version` ask something; they train nothing.
    const bool asks = i + 1 < end && (words[i + 1].text == "-c" || words[i + 1].text == "--version" || words[i + 1].text == "-V");
    if (!asks && end > i + 1) return words.subspan(i, end - i);
    i = end;
  }
  return {};
}

}  // namespace assay
