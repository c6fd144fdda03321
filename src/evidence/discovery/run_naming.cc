// SPDX-License-Identifier: Apache-2.0
#include "evidence/discovery/run_naming.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/text.h"
#include "platform/file_system.h"

namespace assay {
namespace {

template <std::size_t N>
bool OneOf(std::string_view name, const std::array<std::string_view, N>& list) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// Folders whose every subfolder is a run of its own.
constexpr std::array<std::string_view, 12> kRunShelves{"runs",     "outputs", "output",         "experiments",
                                                       "exps",     "exp",     "lightning_logs", "work_dirs",
                                                       "multirun", "results", "logs",           "checkpoints"};
// Scripts, configuration and notes: what starts a run and tells nothing of how it went.
constexpr std::array<std::string_view, 12> kSetupExtensions{".sh",   ".sbatch", ".slurm", ".job", ".pbs", ".lsf",
                                                            ".yaml", ".yml",    ".toml",  ".cfg", ".ini", ".md"};
// Subfolders that belong to the run above them.
constexpr std::array<std::string_view, 20> kPartsOfARun{
    "files",   "logs",     "log",      "tb",      "tensorboard", "tb_logs", ".hydra",    "checkpoints", "ckpt",   "ckpts",
    "weights", "vis_data", "csv_logs", "metrics", "params",      "tags",    "artifacts", "tmp",         "config", "configs"};

bool IsPartOfARun(std::string_view name) {
  return OneOf(name, kPartsOfARun) || name.starts_with("checkpoint-") || name.starts_with("global_step") ||
         name.starts_with("iter_") || name.starts_with("attempt_") ||
         (!name.empty() && std::all_of(name.begin(), name.end(), IsDigit) && name.size() <= 3);
}

// "train.log.1", "train.log.gz", "train_rank3.log" and "node0.log" are parts of "train.log"; "slurm-123.out" is job 123.
std::string_view WithoutCompression(std::string_view name) {
  for (const std::string_view suffix : {".gz", ".zst", ".zstd"}) {
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  }
  return name;
}

// The digits after the last '-' of "slurm-123.out", "slurm-123_4.out" (array member 4 of 123), "job.o123", "train-8812.err".
std::optional<std::string> JobId(std::string_view name) {
  for (const std::string_view prefix : {"slurm-", "job-", "job_"}) {
    if (!name.starts_with(prefix)) continue;
    std::size_t n = prefix.size();
    while (n < name.size() && (IsDigit(name[n]) || name[n] == '_')) ++n;
    if (n > prefix.size()) return std::string(name.substr(prefix.size(), n - prefix.size()));
  }
  return std::nullopt;
}

// Runs of one folder that differ only in a number: "run1.log", "run2.log"; ranks and rotations do not count.
std::string NumberOfRun(std::string_view name) {
  const std::string lower = ToLower(name);
  for (const std::string_view word : {"run", "seed", "trial", "attempt", "session", "exp"}) {
    std::size_t at = lower.find(word);
    if (at == std::string::npos) continue;
    at += word.size();
    if (at < lower.size() && (lower[at] == '_' || lower[at] == '-')) ++at;
    std::size_t end = at;
    while (end < lower.size() && IsDigit(lower[end])) ++end;
    // "run_a.log" and "run_b.log" count with letters.
    const bool parted = at > 0 && (lower[at - 1] == '_' || lower[at - 1] == '-');
    if (end == at && parted && at < lower.size() && lower[at] >= 'a' && lower[at] <= 'z' &&
        (at + 1 == lower.size() || lower[at + 1] == '.'))
      end = at + 1;
    if (end > at) return std::string(word) + lower.substr(at, end - at);
  }
  return {};
}

bool IsListing(std::string_view name) {
  constexpr std::array<std::string_view, 16> kWords{"nvidia-smi", "nvidia_smi", "df",   "quota", "dmesg",  "sacct",
                                                    "scontrol",   "kubectl",    "free", "ps",    "ulimit", "journal",
                                                    "lscpu",      "env",        "top",  "docker"};
  const std::string lower = ToLower(name);
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view w) {
    return lower.starts_with(w) && (lower.size() == w.size() || !IsIdentifierChar(lower[w.size()]) || lower[w.size()] == '_');
  });
}

// The extension of "train.o12345" and "train.e12345", as PBS and SGE name them.
// "train.o12345" and "train.e12345" of PBS and SGE, and "train.INFO", which absl's and Google's loggers keep pointing at the log
// of all levels.
bool IsOutputOfLauncher(std::string_view extension) {
  if (extension == ".INFO") return true;
  return extension.size() > 2 && (extension[1] == 'o' || extension[1] == 'e') &&
         std::all_of(extension.begin() + 2, extension.end(), IsDigit);
}

}  // namespace

bool IsDataFolder(std::string_view name) {
  constexpr std::array<std::string_view, 9> kNames{"data",        "dataset",  "datasets", "images", "labels",
                                                   "annotations", "imagenet", "coco",     "corpus"};
  return OneOf(ToLower(name), kNames);
}

bool IsNeverARun(std::string_view name) {
  constexpr std::array<std::string_view, 13> kNames{
      ".git",          ".assay", ".venv",       "venv",          "node_modules",       "__pycache__",
      "site-packages", ".cache", ".mypy_cache", ".pytest_cache", ".ipynb_checkpoints", ".idea",
      ".vscode"};
  return OneOf(name, kNames) || IsDataFolder(name);
}

