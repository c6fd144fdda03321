// SPDX-License-Identifier: Apache-2.0
#pragma once

// How lines stand to the end of the run. The same words are an end, a handled exception, history of a former attempt or noise at
// shut-down, depending on what follows and on who printed them; everything that reads an end asks here first.

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "evidence/facts/fact_store.h"

namespace assay {

enum class Standing {
  kEnd,            // nothing of this attempt follows: the end, or a part of it
  kSurvived,       // the run went on with steps
  kFormerAttempt,  // a restart or a resume follows: the last attempt decides
  kCaught,         // an exception that the program handled, ignored or only warned about
  kAfterResults,   // clean-up noise after the results were complete
};

// What an exception says about its own process.
enum class ExceptionKind {
  kOwn,       // something went wrong here
  kReport,    // this process reports that a part of it failed: a killed worker, an asynchronous device error
  kFollower,  // a launcher or a peer reports that somebody else failed first
};
ExceptionKind KindOf(const Traceback& traceback);

// The line says that the training reached its end. One that counts ("finished 40 of 40 epochs") says so only of all of them.
bool AnnouncesEnd(const SignatureHit& hit);

// The code that raised was reading a checkpoint: a loader of weights whose lines speak of a checkpoint, a state or a resume.
bool ReadsCheckpoint(const Traceback& traceback);

// "ModuleNotFoundError: …": the line of an exception, as Python or somebody's handler prints it.
bool IsExceptionText(std::string_view quote);

// Valid as long as the store of its view.
class RunEnd {
 public:
  explicit RunEnd(const FactView& facts);

  Standing Of(const SignatureHit& hit) const;
  Standing Of(const Traceback& traceback) const;

  // Exceptions that nobody caught and that ended the last attempt, without those that led to another one: what failed first
  // stands first, reports and followers after what they report.
  const std::vector<const Traceback*>& uncaught() const { return uncaught_; }
  const Traceback* first() const { return uncaught_.empty() ? nullptr : uncaught_.front(); }
  // `last` and the exceptions that led to it, in printed order.
  std::vector<const Traceback*> Chain(const Traceback& last) const;
  // The traceback whose block or message holds this line; nullptr when none does.
  const Traceback* Holding(const Citation& cite) const;
  // The line belongs to the exception that failed first, or to one that led to it.
  bool InFirst(const Citation& cite) const;

  // The rank that the launcher names as the first to fail.
  std::optional<int> root_rank() const { return root_rank_; }
  // An attempt starts or resumes after this place of its log.
  bool NewAttemptAfter(const Citation& cite, std::optional<int> rank) const;
  // Where the results were complete, in each source; nothing of the training follows.
  std::optional<std::uint64_t> ResultsAt(SourceId source) const;
  // Some log of the run announces the end of its training, and nothing of a training follows.
  bool TrainingFinished() const { return !results_.empty(); }

 private:
  const SignatureHit* Results(SourceId source) const;
  Standing Place(const Citation& cite, std::optional<int> rank) const;
  bool IsFormerSource(SourceId source) const;
  bool WrittenLongAfter(const SignatureHit& hit) const;
  bool GoesOnToCut(const Traceback& traceback) const;
  bool FinishedElsewhere(SourceId source) const;
  bool OnlyFlushedBelow(const Citation& cite) const;
  bool HandledBefore(const Traceback& traceback, const std::vector<const Traceback*>& list) const;
  void ReadChains();
  void ReadRootRank();
  std::uint64_t LinesOf(SourceId source) const;

  FactView facts_;
  std::vector<const SignatureHit*> begins_;              // where an attempt starts or resumes
  std::map<SourceId, const SignatureHit*> results_;      // the announced end of the training
  std::map<const Traceback*, const Traceback*> led_to_;  // next of the chain
  std::map<const Traceback*, Standing> standing_;        // of the last of each chain
  std::vector<const Traceback*> uncaught_;
  std::optional<int> root_rank_;
};

}  // namespace assay
