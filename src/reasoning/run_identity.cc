// SPDX-License-Identifier: Apache-2.0
#include "reasoning/run_identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"

namespace assay {
namespace {

template <std::size_t N>
bool HasWord(std::string_view key, const std::array<std::string_view, N>& words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return key.find(word) != std::string_view::npos; });
}

}  // namespace

bool IsClassMap(std::string_view lower_key) {
  constexpr std::array<std::string_view, 5> kMaps{"label2id", "id2label", "class_to_idx", "class_to_index", "label_map"};
  return HasWord(lower_key, kMaps);
}

namespace {

// What a key of the configuration decides; nullopt: nothing about the result.
std::optional<DifferenceKind> KindOfKey(std::string_view key) {
  const std::string lower = ToLower(key);
  const std::string_view last = std::string_view(lower).substr(lower.find_last_of("./") + 1);
  if (IsClassMap(lower)) return std::nullopt;
  if (lower.starts_with("package.")) return DifferenceKind::kEnvironment;
  constexpr std::array<std::string_view, 8> kEnvironment{"torch_version", "python", "cuda_version",      "transformers_version",
                                                         "cudnn",         "driver", "framework_version", "docker"};
  if (HasWord(lower, kEnvironment)) return DifferenceKind::kEnvironment;
  constexpr std::array<std::string_view, 4> kCode{"commit", "git", "code_version", "revision"};
  if (HasWord(last, kCode)) return DifferenceKind::kCode;
  constexpr std::array<std::string_view, 26> kNoEffect{
      "path",   "dir",        "name", "output", "log",     "tag",  "_id",     "uuid",    "time", "date",  "port", "host",  "url",
      "resume", "checkpoint", "ckpt", "wandb",  "project", "note", "comment", "verbose", "save", "debug", "user", "email", "hub"};
  constexpr std::array<std::string_view, 5> kData{"data", "dataset", "train_file", "corpus", "snapshot"};
  if (last.find("seed") != std::string_view::npos) return DifferenceKind::kSeed;
  if (last.find("optimizer_name") != std::string_view::npos || last == "model_name" || last == "model_name_or_path")
    return DifferenceKind::kSetting;
  if (std::find(kData.begin(), kData.end(), last) != kData.end() || last.starts_with("data_hash") ||
      last.starts_with("dataset_name"))
    return DifferenceKind::kData;
  if (last == "id" || last == "run" || last == "exp" || HasWord(last, kNoEffect)) return std::nullopt;
  constexpr std::array<std::string_view, 9> kWorld{"world_size",    "n_gpu",  "num_gpus",  "ngpus",     "nproc",
                                                   "num_processes", "nnodes", "num_nodes", "local_rank"};
  if (HasWord(last, kWorld)) return last == "local_rank" ? std::nullopt : std::optional(DifferenceKind::kWorld);
  if (last == "device" || last == "gpu" || last == "gpus" || last == "gpu_type" || last == "devices")
    return DifferenceKind::kDevice;
  constexpr std::array<std::string_view, 7> kPrecision{"fp16", "bf16", "precision", "dtype", "amp", "tf32", "half"};
  if (HasWord(last, kPrecision)) return DifferenceKind::kPrecision;
  return DifferenceKind::kSetting;
}

struct Stated {
  std::string value;
  Citation cite;
  DifferenceKind kind;
};
using Settings = std::map<std::string, Stated>;

Settings SettingsOf(const FactView& facts) {
  Settings settings;
  for (const ConfigValue& value : facts.All<ConfigValue>()) {
    const auto kind = KindOfKey(value.key);
    if (kind) settings.insert_or_assign(value.key, Stated{std::string(Trim(value.value)), value.cite, *kind});
  }
  // What the log says of itself counts as well: the first line of each kind.
  struct Line {
    std::string_view signature;
    DifferenceKind kind;
  };
  constexpr std::array<Line, 4> kLines{Line{"seed-set", DifferenceKind::kSeed},
                                       Line{"library-versions", DifferenceKind::kEnvironment},
                                       Line{"device-model", DifferenceKind::kDevice}, Line{"world-size", DifferenceKind::kWorld}};
  for (const Line& line : kLines) {
    for (const SignatureHit* hit : facts.Hits(line.signature)) {
      for (const auto& [name, text] : hit->captures) {
        if (name == "rank" || name == "device" || name == "detr_rank" || text.empty()) continue;
        settings.insert({fmt::format("log: {} {}", line.signature, name), Stated{std::string(Trim(text)), hit->cite, line.kind}});
      }
    }
  }
  for (const GitState& git : facts.All<GitState>()) {
    if (!git.recorded_commit.empty())
      settings.insert_or_assign("recorded commit", Stated{git.recorded_commit, git.cite, DifferenceKind::kCode});
  }
  return settings;
}

bool SameValue(const std::string& a, const std::string& b) {
  if (a == b || EqualsIgnoreCase(a, b)) return true;
  const auto x = ParseNumber(a);
  const auto y = ParseNumber(b);
  return x && y && *x == *y;
}

bool IsWide(std::string_view value) {
  const std::string lower = ToLower(value);
  return lower.find("32") != std::string::npos || lower.find("bf16") != std::string::npos ||
         lower.find("bfloat16") != std::string::npos || lower == "false" || lower == "no" || lower == "full";
}

}  // namespace