bool IsArtifactName(std::string_view path) {
  const std::string_view name = WithoutCompression(BaseName(path));
  constexpr std::array<std::string_view, 35> kExtensions{
      ".log", ".out", ".err",   ".txt",    ".stdout", ".stderr", ".json",        ".jsonl", ".ndjson", ".yaml", ".yml",   ".toml",
      ".csv", ".tsv", ".wandb", ".pt",     ".pth",    ".ckpt",   ".safetensors", ".bin",   ".h5",     ".hdf5", ".keras", ".npz",
      ".npy", ".db",  ".sh",    ".sbatch", ".slurm",  ".job",    ".pbs",         ".lsf",   ".distcp", ".cfg",  ".ini"};
  const std::string_view extension = Extension(name);
  if (OneOf(ToLower(extension), kExtensions)) return true;
  if (name.starts_with("events.out.tfevents") || name.find(".log.") != std::string_view::npos) return true;
  if (extension == ".md") return path.find("docs/ops/runs/") != std::string_view::npos;
  constexpr std::array<std::string_view, 7> kBare{"log", "stdout", "stderr", "nohup.out", "latest", "METADATA", ".metadata"};
  if (extension.empty()) return OneOf(name, kBare) || path.find("mlruns/") != std::string_view::npos || IsListing(name);
  return IsOutputOfLauncher(extension) || name.starts_with("log.");
}

bool NameSaysScript(std::string_view path) {
  constexpr std::array<std::string_view, 6> kExtensions{".sh", ".sbatch", ".slurm", ".job", ".pbs", ".lsf"};
  return OneOf(Extension(BaseName(path)), kExtensions);
}

bool NameSaysRecord(std::string_view path) {
  const std::string_view name = WithoutCompression(BaseName(path));
  constexpr std::array<std::string_view, 11> kExtensions{".log",    ".out", ".err", ".stdout", ".stderr", ".jsonl",
                                                         ".ndjson", ".csv", ".tsv", ".wandb",  ".db"};
  const std::string extension = ToLower(Extension(name));
  if (OneOf(std::string_view(extension), kExtensions) || name.starts_with("events.out.tfevents") || name == "trainer_state.json")
    return true;
  if (extension == ".txt" || extension.empty() || name.find(".log.") != std::string_view::npos || name.starts_with("log."))
    return !IsListing(name);
  return IsOutputOfLauncher(extension);
}

bool NameSaysLog(std::string_view path) {
  const std::string_view name = WithoutCompression(BaseName(path));
  constexpr std::array<std::string_view, 6> kExtensions{".log", ".out", ".err", ".stdout", ".stderr", ".wandb"};
  const std::string_view extension = Extension(name);
  return OneOf(ToLower(extension), kExtensions) || IsOutputOfLauncher(extension) || name.starts_with("events.out.tfevents") ||
         name.find(".log.") != std::string_view::npos || name.starts_with("log.");
}

bool IsRunShelf(std::string_view folder_name) {
  return OneOf(folder_name, kRunShelves) || folder_name == "wandb" || folder_name == "mlruns";
}

bool NameSaysEvaluation(std::string_view path) {
  const std::string lower = ToLower(BaseName(path));
  return lower.find("eval") != std::string::npos || lower.starts_with("test") || lower.starts_with("infer") ||
         lower.starts_with("predict");
}

RunKey KeyOfPath(std::string_view path) {
  const std::string_view name = WithoutCompression(BaseName(path));
  const std::vector<std::string_view> parts = Split(path, '/');
  const std::size_t folders = parts.size() - 1;
  const auto prefix = [&](std::size_t count) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) out += (i == 0 ? "" : "/") + std::string(parts[i]);
    return out;
  };
  for (std::size_t i = 0; i < folders; ++i) {
    if (parts[i] == "wandb" && i + 1 < folders &&
        (parts[i + 1].starts_with("run-") || parts[i + 1].starts_with("offline-run-"))) {
      return {.folder = prefix(i + 2), .name = std::string(parts[i + 1].substr(parts[i + 1].rfind('-') + 1))};
    }
    if (parts[i] == "mlruns" && i + 2 < folders) return {.folder = prefix(i + 3), .name = std::string(parts[i + 2])};
  }
  if (path.starts_with("docs/") || path.starts_with("jobs/") || path.starts_with("configs/") || path.starts_with("conf/") ||
      path.starts_with("config/") || path.starts_with("scripts/") || path.starts_with(".github/") ||
      (folders > 0 && parts[0].ends_with("_configs"))) {
    return {.kind = RunKey::Kind::kShared};
  }
  // From the outside in: a shelf's subfolder is a run, unless it is itself a shelf by date ("outputs/2026-01-01/12-00-00").
  std::size_t depth = 0;
  for (std::size_t i = 0; i + 1 <= folders; ++i) {
    if (IsPartOfARun(parts[i]) && !(OneOf(parts[i], kRunShelves) && i == 0)) break;
    depth = i + 1;
    if (i == 0 && OneOf(parts[i], kRunShelves) && folders == 1)
      depth = 0;  // a file directly on the shelf belongs to the project's run
  }
  RunKey key{.folder = prefix(depth)};
  if (key.folder == "logs" || key.folder == "log" || key.folder == "output" || key.folder == "checkpoints") key.folder.clear();
  if (const auto job = JobId(name)) {
    key.attempt = "job" + *job;
    key.name = *job;
    return key;
  }
  if (IsListing(name)) return {.kind = RunKey::Kind::kCompanion};
  const std::string_view extension = Extension(name);
  if (key.folder.empty() && OneOf(extension, kSetupExtensions)) return {.kind = RunKey::Kind::kShared};
  if (key.folder.empty() &&
      (name.starts_with("requirements") || name == "config.json" || name == "args.json" || name == "package.json")) {
    return {.kind = RunKey::Kind::kShared};
  }
  key.attempt = NumberOfRun(name);
  if (!key.attempt.empty()) key.name = (key.folder.empty() ? "" : key.folder + "-") + std::string(name.substr(0, name.find('.')));
  return key;
}

}  // namespace assay
