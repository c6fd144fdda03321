// SPDX-License-Identifier: Apache-2.0
#pragma once

// The only meeting point of what reads and what reasons. Formats and probes push facts into a FactStore; rules see a FactView,
// which cannot read files, run processes or look at the clock. A kind of fact is a struct of facts/vocabulary/ and one line in
// FactLists below.

#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "evidence/facts/metric_table.h"
#include "evidence/facts/source.h"
#include "evidence/facts/vocabulary/config.h"
#include "evidence/facts/vocabulary/files.h"
#include "evidence/facts/vocabulary/log.h"
#include "evidence/facts/vocabulary/machine.h"

namespace assay {

using FactLists = std::tuple<std::vector<SignatureHit>, std::vector<Traceback>, std::vector<LaunchFailure>,
                             std::vector<ProgressBar>, std::vector<LogShape>, std::vector<ConfigValue>, std::vector<NoteField>,
                             std::vector<CheckpointFile>, std::vector<RunFile>, std::vector<Reading>, std::vector<ProcessSeen>,
                             std::vector<SchedulerRecord>, std::vector<GitState>>;

class FactView;
struct SiblingRun;

class FactStore {
 public:
  FactStore();
  ~FactStore();
  FactStore(FactStore&&) noexcept;
  FactStore& operator=(FactStore&&) noexcept;

  // One that is there already, with the same path, kind and captured text, is not added again.
  SourceId AddSource(Source source);
  // The source with this path, made by AddSource before.
  Source& source(SourceId id) { return (*sources_)[static_cast<std::size_t>(id)]; }

  template <class T>
  T& Add(T fact) {
    auto& list = std::get<std::vector<T>>(lists_);
    list.push_back(std::move(fact));
    return list.back();
  }
  template <class T>
  std::vector<T>& Mutable() {
    return std::get<std::vector<T>>(lists_);
  }
  // Stays where it is while the store lives.
  MetricTable& AddTable(SourceId source, std::string_view writer);
  std::deque<MetricTable>& tables() { return tables_; }
  void AddAnomaly(Anomaly anomaly) { anomalies_.push_back(std::move(anomaly)); }
  void AddNotChecked(std::string what, std::string why) { not_checked_.push_back({std::move(what), std::move(why)}); }
  // Another run of the same project, to compare with. Its sources are numbered with this store's own.
  FactStore& AddSibling(std::string run_id);

 private:
  friend class FactView;
  // Shared between a store and its siblings, so that a citation means the same wherever it is read.
  std::shared_ptr<std::vector<Source>> sources_;
  FactLists lists_;
  std::deque<MetricTable> tables_;
  std::vector<Anomaly> anomalies_;
  std::vector<NotChecked> not_checked_;
  std::vector<std::unique_ptr<SiblingRun>> siblings_;
};

struct SiblingRun {
  std::string id;
  FactStore facts;
};

// Read-only; borrows the store.
class FactView {
 public:
  explicit FactView(const FactStore& store) : store_(&store) {}

  template <class T>
  std::span<const T> All() const {
    return std::get<std::vector<T>>(store_->lists_);
  }
  const std::deque<MetricTable>& tables() const { return store_->tables_; }
  std::span<const Anomaly> anomalies() const { return store_->anomalies_; }
  std::span<const NotChecked> not_checked() const { return store_->not_checked_; }
  std::span<const Source> sources() const { return *store_->sources_; }
  const Source& source(SourceId id) const { return (*store_->sources_)[static_cast<std::size_t>(id)]; }
  // Other runs of the project that were read for comparison, newest first. Rules that do not compare runs never look at them.
  std::span<const std::unique_ptr<SiblingRun>> siblings() const { return store_->siblings_; }

  // All hits of one signature, or of every signature that establishes one finding, in order of the store.
  std::vector<const SignatureHit*> Hits(std::string_view signature) const;
  std::vector<const SignatureHit*> HitsFor(std::string_view finding) const;

  // Configured values whose last key component is `name` (case, '-' and '_' do not matter), effective ones first: arguments
  // over metadata over files.
  std::vector<const ConfigValue*> Config(std::string_view name) const;
  // The first of them, or of the first of `names` that has one; nullptr when none.
  const ConfigValue* FirstConfig(std::span<const std::string_view> names) const;

 private:
  const FactStore* store_;
};

}  // namespace assay
