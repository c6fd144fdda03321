// SPDX-License-Identifier: Apache-2.0
#include "case/ledger.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/hash.h"
#include "case/state_folder.h"
#include "platform/file_system.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr std::uint64_t kLargestLedger = std::uint64_t{256} << 20U;

Error Cannot(std::string what, const std::string& where, int number) {
  return {.kind = ErrorKind::kUnreadable, .message = std::move(what), .where = where, .reason = std::strerror(number)};
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  int get() const { return number_; }

 private:
  int number_;
};

// Opens for writing what is a file and not a link to one: a link could lead the writing anywhere.
Result<Descriptor> OpenOwnFile(const std::string& path) {
  Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644));
  if (file.get() < 0) return Cannot("cannot write a file of the case", path, errno);
  struct stat info{};
  if (fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return Error{.kind = ErrorKind::kUnsupported,
                 .message = "cannot write a file of the case",
                 .where = path,
                 .reason = "something that is no regular file has its name"};
  }
  return file;
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

// A folder inside the state folder; never one that a link of this name leads to.
Status MakeFolderInside(const std::string& path) {
  if (mkdir(path.c_str(), 0755) == 0) return Ok();
  const int number = errno;
  struct stat info{};
  if (number == EEXIST && lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return Ok();
  return Cannot("cannot make a folder for the case", path, number == EEXIST ? ENOTDIR : number);
}

Status SyncFolder(const std::string& path) {
  const Descriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0 || (fsync(folder.get()) != 0 && errno != EINVAL && errno != EROFS))
    return Cannot("cannot sync a folder of the case", path, errno);
  return Ok();
}

// The state folder, with what keeps it out of version control, and the case's folder in it.
Status MakeFolders(const std::string& state, const std::string& case_folder) {
  std::error_code error;
  fs::create_directories(state, error);
  if (error) return Cannot("cannot make a folder for the case", state, error.value());
  ASSAY_TRY_STATUS(MakeFolderInside(state + "/cases"));
  ASSAY_TRY_STATUS(MakeFolderInside(case_folder));
  const std::string path = state + "/.gitignore";
  ASSAY_TRY(const Descriptor ignore, OpenOwnFile(path));
  struct stat info{};
  if (fstat(ignore.get(), &info) == 0 && info.st_size == 0) return WriteAll(ignore.get(), "*\n", path);
  return Ok();
}

// An open ledger that no other assay writes to until it is closed.
Result<Descriptor> OpenLocked(const std::string& path) {
  constexpr int kTries = 300;  // of 10 ms: a writer needs two syncs
  for (int i = 0; i < kTries; ++i) {
    ASSAY_TRY(Descriptor file, OpenOwnFile(path));
    if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK && errno != EINTR) return Cannot("cannot lock the ledger", path, errno);
      usleep(10000);
      continue;
    }
    // Another one may have set this file aside before the lock was ours.
    struct stat here{};
    struct stat named{};
    if (fstat(file.get(), &here) == 0 && lstat(path.c_str(), &named) == 0 && here.st_ino == named.st_ino) return file;
  }
  return Error{.kind = ErrorKind::kUnreadable,
               .message = "cannot lock the ledger",
               .where = path,
               .reason = "another assay has been writing this case for seconds"};
}

// Gives a ledger that is none, or whose chain is broken, another name, where it stays readable.
Status SetAside(const std::string& path) {
  for (int n = 1;; ++n) {
    const std::string kept = fmt::format("{}.broken-{}", path, n);
    struct stat info{};
    if (lstat(kept.c_str(), &info) == 0) continue;
    if (rename(path.c_str(), kept.c_str()) != 0) return Cannot("cannot set a broken ledger aside", path, errno);
    return Ok();
  }
}

std::string HashOf(std::string_view before, std::string_view kind, std::string_view body) {
  return Sha256Hex(fmt::format("{}\n{}\n{}", before, kind, body));
}

std::string Text(const Json& body) { return body.dump(-1, ' ', false, Json::error_handler_t::replace); }

// Every line has this form to the byte, so that the hash is of what stands there and not of what a parser makes of it.
constexpr std::string_view kBeforeKind = R"({"kind":")";
constexpr std::string_view kBeforeBody = R"(","body":)";
constexpr std::string_view kBeforeHash = R"(,"hash":")";
constexpr std::string_view kAfterHash = R"("})";
constexpr std::size_t kHashLength = 64;

class Chain {
 public:
  explicit Chain(std::string last) : last_(std::move(last)) {}
  std::string Line(std::string_view kind, std::string_view body) {
    last_ = HashOf(last_, kind, body);
    return fmt::format("{}{}{}{}{}{}{}\n", kBeforeKind, kind, kBeforeBody, body, kBeforeHash, last_, kAfterHash);
  }

 private:
  std::string last_;
};

