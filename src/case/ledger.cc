// SPDX-License-Identifier: Apache-2.0
#include "case/ledger.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "platform/file_system.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

Error Cannot(std::string what, const std::string& where, int number) {
  return {.kind = ErrorKind::kUnreadable, .message = std::move(what), .where = where, .reason = std::strerror(number)};
}

Status WriteAll(int descriptor, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t n = write(descriptor, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Cannot("cannot write the case", path, errno);
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return Ok();
}

// Written beside and renamed, so that a reader never sees half of it.
Status WriteWhole(const std::string& path, std::string_view text) {
  const std::string beside = fmt::format("{}.{}.tmp", path, getpid());
  const int descriptor = open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) return Cannot("cannot write a file of the case", beside, errno);
  auto status = WriteAll(descriptor, text, beside);
  if (status.has_value() && fsync(descriptor) != 0) status = Cannot("cannot write a file of the case", beside, errno);
  close(descriptor);
  if (!status.has_value()) return status;
  if (rename(beside.c_str(), path.c_str()) != 0) return Cannot("cannot write a file of the case", path, errno);
  return Ok();
}

Status MakeFolder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return Cannot("cannot make a folder for the case", path, error.value());
  return Ok();
}

class Chain {
 public:
  explicit Chain(std::string last) : last_(std::move(last)) {}
  std::string Line(std::string_view kind, const Json& body) {
    const std::string text = body.dump(-1, ' ', false, Json::error_handler_t::replace);
    last_ = Sha256Hex(fmt::format("{}\n{}\n{}", last_, kind, text));
    return fmt::format("{{\"kind\":\"{}\",\"body\":{},\"hash\":\"{}\"}}\n", kind, text, last_);
  }

 private:
  std::string last_;
};

bool Mine(const std::string& path) {
  struct stat info{};
  return stat(path.c_str(), &info) == 0 && info.st_uid == geteuid() && access(path.c_str(), W_OK) == 0;
}

std::string UserState(const std::string& project) {
  std::error_code error;
  const std::string real = fs::weakly_canonical(project, error).string();
  const char* xdg = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  const std::string base =
      xdg != nullptr && *xdg == '/' ? std::string(xdg) : std::string(home == nullptr ? "/tmp" : home) + "/.local/state";
  return base + "/assay/" + Sha256Hex(real).substr(0, 16);
}

std::string FolderOfProject(const std::string& project) {
  std::error_code error;
  return fs::is_directory(project, error) ? project : std::string(ParentPath(project).empty() ? "." : ParentPath(project));
}

}  // namespace

std::vector<std::string> StateFolders(const std::string& project, const std::string& override_folder) {
  if (!override_folder.empty()) return {override_folder};
  const std::string folder = FolderOfProject(project);
  return {JoinPath(folder, ".assay"), UserState(folder)};
}

std::string StateFolder(const std::string& project, const std::string& override_folder) {
  const std::vector<std::string> folders = StateFolders(project, override_folder);
  if (folders.size() == 1) return folders.front();
  return Mine(FolderOfProject(project)) ? folders[0] : folders[1];
}

Result<std::string> WriteCase(const std::string& state_folder, const Report& report) {
  const std::string folder = fmt::format("{}/cases/{}", state_folder, report.case_id);
  ASSAY_TRY_STATUS(MakeFolder(folder));
  const std::string ignore = state_folder + "/.gitignore";
  std::error_code error;
  if (!fs::exists(ignore, error)) ASSAY_TRY_STATUS(WriteWhole(ignore, "*\n"));
  const std::string path = folder + "/ledger.jsonl";
  const std::string record = ReportToRecord(report);
  std::string last;
  if (fs::exists(path, error)) {
    ASSAY_TRY(const ReadLedger known, ReadLedgerFile(path));
    if (known.chain_holds && !known.cut && !known.entries.empty() && known.entries.back().kind == "report" &&
        Json::parse(known.entries.back().body, nullptr, false) == Json::parse(record, nullptr, false)) {
      return folder;
    }
    if (known.cut || !known.chain_holds) {
      // What was written before a crash stays readable beside the new ledger.
      for (int n = 1;; ++n) {
        const std::string kept = fmt::format("{}.broken-{}", path, n);
        if (fs::exists(kept, error)) continue;
        if (rename(path.c_str(), kept.c_str()) != 0) return Cannot("cannot set a broken ledger aside", path, errno);
        break;
      }
    } else if (!known.entries.empty()) {
      last = known.entries.back().hash;
    }
  }
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor < 0) return Cannot("cannot open the ledger", path, errno);
  Chain chain(last);
  const Json whole = Json::parse(record, nullptr, false);
  std::string text = chain.Line("case", {{"id", report.case_id}, {"run", report.run.id}, {"project", report.run.project}});
  const Json& evidence = whole["report"]["evidence"];
  for (std::size_t i = 0; i < evidence.size(); ++i) {
    Json body = evidence[i];
    body.update(whole["extra"]["evidence"][i]);
    text += chain.Line("evidence", body);
  }
  for (const Json& finding : whole["report"]["findings"]) text += chain.Line("finding", finding);
  for (const Json& hypothesis : whole["report"]["hypotheses"]) text += chain.Line("hypothesis", hypothesis);
  auto status = WriteAll(descriptor, text, path);
  // Evidence is on disk before the verdict that rests on it.
  if (status.has_value() && fsync(descriptor) != 0) status = Cannot("cannot sync the ledger", path, errno);
  if (status.has_value()) {
    std::string claims = chain.Line("verdict", {{"verdict", report.verdict}, {"cause", whole["report"]["cause"]}});
    claims += chain.Line("report", whole);
    status = WriteAll(descriptor, claims, path);
  }
  if (status.has_value() && fsync(descriptor) != 0) status = Cannot("cannot sync the ledger", path, errno);
  close(descriptor);
  if (!status.has_value()) return std::move(status).error();
  return folder;
}

