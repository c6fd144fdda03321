// SPDX-License-Identifier: Apache-2.0
#pragma once

// The ledger of one case: an append-only file of JSON lines under <state>/cases/<case-id>/ledger.jsonl, each chained to the one
// before by SHA-256. Greppable, and whatever was acknowledged survives a kill at any byte: an entry is acknowledged once it is
// synced to disk, and a half-written last line is not an entry.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "case/report.h"

namespace assay {

// Where the state of a project lies: <project>/.assay, or a folder under the user's state directory where the project cannot be
// written or is another user's, or `override` if it is not empty. Nothing is created by asking.
std::string StateFolder(const std::string& project, const std::string& override_folder);
// Both places, existing or not, in the order in which they are looked at.
std::vector<std::string> StateFolders(const std::string& project, const std::string& override_folder);

struct LedgerEntry {
  std::string kind;  // "case", "evidence", "finding", "hypothesis", "verdict", "report"
  std::string body;  // JSON, one line
  std::string hash;
};

// Writes the case and returns its folder. A case that is already there, whole and with the same report, is left as it is.
Result<std::string> WriteCase(const std::string& state_folder, const Report& report);

struct ReadLedger {
  std::vector<LedgerEntry> entries;
  bool chain_holds = true;
  std::string broken_because;  // "entry 12 does not match its hash"
  bool cut = false;            // the last line is half-written: a crash while writing, no tampering
};
Result<ReadLedger> ReadLedgerFile(const std::string& path);

// `wanted` is a case id, a unique prefix of one, or the path of a case folder. Returns the folder.
Result<std::string> FindCaseFolder(const std::string& project, const std::string& override_folder, std::string_view wanted);
// The report that the ledger keeps last.
Result<Report> ReadCaseReport(const std::string& case_folder);

}  // namespace assay