std::optional<LedgerEntry> ParseLine(std::string_view line) {
  if (!line.starts_with(kBeforeKind) || !line.ends_with(kAfterHash)) return std::nullopt;
  line.remove_prefix(kBeforeKind.size());
  line.remove_suffix(kAfterHash.size());
  const std::size_t kind_end = line.find('"');
  if (line.size() < kHashLength + kBeforeHash.size() || kind_end == std::string_view::npos) return std::nullopt;
  const std::string_view kind = line.substr(0, kind_end);
  const std::string_view hash = line.substr(line.size() - kHashLength);
  std::string_view body = line.substr(kind_end, line.size() - kHashLength - kind_end);
  if (!body.starts_with(kBeforeBody) || !body.ends_with(kBeforeHash) || body.size() < kBeforeBody.size() + kBeforeHash.size())
    return std::nullopt;
  body.remove_prefix(kBeforeBody.size());
  body.remove_suffix(kBeforeHash.size());
  return LedgerEntry{.kind = std::string(kind), .body = std::string(body), .hash = std::string(hash)};
}

// What supports the claims, then the claims: evidence is on disk before the verdict that rests on it.
Status Append(const Descriptor& file, const std::string& path, std::string last, const Report& report,
              const std::string& record) {
  Chain chain(std::move(last));
  const Json whole = Json::parse(record, nullptr, false);
  std::string text = chain.Line("case", Text({{"id", report.case_id}, {"run", report.run.id}, {"project", report.run.project}}));
  const Json& evidence = whole["report"]["evidence"];
  for (std::size_t i = 0; i < evidence.size(); ++i) {
    Json body = evidence[i];
    body.update(whole["extra"]["evidence"][i]);
    text += chain.Line("evidence", Text(body));
  }
  for (const Json& finding : whole["report"]["findings"]) text += chain.Line("finding", Text(finding));
  for (const Json& hypothesis : whole["report"]["hypotheses"]) text += chain.Line("hypothesis", Text(hypothesis));
  ASSAY_TRY_STATUS(WriteAll(file.get(), text, path));
  if (fsync(file.get()) != 0) return Cannot("cannot sync the ledger", path, errno);
  std::string claims = chain.Line("verdict", Text({{"verdict", report.verdict}, {"cause", whole["report"]["cause"]}}));
  claims += chain.Line("report", record);
  ASSAY_TRY_STATUS(WriteAll(file.get(), claims, path));
  if (fsync(file.get()) != 0) return Cannot("cannot sync the ledger", path, errno);
  return Ok();
}

}  // namespace

Result<std::string> WriteCase(const std::string& state_folder, const Report& report) {
  if (state_folder.empty()) {
    return Error{.kind = ErrorKind::kNotFound,
                 .message = "the case was not kept",
                 .reason = "the project takes no state, and neither HOME nor XDG_STATE_HOME names an absolute path",
                 .help = "name a folder with --state FOLDER"};
  }
  const std::string folder = fmt::format("{}/cases/{}", state_folder, report.case_id);
  ASSAY_TRY_STATUS(MakeFolders(state_folder, folder));
  const std::string path = folder + "/ledger.jsonl";
  const std::string record = ReportToRecord(report);
  for (;;) {
    ASSAY_TRY(const Descriptor file, OpenLocked(path));
    ASSAY_TRY(const ReadLedger known, ReadLedgerFile(path));
    if (!known.chain_holds) {
      ASSAY_TRY_STATUS(SetAside(path));
      continue;
    }
    // A half-written last line was never acknowledged: writing was ended there.
    if (known.cut && ftruncate(file.get(), static_cast<off_t>(known.whole_bytes)) != 0)
      return Cannot("cannot take a half-written line off the ledger", path, errno);
    if (!known.entries.empty() && known.entries.back().kind == "report" && known.entries.back().body == record) return folder;
    const auto status = Append(file, path, known.entries.empty() ? std::string() : known.entries.back().hash, report, record);
    if (!status.has_value()) {
      // What is there of it says nothing; where even this fails, the next writing finds a cut line or entries without a report.
      (void)!ftruncate(file.get(), static_cast<off_t>(known.whole_bytes));
      return status.error();
    }
    if (!known.entries.empty()) return folder;
    for (const std::string& made : {folder, state_folder + "/cases", state_folder}) ASSAY_TRY_STATUS(SyncFolder(made));
    return folder;
  }
}

Result<ReadLedger> ReadLedgerFile(const std::string& path) {
  const RealFileSystem files;
  ASSAY_TRY(const std::string content, ReadWholeFile(files, path, kLargestLedger));
  ReadLedger ledger;
  std::string last;
  while (ledger.whole_bytes < content.size()) {
    const std::size_t end = content.find('\n', ledger.whole_bytes);
    if (end == std::string::npos) {
      ledger.cut = true;
      break;
    }
    auto entry = ParseLine(std::string_view(content).substr(ledger.whole_bytes, end - ledger.whole_bytes));
    // A second writing of the same case starts a chain at the entry before, the first one at nothing.
    if (!entry || HashOf(last, entry->kind, entry->body) != entry->hash) {
      ledger.chain_holds = false;
      ledger.broken_because =
          fmt::format("entry {} {}", ledger.entries.size() + 1, entry ? "does not match its hash" : "is no entry of a ledger");
      break;
    }
    ledger.whole_bytes = end + 1;
    last = entry->hash;
    ledger.entries.push_back(std::move(*entry));
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
               .reason = ledger.chain_holds ? "it was ended before the report was written"
                                            : "the chain of its ledger is broken: " + ledger.broken_because,
               .help = "run `assay` again; the case is made anew from the same evidence"};
}

}  // namespace assay
