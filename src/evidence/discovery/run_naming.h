// SPDX-License-Identifier: Apache-2.0
#pragma once

// What names and paths say: which files may be artifacts, which folders cannot hold runs, and to which run a path belongs.

#include <string>
#include <string_view>

namespace assay {

// Folders that are never looked into: version control, environments, caches, data sets.
bool IsNeverARun(std::string_view folder_name);
bool IsDataFolder(std::string_view folder_name);

// The file may be an artifact: a log, metrics, configuration, checkpoint, saved listing. Source code and data are not.
bool IsArtifactName(std::string_view path);

// By its name the file tells how the run went: a log or metrics, no weights, configuration or listing.
bool NameSaysRecord(std::string_view path);

// By its name the file is what a program printed or an event file: nothing that a data set holds as well.
bool NameSaysLog(std::string_view path);

// Every subfolder of such a folder may be a run.
bool IsRunShelf(std::string_view folder_name);

// By its name the file is a job or launch script.
bool NameSaysScript(std::string_view path);

bool NameSaysEvaluation(std::string_view path);

struct RunKey {
  enum class Kind {
    kRun,        // this file is part of the run `folder` (and `attempt` of it, where one folder holds several)
    kCompanion,  // says something about the runs of its folder without being one: a listing, a note
    kShared,     // configuration, job and environment files
  };
  Kind kind = Kind::kRun;
  std::string folder;   // relative to the project, "" for the project itself
  std::string attempt;  // job id or number that tells runs of one folder apart; empty for most
  std::string name;     // the id that it already has (wandb, MLflow, Slurm); empty: by folder
};
RunKey KeyOfPath(std::string_view path);

}  // namespace assay
