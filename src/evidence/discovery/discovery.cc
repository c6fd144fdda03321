// SPDX-License-Identifier: Apache-2.0
#include "evidence/discovery/discovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <array>
#include <deque>
#include <iterator>
#include <map>
#include <set>

#include "base/text.h"
#include "evidence/discovery/run_naming.h"

namespace assay {
namespace {

constexpr std::size_t kMaxEntriesOfAFolder = 4000;
constexpr std::size_t kMaxEntries = 200000;
constexpr std::size_t kMaxDepth = 10;

struct Walk {
  const FileSystem& files;
  const std::string& root;
  ProjectScan& scan;
  std::vector<FoundFile> found;
  std::size_t entries = 0;
};

// One folder; its subfolders go into `queue`.
void List(Walk& walk, const std::string& folder, std::size_t depth, std::deque<std::pair<std::string, std::size_t>>& queue) {
  std::vector<DirectoryEntry> here;
  bool too_many = false;
  const auto status = walk.files.List(JoinPath(walk.root, folder), [&](const DirectoryEntry& entry) {
    ++walk.entries;
    here.push_back(entry);
    too_many = here.size() > kMaxEntriesOfAFolder;
    return !too_many;
  });
  if (!status.has_value()) {
    walk.scan.unreadable.push_back(fmt::format("{}: {}", folder.empty() ? "." : folder, status.error().reason));
    return;
  }
  if (too_many) {
    walk.scan.left_out.push_back(
        {folder.empty() ? "." : folder, fmt::format("more than {} entries: taken for a data set", kMaxEntriesOfAFolder)});
    if (!folder.empty()) return;
  }
  std::sort(here.begin(), here.end(), [](const DirectoryEntry& a, const DirectoryEntry& b) { return a.name < b.name; });
  for (const DirectoryEntry& entry : here) {
    const std::string path = folder.empty() ? entry.name : folder + "/" + entry.name;
    if (entry.kind == FileKind::kDirectory) {
      if (entry.is_link) continue;  // a link leads elsewhere or in a circle; its target is found where it lies
      if (IsNeverARun(entry.name)) {
        if (IsDataFolder(entry.name)) walk.scan.left_out.push_back({path, "named like a data set"});
        continue;
      }
      if (depth + 1 < kMaxDepth) queue.emplace_back(path, depth + 1);
    } else if (entry.kind == FileKind::kFile && IsArtifactName(path)) {
      if (entry.is_link && entry.name.find("latest") != std::string::npos) continue;
      const auto info = walk.files.Stat(JoinPath(walk.root, path));
      if (info.has_value()) walk.found.push_back({path, info->size, info->modified});
    }
  }
}

std::string MakeId(std::string_view text) {
  std::string id;
  for (const char c : text) id += IsIdentifierChar(c) || c == '.' || c == '-' ? c : '-';
  while (id.starts_with('-')) id.erase(0, 1);
  if (id.size() > 80) id.resize(80);
  return id.empty() ? "run" : id;
}

bool HasRecord(const FoundRun& run) {
  return std::any_of(run.files.begin(), run.files.end(), [](const FoundFile& f) { return NameSaysRecord(f.path); });
}

// A folder of weights below a run with a log is a part of that run: "outputs/lm/final" of "outputs/lm".
void JoinWeights(std::map<std::string, FoundRun>& runs) {
  for (auto it = runs.begin(); it != runs.end();) {
    FoundRun* above = nullptr;
    for (auto& [key, other] : runs) {
      if (HasRecord(it->second) || other.folder.empty() || !it->second.folder.starts_with(other.folder + "/") ||
          !HasRecord(other))
        continue;
      if (above == nullptr || other.folder.size() > above->folder.size()) above = &other;
    }
    if (above == nullptr) {
      ++it;
      continue;
    }
    for (FoundFile& file : it->second.files) above->files.push_back(std::move(file));
    it = runs.erase(it);
  }
}

// A folder of the project with nothing but scripts, "ci" or "launch", is no run of its own: they tell how the runs were started.
void ShareScripts(std::map<std::string, FoundRun>& runs, std::vector<FoundFile>& shared) {
  for (auto it = runs.begin(); it != runs.end();) {
    std::vector<FoundFile>& files = it->second.files;
    const bool top = it->second.folder.find('/') == std::string::npos;
    const bool scripts = std::all_of(files.begin(), files.end(), [](const FoundFile& f) { return NameSaysScript(f.path); });
    if (!top || !scripts || runs.size() == 1) {
      ++it;
      continue;
    }
    std::move(files.begin(), files.end(), std::back_inserter(shared));
    it = runs.erase(it);
  }
}

// A log in the project's own folder and one folder with results, written within a day of each other, are one run.
void JoinTheOnlyRun(std::vector<FoundRun>& runs) {
  constexpr double kDay = 86400;
  if (runs.size() != 2 || runs[0].folder.empty() == runs[1].folder.empty()) return;
  if (std::abs(runs[0].last_write - runs[1].last_write) > kDay || runs[0].evaluation_only != runs[1].evaluation_only) return;
  const std::size_t root = runs[0].folder.empty() ? 0 : 1;
  FoundRun& kept = runs[root];
  const FoundRun& other = runs[1 - root];
  kept.files.insert(kept.files.end(), other.files.begin(), other.files.end());
  std::sort(kept.files.begin(), kept.files.end(), [](const FoundFile& a, const FoundFile& b) { return a.path < b.path; });
  kept.files.erase(
      std::unique(kept.files.begin(), kept.files.end(), [](const FoundFile& a, const FoundFile& b) { return a.path == b.path; }),
      kept.files.end());
  kept.last_write = std::max(kept.last_write, other.last_write);
  runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(1 - root));
}

}  // namespace

