// SPDX-License-Identifier: Apache-2.0
#pragma once

// The ledger of one case: an append-only file of JSON lines under <state>/cases/<case-id>/ledger.jsonl, each chained to the one
// before by SHA-256. Greppable, and whatever was acknowledged survives a kill at any byte: an entry is acknowledged once it is
// synced to disk, and a half-written last line is not an entry.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "case/report.h"

namespace assay {

struct LedgerEntry {
  std::string kind;  // "case", "evidence", "finding", "hypothesis", "verdict", "report"
  std::string body;  // JSON, one line
  std::string hash;
};

// Writes the case and returns its folder; several may write at once. A case that is already there with the same report is left as
// it is. What a crash left half-written is taken off; a ledger whose chain is broken is set aside as ledger.jsonl.broken-N.
Result<std::string> WriteCase(const std::string& state_folder, const Report& report);

struct ReadLedger {
  std::vector<LedgerEntry> entries;
  bool chain_holds = true;
  std::string broken_because;     // "entry 12 does not match its hash"
  bool cut = false;               // the last line is half-written: a crash while writing, no tampering
  std::uint64_t whole_bytes = 0;  // where the last entry that holds ends
};
Result<ReadLedger> ReadLedgerFile(const std::string& path);

// `wanted` is a case id, a unique prefix of one, or the path of a case folder. Returns the folder.
Result<std::string> FindCaseFolder(const std::string& project, const std::string& override_folder, std::string_view wanted);
// The report that the ledger keeps last.
Result<Report> ReadCaseReport(const std::string& case_folder);

}  // namespace assay
