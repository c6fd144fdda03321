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

constexpr std::size_t kCrowded = 4000;      // from here on only what is named like a record of a run, and what a shelf holds
constexpr std::size_t kOverfull = 20000;    // a folder of more entries is a data set
constexpr std::size_t kMostOfAll = 200000;  // entries in all folders
constexpr std::size_t kMostOfRoot = 1000000;
constexpr std::size_t kMaxDepth = 10;
constexpr std::size_t kMostCompanions = 64;  // listings of one folder

struct Walk {
  const FileSystem& files;
  const std::string& root;
  ProjectScan& scan;
  std::vector<FoundFile> found;
  std::size_t entries = 0;
};

std::string PathIn(const std::string& folder, const std::string& name) { return folder.empty() ? name : folder + "/" + name; }
std::string Shown(const std::string& folder) { return folder.empty() ? "." : folder; }

// Takes one file, or says why it is none although it has the name of one.
void Take(Walk& walk, const std::string& path, const DirectoryEntry& entry) {
  if (entry.is_link && entry.name.find("latest") != std::string::npos) return;
  const auto info = walk.files.Stat(JoinPath(walk.root, path));
  if (!info.has_value()) {
    const bool nowhere = entry.is_link && info.error().kind == ErrorKind::kNotFound;
    walk.scan.left_out.push_back({path, nowhere ? "a link that leads nowhere" : info.error().reason});
  } else if (info->kind == FileKind::kFile) {
    walk.found.push_back({path, info->size, info->modified});
  } else if (info->kind == FileKind::kOther) {
    walk.scan.left_out.push_back({path, "neither a file nor a folder: a pipe, a socket or a device"});
  }
}

// One folder; its subfolders go into `queue`.
void List(Walk& walk, const std::string& folder, std::size_t depth, std::deque<std::pair<std::string, std::size_t>>& queue) {
  const std::size_t most = folder.empty() ? kMostOfRoot : kOverfull;
  std::vector<DirectoryEntry> here;
  std::size_t count = 0;
  const auto status = walk.files.List(JoinPath(walk.root, folder), [&](const DirectoryEntry& entry) {
    if (entry.kind == FileKind::kDirectory || IsArtifactName(PathIn(folder, entry.name))) here.push_back(entry);
    return ++count <= most;
  });
  walk.entries += std::min(count, kOverfull);
  if (!status.has_value()) {
    walk.scan.unreadable.push_back(fmt::format("{}: {}", Shown(folder), status.error().reason));
    return;
  }
  if (count > most && !folder.empty()) {
    walk.scan.left_out.push_back({folder, fmt::format("more than {} entries: taken for a data set", most)});
    return;
  }
  if (count > kCrowded) {
    const bool shelf = IsRunShelf(BaseName(folder.empty() ? walk.root : folder));
    std::erase_if(here, [&](const DirectoryEntry& entry) {
      return entry.kind == FileKind::kDirectory ? !shelf : !NameSaysLog(entry.name);
    });
    walk.scan.left_out.push_back(
        {Shown(folder), fmt::format("more than {} entries: only what is named like a log{} was looked at", kCrowded,
                                    shelf ? " or may be a run's folder" : "")});
  }
  std::sort(here.begin(), here.end(), [](const DirectoryEntry& a, const DirectoryEntry& b) { return a.name < b.name; });
  for (const DirectoryEntry& entry : here) {
    const std::string path = PathIn(folder, entry.name);
    if (entry.kind != FileKind::kDirectory) {
      Take(walk, path, entry);
      continue;
    }
    if (entry.is_link) continue;  // a link leads elsewhere or in a circle; its target is found where it lies
    if (IsNeverARun(entry.name)) {
      if (IsDataFolder(entry.name)) walk.scan.left_out.push_back({path, "named like a data set"});
    } else if (depth + 1 < kMaxDepth) {
      queue.emplace_back(path, depth + 1);
    } else {
      walk.scan.left_out.push_back({path, fmt::format("{} folders deep; give the run's own folder to look further", kMaxDepth)});
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
  std::map<std::string_view, FoundRun*> recorded;  // by folder, the first of each
  for (auto& [key, run] : runs) {
    if (!run.folder.empty() && HasRecord(run)) recorded.emplace(run.folder, &run);
  }
  for (auto it = runs.begin(); it != runs.end();) {
    auto above = recorded.end();
    if (!HasRecord(it->second)) {
      std::string_view folder = ParentPath(it->second.folder);
      for (; !folder.empty() && above == recorded.end(); folder = ParentPath(folder)) above = recorded.find(folder);
    }
    if (above == recorded.end()) {
      ++it;
      continue;
    }
    for (FoundFile& file : it->second.files) above->second->files.push_back(std::move(file));
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
    if (walk.entries > kMostOfAll) {
      scan.left_out.push_back(
          {Shown(folder),
           fmt::format("{} entries were looked at before; give the run's own folder to look further", kMostOfAll)});
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
  std::map<std::string, std::size_t> companions_in;
  for (const FoundFile& file : companions) {
    const std::string folder(ParentPath(file.path));
    if (++companions_in[folder] > kMostCompanions) {
      if (companions_in[folder] == kMostCompanions + 1)
        scan.left_out.push_back({file.path, fmt::format("the folder holds {} saved listings before it", kMostCompanions)});
      continue;
    }
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
  std::map<std::string, int> next_number;
  for (FoundRun& run : scan.runs) {
    const std::string id = run.id;
    int& n = next_number.emplace(id, 2).first->second;
    while (!taken.insert(run.id).second) run.id = fmt::format("{}-{}", id, n++);
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
