// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "evidence/codecs/byte_stream.h"
#include "evidence/codecs/lenient_json.h"
#include "evidence/codecs/line_reader.h"
#include "evidence/codecs/system_time.h"
#include "evidence/formats/format.h"
#include "evidence/logs/log_reader.h"

// What a person keeps of a container's end: `kubectl describe pod` (text), `kubectl get pod -o json`, `docker inspect` (JSON).
// Each gives a SchedulerRecord for the pod and for every state and last state of a container; the state is the reason where one
// is said
// ("OOMKilled", "Evicted", "Error"). The job is "POD" or "POD/CONTAINER".

namespace assay::formats {
namespace {

constexpr std::size_t kMaxRecords = 2000;

std::string Short(std::string_view text) { return std::string(Trim(text).substr(0, 256)); }

// What is collected about one state of one container.
struct ContainerState {
  std::string phase;  // "Terminated", "Running", "Waiting"
  std::string reason;
  std::string message;
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::optional<Time> started;
  std::optional<Time> finished;
  Citation cite;

  bool known() const { return !phase.empty() || !reason.empty() || exit_code.has_value(); }
};

struct Container {
  std::string name;
  std::optional<double> memory_limit;
  ContainerState state;
  ContainerState last;
};

struct Pod {
  std::string name;
  std::string node;
  std::string phase;
  std::string reason;
  std::string message;
  Citation cite;
  std::vector<Container> containers;
};

std::optional<int> SmallNumber(std::string_view text) {
  const auto number = ParseInteger(Trim(text));
  return number && *number >= 0 && *number < 100000 ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

std::optional<Time> TimeOf(std::string_view text) {
  const auto time = ParseSystemTime(Trim(text));
  // Year 1 is how both tools print "never".
  return time && time->time.seconds > 0 ? std::optional(time->time) : std::nullopt;
}

class Records {
 public:
  explicit Records(FactStore& facts) : facts_(facts) {}

  void Push(const Pod& pod) {
    if (pod.name.empty()) return;
    if (!pod.phase.empty() || !pod.reason.empty()) {
      Add({.job = pod.name,
           .state = pod.reason.empty() ? pod.phase : pod.reason,
           .reason = pod.message,
           .node = pod.node,
           .cite = pod.cite});
    }
    for (const Container& container : pod.containers) {
      for (const ContainerState* state : {&container.last, &container.state}) {
        if (!state->known()) continue;
        SchedulerRecord record{.job = container.name.empty() ? pod.name : pod.name + "/" + container.name,
                               .state = state->reason.empty() ? state->phase : state->reason,
                               .exit_code = state->exit_code,
                               .signal = state->signal,
                               .reason = state->message,
                               .node = pod.node,
                               .requested_memory = container.memory_limit,
                               .cite = state->cite};
        if (state->started && state->finished) record.elapsed_seconds = state->finished->seconds - state->started->seconds;
        When(record, "start", state->started);
        When(record, "end", state->finished);
        Add(std::move(record));
      }
    }
  }

 private:
  void When(const SchedulerRecord& record, std::string_view what, const std::optional<Time>& time) {
    if (!time || added_ >= kMaxRecords) return;
    facts_.Add<Reading>({.name = "scheduler." + record.job + "." + std::string(what),
                         .value = time->seconds,
                         .unit = "seconds",
                         .time = time,
                         .cite = record.cite});
  }
  void Add(SchedulerRecord record) {
    if (added_++ < kMaxRecords) facts_.Add(std::move(record));
  }
  FactStore& facts_;
  std::size_t added_ = 0;
};

// The text form: two blanks a level, "Key:  value".
class DescribeReader {
 public:
  explicit DescribeReader(Records& records) : records_(records) {}

  void Line(const TextLine& line, SourceId source) {
    const Citation cite{.source = source, .begin = line.begin, .end = line.end, .line = line.number};
    const std::size_t indent = line.text.find_first_not_of(' ');
    if (indent == std::string_view::npos) return;
    const std::string_view text = Trim(line.text);
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos || colon > 64) return;
    const std::string_view key = text.substr(0, colon);
    const std::string_view value = Trim(text.substr(colon + 1));
    if (indent == 0) {
      Top(key, value, cite);
    } else if (in_containers_) {
      Inside(indent, key, value, cite);
    }
  }
  void Finish() { records_.Push(std::exchange(pod_, {})); }

 private:
  void Top(std::string_view key, std::string_view value, const Citation& cite) {
    in_containers_ = key == "Containers" || key == "Init Containers";
    state_ = nullptr;
    if (key == "Name") {
      Finish();
      pod_.name = Short(value);
      pod_.cite = cite;
    } else if (key == "Node") {
      pod_.node = Short(value.substr(0, value.find('/')));
    } else if (key == "Status") {
      pod_.phase = Short(value);
      pod_.cite = cite;
    } else if (key == "Reason") {
      pod_.reason = Short(value);
      pod_.cite.end = cite.end;
    } else if (key == "Message") {
      pod_.message = Short(value);
      pod_.cite.end = cite.end;
    }
  }

  void Inside(std::size_t indent, std::string_view key, std::string_view value, const Citation& cite) {
    if (indent == 2) {
      if (value.empty() && pod_.containers.size() < 256) pod_.containers.push_back({.name = Short(key)});
      state_ = nullptr;
      in_limits_ = false;
      return;
    }
    if (pod_.containers.empty()) return;
    Container& container = pod_.containers.back();
    if (indent == 4) {
      state_ = key == "State" ? &container.state : key == "Last State" ? &container.last : nullptr;
      in_limits_ = key == "Limits";
      if (state_ != nullptr) *state_ = {.phase = Short(value), .cite = cite};
      return;
    }
    if (in_limits_ && key == "memory") container.memory_limit = ParseByteSize(value);
    if (state_ == nullptr) return;
    if (key == "Reason") state_->reason = Short(value);
    if (key == "Message") state_->message = Short(value);
    if (key == "Exit Code") state_->exit_code = SmallNumber(value);
    if (key == "Signal") state_->signal = SmallNumber(value);
    if (key == "Started") state_->started = TimeOf(value);
    if (key == "Finished") state_->finished = TimeOf(value);
    state_->cite.end = cite.end;
  }

  Records& records_;
  Pod pod_;
  bool in_containers_ = false;
  bool in_limits_ = false;
  ContainerState* state_ = nullptr;  // of the last container, which does not move while it is filled
};

// Both JSON forms, by the path of keys from the root ('[' for an array's item).
class InspectReader {
 public:
  InspectReader(JsonReader& json, SourceId source, Records& records) : json_(json), source_(source), records_(records) {}