Comparison Compare(const FactView& ours, const FactView& theirs) {
  Comparison comparison;
  const Settings mine = SettingsOf(ours);
  const Settings other = SettingsOf(theirs);
  bool decided = false;
  bool seeds_differ = false;
  for (const auto& [key, stated] : mine) {
    const auto found = other.find(key);
    if (found == other.end()) continue;
    if (SameValue(stated.value, found->second.value)) {
      const bool counts = stated.kind == DifferenceKind::kSetting || stated.kind == DifferenceKind::kPrecision ||
                          stated.kind == DifferenceKind::kSeed;
      comparison.common += counts ? 1U : 0U;
      if (stated.kind == DifferenceKind::kSeed && !comparison.seed) {
        comparison.seed = stated.value;
        comparison.seed_cite = stated.cite;
      }
      continue;
    }
    comparison.different.push_back({.kind = stated.kind,
                                    .key = key,
                                    .ours = stated.value,
                                    .theirs = found->second.value,
                                    .our_cite = stated.cite,
                                    .their_cite = found->second.cite,
                                    .is_precision = stated.kind == DifferenceKind::kPrecision});
    seeds_differ = seeds_differ || stated.kind == DifferenceKind::kSeed;
    decided = decided || stated.kind == DifferenceKind::kSetting || stated.kind == DifferenceKind::kPrecision ||
              stated.kind == DifferenceKind::kSeed;
  }
  // A setting that only one of two dumps of the same kind states was given to that run alone.
  std::size_t alone = 0;
  for (const auto& [key, stated] : other) {
    if (stated.kind == DifferenceKind::kSetting && (key.starts_with("args.") || key.starts_with("argv.")) && !mine.contains(key))
      ++alone;
  }
  if (seeds_differ) comparison.seed.reset();
  comparison.comparable = !decided && alone == 0;
  comparison.same_settings = comparison.comparable && comparison.common >= 3;
  return comparison;
}

bool NamesSayRepeat(std::string_view one, std::string_view other) {
  if (one == other) return false;
  std::size_t begin = 0;
  while (begin < one.size() && begin < other.size() && one[begin] == other[begin]) ++begin;
  while (begin > 0 && IsDigit(one[begin - 1])) --begin;  // "run12" and "run13" differ in a number, not in a digit
  std::size_t end = 0;
  while (end + begin < std::min(one.size(), other.size()) && one[one.size() - 1 - end] == other[other.size() - 1 - end]) ++end;
  const auto is_counter = [](std::string_view text) {
    const bool digits = text.size() <= 2 && std::all_of(text.begin(), text.end(), IsDigit);
    return !text.empty() && (digits || (text.size() == 1 && text[0] >= 'a' && text[0] <= 'z'));
  };
  if (!is_counter(one.substr(begin, one.size() - end - begin)) || !is_counter(other.substr(begin, other.size() - end - begin)))
    return false;
  std::string word = ToLower(one.substr(0, begin));
  while (!word.empty() && (word.back() == '_' || word.back() == '-' || word.back() == '.')) word.pop_back();
  constexpr std::array<std::string_view, 8> kRepeats{"run", "session", "repeat", "rerun", "rep", "replicate", "again", "repro"};
  return std::any_of(kRepeats.begin(), kRepeats.end(), [&](std::string_view repeat) {
    if (!word.ends_with(repeat)) return false;
    const std::size_t before = word.size() - repeat.size();
    return before == 0 || !IsIdentifierChar(word[before - 1]) || word[before - 1] == '_';
  });
}

bool SaysNarrow(const std::vector<Difference>& differences) {
  return std::any_of(differences.begin(), differences.end(),
                     [](const Difference& d) { return d.is_precision && IsWide(d.theirs) && !IsWide(d.ours); });
}

std::string Listed(const std::vector<Difference>& differences, DifferenceKind kind) {
  constexpr std::size_t kMost = 4;
  std::string text;
  std::size_t count = 0;
  for (const Difference& d : differences) {
    if (d.kind != kind) continue;
    if (++count > kMost) continue;
    text += fmt::format("{}{}={} against {}", text.empty() ? "" : ", ", Printable(d.key, 60), Printable(d.ours, 40),
                        Printable(d.theirs, 40));
  }
  if (count > kMost) text += fmt::format(" and {} more", count - kMost);
  return text;
}

}  // namespace assay
