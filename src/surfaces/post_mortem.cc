// SPDX-License-Identifier: Apache-2.0
#include "surfaces/post_mortem.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <optional>

#include "base/text.h"
#include "case/build_report.h"
#include "case/state_folder.h"
#include "evidence/discovery/gather.h"
#include "evidence/probing/run_probes.h"
#include "evidence/ties/run_ties.h"

namespace assay {
namespace {

// One line on a terminal's stderr, rewritten, once reading has taken longer than two seconds.
class ProgressLine {
 public:
  explicit ProgressLine(const Session& session) : session_(session), started_(std::chrono::steady_clock::now()) {}
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() {
    if (shown_) std::fputs("\r\x1b[K", session_.err);
  }
  void Show(std::string_view path, std::uint64_t done, std::uint64_t total) {
    if (!session_.err_is_terminal || std::chrono::steady_clock::now() - started_ < std::chrono::seconds(2)) return;
    const std::string line = fmt::format("\r\x1b[Kreading {} ({} of {})", Printable(path, 40),
                                         FormatBytes(static_cast<double>(done)), FormatBytes(static_cast<double>(total)));
    std::fputs(line.c_str(), session_.err);
    std::fflush(session_.err);
    shown_ = true;
  }

 private:
  const Session& session_;
  std::chrono::steady_clock::time_point started_;
  bool shown_ = false;
};

}  // namespace

std::string AbsolutePath(const std::string& path) {
  std::error_code error;
  std::filesystem::path absolute = std::filesystem::absolute(path, error);
  if (error) return path;
  std::string text = absolute.lexically_normal().string();
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

std::unique_ptr<UserSignatures> ReadUserSignatures(const FileSystem& files, const std::string& project,
                                                   const std::string& state) {
  auto signatures = std::make_unique<UserSignatures>();
  for (const std::string& folder : StateFolders(project, state)) {
    const bool inside = folder.starts_with(project + "/");
    signatures->Load(files, JoinPath(folder, "signatures"),
                     JoinPath(inside ? std::string_view(folder).substr(project.size() + 1) : folder, "signatures"));
  }
  return signatures;
}

Result<Evidence> Gather(const Session& session, const PostMortemRequest& request) {
  const std::string root = AbsolutePath(request.project);
  ASSAY_TRY(const ProjectScan scan, ScanProject(session.files, root));
  auto chosen = ChooseRun(scan, request.run);
  if (!chosen.has_value()) {
    Error error = std::move(chosen).error();
    error.where = request.project;
    return error;
  }
  Evidence evidence{.signatures = ReadUserSignatures(session.files, root, request.state),
                    .facts = std::make_unique<FactStore>(),
                    .run_id = chosen->run->id,
                    .chosen_because = chosen->why};
  FactStore& facts = *evidence.facts;
  std::optional<LogReader> with_own;
  if (!evidence.signatures->all().empty()) with_own.emplace(evidence.signatures->all());
  LogReader& logs = with_own ? *with_own : LogReader::Shared();
  for (const UserSignatures::Refused& refused : evidence.signatures->refused()) facts.AddNotChecked(refused.path, refused.why);
  {
    ProgressLine progress(session);
    const GatherOptions options{.logs = logs, .progress = [&](std::string_view path, std::uint64_t done, std::uint64_t total) {
                                  progress.Show(path, done, total);
                                }};
    evidence.unreadable = GatherRun(session.files, root, scan, *chosen->run, options, facts);
    GatherSiblings(session.files, root, scan, *chosen->run, logs, facts);
  }
  RunTies ties = DeriveRunTies(FactView(facts), root);
  if (!request.pid.empty()) ties.pids.push_back({.value = request.pid, .said = "--pid"});
  TieSavedEvidence(ties, facts);
  if (session.probe_machine && request.probes) RunProbes({.files = session.files, .project = root, .ties = ties}, facts);
  return evidence;
}

Result<PostMortem> Examine(const Session& session, const PostMortemRequest& request) {
  ASSAY_TRY(const Evidence evidence, Gather(session, request));
  const FactView view(*evidence.facts);
  const Diagnosis diagnosis = Diagnose(view);
  return PostMortem{.report = BuildReport({.run_id = evidence.run_id,
                                           .project = request.project,
                                           .chosen_because = evidence.chosen_because,
                                           .mode = request.mode},
                                          view, diagnosis, session.files),
                    .unreadable = evidence.unreadable};
}

}  // namespace assay