  void Read() {
    std::string key;
    for (;;) {
      const JsonToken token = json_.Next();
      switch (token.kind) {
        case JsonKind::kKey: key = token.text.substr(0, 64); continue;
        case JsonKind::kBeginObject:
        case JsonKind::kBeginArray:
          path_.push_back(std::exchange(key, {}));
          kinds_.push_back(token.kind);
          Begin(token);
          continue;
        case JsonKind::kEndObject:
        case JsonKind::kEndArray:
          End(token);
          if (!path_.empty()) {
            path_.pop_back();
            kinds_.pop_back();
          }
          key.clear();
          continue;
        case JsonKind::kEnd:
        case JsonKind::kFailed: Finish(); return;
        default: Value(std::exchange(key, {}), token); continue;
      }
    }
  }

 private:
  // The key of the container `up` levels above the innermost one.
  std::string_view Above(std::size_t up) const {
    return up < path_.size() ? std::string_view(path_[path_.size() - 1 - up]) : std::string_view{};
  }

  Citation Cite(const JsonToken& token) const {
    return {.source = source_, .begin = token.begin, .end = token.end, .line = token.line};
  }

  void Begin(const JsonToken& token) {
    if (token.kind != JsonKind::kBeginObject) return;
    const std::string_view array = Above(1);
    if (array == "containerStatuses" || array == "initContainerStatuses") {
      if (pod_.containers.size() < 256) pod_.containers.push_back({});
    } else if (array == "containers" || array == "initContainers") {
      limit_.reset();
      limit_name_.clear();
    } else if (!pod_.containers.empty() && (Above(1) == "state" || Above(1) == "lastState")) {
      state_ = Above(1) == "state" ? &pod_.containers.back().state : &pod_.containers.back().last;
      state_->phase = path_.back();
      state_->cite = Cite(token);
    } else if (Above(0) == "State") {  // docker
      if (pod_.containers.empty()) pod_.containers.push_back({});
      state_ = &pod_.containers.back().state;
      state_->cite = Cite(token);
    }
  }

  void End(const JsonToken& token) {
    if (token.kind != JsonKind::kEndObject) return;
    if (state_ != nullptr && (Above(1) == "state" || Above(1) == "lastState" || Above(0) == "State")) {
      state_->cite.end = token.end;
      state_ = nullptr;
    }
    if ((Above(1) == "containers" || Above(1) == "initContainers") && limit_ && limits_.size() < 256)
      limits_.emplace_back(limit_name_, *limit_);
    // The item of a list of pods, of docker's list, or the document itself.
    const bool item = path_.size() == 1 || (kinds_.size() >= 2 && kinds_[kinds_.size() - 2] == JsonKind::kBeginArray &&
                                            (path_.size() == 2 || (path_.size() == 3 && Above(1) == "items")));
    if (item) Finish();
  }

  void Finish() {
    for (Container& container : pod_.containers) {
      for (const auto& [name, bytes] : limits_) {
        if (name == container.name) container.memory_limit = bytes;
      }
    }
    records_.Push(std::exchange(pod_, {}));
    limits_.clear();
    state_ = nullptr;
  }

