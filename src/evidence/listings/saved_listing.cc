// SPDX-License-Identifier: Apache-2.0
#include "evidence/listings/saved_listing.h"

#include <algorithm>
#include <array>

#include "evidence/codecs/byte_stream.h"

namespace assay {

bool SniffSavedListing(std::string_view head, ListingKind kind) {
  // Every table has one of these words in or near its head; most files hold none, and are not looked at further.
  constexpr std::array<std::string_view, 21> kWords{
      "NVIDIA-SMI", "(UUID: ",    "utilization.", "memory.used",  "power.draw", "clocks",         "# gpu",
      "% /",        "Filesystem", "PID",          "Mem:",         "MemTotal:",  "Max open files", "(-n)",
      "JobID",      "JobId=",     "Job ID: ",     "temperature.", "JOBID",      "READY",          "NVSMI LOG"};
  if (std::none_of(kWords.begin(), kWords.end(),
                   [&](std::string_view word) { return head.find(word) != std::string_view::npos; }))
    return false;
  const ListingSurvey survey = SurveyListing(head);
  return survey.IsListing() && survey.first == kind;
}

void ReadSavedListing(const RandomAccessFile& file, SourceId source, std::string_view path, LogReader& logs, FactStore& facts) {
  const auto stream = OpenStream(file);
  const ListingSurvey survey = ReadListing(*stream, source, path, facts);
  // A remark or two between the tables say nothing; more lines may be the run's own, between readings that it takes of itself.
  if (survey.foreign <= 2 || survey.known == 0) return;
  const auto again = OpenStream(file);
  logs.Read(*again, source, {}, facts);
}

}  // namespace assay