Result<ReadLedger> ReadLedgerFile(const std::string& path) {
  const RealFileSystem files;
  ASSAY_TRY(const std::string content, ReadWholeFile(files, path, std::uint64_t{256} << 20U));
  ReadLedger ledger;
  std::string last;
  std::size_t begin = 0;
  while (begin < content.size()) {
    const std::size_t end = content.find('\n', begin);
    if (end == std::string::npos) {
      ledger.cut = true;
      break;
    }
    const Json line = Json::parse(content.begin() + static_cast<std::ptrdiff_t>(begin),
                                  content.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
    begin = end + 1;
    const auto broken = [&](std::string_view why) {
      ledger.chain_holds = false;
      ledger.broken_because = fmt::format("entry {} {}", ledger.entries.size() + 1, why);
    };
    if (line.is_discarded() || !line.contains("kind") || !line.contains("body") || !line.contains("hash") ||
        !line["kind"].is_string() || !line["hash"].is_string()) {
      broken("is no entry of a ledger");
      break;
    }
    LedgerEntry entry{
        .kind = line["kind"], .body = line["body"].dump(-1, ' ', false, Json::error_handler_t::replace), .hash = line["hash"]};
    // A second writing of the same case starts a chain at the entry before, the first one at nothing.
    if (Sha256Hex(fmt::format("{}\n{}\n{}", last, entry.kind, entry.body)) != entry.hash) {
      broken("does not match its hash");
      break;
    }
    last = entry.hash;
    ledger.entries.push_back(std::move(entry));
  }
  return ledger;
}

Result<std::string> FindCaseFolder(const std::string& project, const std::string& override_folder, std::string_view wanted) {
  std::error_code error;
  const std::string as_path(wanted);
  if (!as_path.empty() && fs::exists(as_path + "/ledger.jsonl", error)) return as_path;
  std::vector<std::string> matches;
  std::vector<std::string> all;
  for (const std::string& state : StateFolders(project, override_folder)) {
    for (fs::directory_iterator it(state + "/cases", error), end; !error && it != end; it.increment(error)) {
      const std::string id = it->path().filename().string();
      all.push_back(id);
      if (!wanted.empty() && id.starts_with(wanted)) matches.push_back(it->path().string());
    }
  }
  if (matches.size() == 1) return matches.front();
  Error failure{
      .kind = matches.empty() ? ErrorKind::kNotFound : ErrorKind::kInvalidArgument,
      .message = fmt::format("{} '{}'", matches.empty() ? "no case is called" : "more than one case starts with", wanted),
      .help = "a case is named in the last line of a report; `assay` makes one"};
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < std::min<std::size_t>(all.size(), 10); ++i) failure.notes.push_back("there is " + all[i]);
  return failure;
}

Result<Report> ReadCaseReport(const std::string& case_folder) {
  ASSAY_TRY(const ReadLedger ledger, ReadLedgerFile(case_folder + "/ledger.jsonl"));
  for (std::size_t i = ledger.entries.size(); i-- > 0;) {
    if (ledger.entries[i].kind == "report") return ReportFromRecord(ledger.entries[i].body);
  }
  return Error{.kind = ErrorKind::kMalformed,
               .message = "the case holds no report",
               .where = case_folder,
               .reason = "it was ended before the report was written",
               .help = "run `assay` again; the case is made anew from the same evidence"};
}

}  // namespace assay