  void Value(const std::string& key, const JsonToken& token) {
    const std::string_view parent = Above(0);
    if (state_ != nullptr) {
      StateValue(key, token);
      return;
    }
    if (parent == "limits" && key == "memory") limit_ = ParseByteSize(token.text);
    if (parent == "HostConfig" && key == "Memory" && token.number > 0 && !pod_.containers.empty())
      pod_.containers.back().memory_limit = token.number;
    if (key == "name" && parent == "metadata" && pod_.name.empty()) {
      pod_.name = Short(token.text);
      pod_.cite = Cite(token);
    }
    if (key == "nodeName") pod_.node = Short(token.text);
    if (key == "name" && (Above(1) == "containers" || Above(1) == "initContainers")) limit_name_ = Short(token.text);
    if (key == "name" && !pod_.containers.empty() && (Above(1) == "containerStatuses" || Above(1) == "initContainerStatuses")) {
      pod_.containers.back().name = Short(token.text);
    }
    if (parent == "status") {
      if (key == "phase") pod_.phase = Short(token.text);
      if (key == "reason") pod_.reason = Short(token.text);
      if (key == "message") pod_.message = Short(token.text);
      if (key == "phase" || key == "reason") pod_.cite = Cite(token);
    }
    if (key == "Name" && token.text.starts_with('/') && path_.size() <= 2) pod_.name = Short(token.text.substr(1));  // docker
    if (key == "Id" && pod_.name.empty() && path_.size() <= 2) pod_.name = Short(token.text.substr(0, 12));
  }

  void StateValue(const std::string& key, const JsonToken& token) {
    if (key == "reason") state_->reason = Short(token.text);
    if (key == "message" || key == "Error") state_->message = Short(token.text);
    if (key == "exitCode" || key == "ExitCode") state_->exit_code = SmallNumber(token.text);
    if (key == "signal") state_->signal = SmallNumber(token.text);
    if (key == "startedAt" || key == "StartedAt") state_->started = TimeOf(token.text);
    if (key == "finishedAt" || key == "FinishedAt") state_->finished = TimeOf(token.text);
    if (key == "Status") state_->phase = Short(token.text);
    if (key == "OOMKilled" && token.text == "true") state_->reason = "OOMKilled";
  }

  JsonReader& json_;
  SourceId source_;
  Records& records_;
  std::vector<std::string> path_;  // keys; the last one opened the innermost container
  std::vector<JsonKind> kinds_;
  Pod pod_;
  ContainerState* state_ = nullptr;
  std::optional<double> limit_;
  std::string limit_name_;
  std::vector<std::pair<std::string, double>> limits_;
};

bool LooksLikeJson(std::string_view text) { return text.starts_with('{') || text.starts_with('['); }

Match Sniff(const ArtifactHead& head) {
  const std::string_view text = head.text();
  const auto has = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  if (LooksLikeJson(Trim(text))) {
    const bool pod = has("\"apiVersion\"") && (has("\"kind\": \"Pod\"") || has("\"kind\":\"Pod\"") || has("\"kind\": \"List\""));
    const bool docker = has("\"State\"") && has("\"OOMKilled\"") && has("\"ExitCode\"");
    return pod || docker ? Match::kYes : Match::kNo;
  }
  const std::size_t name = text.find("Name:  ");
  if (name == std::string_view::npos || (name > 0 && text[name - 1] != '\n')) return Match::kNo;
  return has("\nNamespace:  ") && (has("\nContainers:") || has("\nNode:  ")) ? Match::kYes : Match::kNo;
}

void Read(const Artifact& artifact, FactStore& facts) {
  Records records(facts);
  const auto stream = OpenStream(artifact.file);
  std::array<std::byte, 64> head{};
  const auto peek = OpenStream(artifact.file);
  const auto n = peek->Read(head);
  const std::string_view first(reinterpret_cast<const char*>(head.data()), n.has_value() ? *n : 0);
  if (LooksLikeJson(Trim(first))) {
    JsonReader json(*stream);
    InspectReader(json, artifact.source, records).Read();
    ReportJsonFailure(json, artifact.source, "The description of the container", facts);
    return;
  }
  LineReader lines(*stream);
  LineDamage damage("the description of the pod", artifact.source, facts);
  DescribeReader reader(records);
  while (const auto line = lines.Next()) {
    if (line->complete) {
      reader.Line(*line, artifact.source);
    } else if (!Trim(line->text).empty()) {
      damage.CutLine(*line);
    }
  }
  reader.Finish();
  damage.Finish(lines);
  // Events are lines of text that the signatures know.
  const auto again = OpenStream(artifact.file);
  artifact.logs.Read(*again, artifact.source, {.origin = Origin::kScheduler, .metrics = false}, facts);
  // It is no log of the run, whose end or shape could say something.
  std::erase_if(facts.Mutable<LogShape>(), [&](const LogShape& shape) { return shape.source == artifact.source; });
}

}  // namespace

extern const Format kubectl_describe;
constinit const Format kubectl_describe{
    .id = "kubectl-describe",
    .title = "Saved description of a pod or container: kubectl describe, kubectl get -o json, docker inspect",
    .typical_names = "kubectl-describe.txt, pod.json, inspect.json",
    .sample = "kubectl/describe.txt",
    .sniff = Sniff,
    .read = Read,
};

}  // namespace assay::formats