Result<ProjectScan> ScanProject(const FileSystem& files, const std::string& root) {
  ASSAY_TRY(const FileInfo info, files.Stat(root));
  ProjectScan scan;
  if (info.kind == FileKind::kFile) {
    const std::string name(BaseName(root));
    scan.runs.push_back(
        {.id = MakeId(name), .folder = "", .files = {{name, info.size, info.modified}}, .last_write = info.modified});
    return scan;
  }
  if (info.kind != FileKind::kDirectory) {
    return Error{.kind = ErrorKind::kUnsupported,
                 .message = "cannot look for runs",
                 .where = root,
                 .reason = "neither a folder nor a file"};
  }
  Walk walk{files, root, scan, {}};
  std::deque<std::pair<std::string, std::size_t>> queue{{"", 0}};
  while (!queue.empty()) {
    const auto [folder, depth] = queue.front();
    queue.pop_front();
    if (walk.entries > kMaxEntries) {
      scan.left_out.push_back(
          {folder, fmt::format("{} entries were looked at before; give the run's own folder to look further", kMaxEntries)});
      break;
    }
    List(walk, folder, depth, queue);
  }
  std::sort(walk.found.begin(), walk.found.end(), [](const FoundFile& a, const FoundFile& b) { return a.path < b.path; });

  std::map<std::string, FoundRun> by_key;
  std::vector<FoundFile> companions;
  for (FoundFile& file : walk.found) {
    const RunKey key = KeyOfPath(file.path);
    if (key.kind == RunKey::Kind::kShared) {
      scan.shared.push_back(std::move(file));
    } else if (key.kind == RunKey::Kind::kCompanion) {
      companions.push_back(std::move(file));
    } else {
      FoundRun& run = by_key[key.folder + "\n" + key.attempt];
      if (run.id.empty())
        run.id = MakeId(!key.name.empty() ? key.name : key.folder.empty() ? BaseName(root) : std::string_view(key.folder));
      run.folder = key.folder;
      run.files.push_back(std::move(file));
    }
  }
  JoinWeights(by_key);
  ShareScripts(by_key, scan.shared);
  for (auto& [key, run] : by_key) {
    for (const FoundFile& file : run.files) run.last_write = std::max(run.last_write, file.modified);
    run.evaluation_only =
        std::all_of(run.files.begin(), run.files.end(), [](const FoundFile& f) { return NameSaysEvaluation(f.path); });
    scan.runs.push_back(std::move(run));
  }
  // A file beside several runs tells something about each: a listing, a note.
  for (const FoundFile& file : companions) {
    const std::string folder(ParentPath(file.path));
    for (FoundRun& run : scan.runs) {
      if (folder.empty() || run.folder == folder || run.folder.starts_with(folder + "/") || scan.runs.size() == 1)
        run.files.push_back(file);
    }
    if (scan.runs.empty()) scan.shared.push_back(file);
  }
  JoinTheOnlyRun(scan.runs);
  std::stable_sort(scan.runs.begin(), scan.runs.end(), [](const FoundRun& a, const FoundRun& b) {
    if (a.evaluation_only != b.evaluation_only) return b.evaluation_only;
    if (HasRecord(a) != HasRecord(b)) return HasRecord(a);
    if (a.last_write != b.last_write) return a.last_write > b.last_write;
    return a.id > b.id;  // written in the same instant: the higher number is the later one
  });
  std::set<std::string> taken;
  for (FoundRun& run : scan.runs) {
    std::string id = run.id;
    for (int n = 2; !taken.insert(id).second; ++n) id = fmt::format("{}-{}", run.id, n);
    run.id = id;
  }
  return scan;
}

Result<ChosenRun> ChooseRun(const ProjectScan& scan, std::string_view wanted) {
  if (scan.runs.empty()) {
    Error error{.kind = ErrorKind::kNotFound,
                .message = "no run found",
                .reason = "no log, metric file or checkpoint lies here",
                .help = "give the folder or the log file of the run: assay PATH"};
    error.notes.push_back(
        "looked for *.log, *.out, *.err, events.out.tfevents.*, *.wandb, trainer_state.json, metrics*.csv, *.jsonl, checkpoints, "
        "in all subfolders");
    for (const LeftOut& left : scan.left_out) error.notes.push_back(fmt::format("left out: {} ({})", left.path, left.why));
    for (const std::string& folder : scan.unreadable) error.notes.push_back("could not be listed: " + folder);
    return error;
  }
  if (wanted.empty()) {
    const FoundRun& run = scan.runs.front();
    return ChosenRun{&run, scan.runs.size() == 1
                               ? "the only run here"
                               : fmt::format("the newest of {} runs; `assay list runs` shows them", scan.runs.size())};
  }
  while (wanted.ends_with('/')) wanted.remove_suffix(1);
  std::vector<const FoundRun*> matches;
  for (const FoundRun& run : scan.runs) {
    const bool by_path = run.folder == wanted ||
                         std::any_of(run.files.begin(), run.files.end(), [&](const FoundFile& f) { return f.path == wanted; });
    if (run.id == wanted || by_path) return ChosenRun{&run, "asked for"};
    if (run.id.starts_with(wanted)) matches.push_back(&run);
  }
  if (matches.size() == 1) return ChosenRun{matches.front(), "asked for"};
  Error error{.kind = matches.empty() ? ErrorKind::kNotFound : ErrorKind::kInvalidArgument,
              .message = fmt::format("{} '{}'", matches.empty() ? "no run is called" : "more than one run starts with",
                                     Printable(wanted, 80))};
  constexpr std::size_t kShown = 10;
  for (const FoundRun& run : scan.runs) {
    const bool near = matches.empty() || std::find(matches.begin(), matches.end(), &run) != matches.end();
    if (near && error.notes.size() < kShown) error.notes.push_back("there is " + run.id);
  }
  error.help = "`assay list runs` shows every run";
  return error;
}

}  // namespace assay
