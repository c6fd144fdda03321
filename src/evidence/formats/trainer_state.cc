// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "base/whole_number.h"
#include "evidence/codecs/byte_stream.h"
#include "evidence/codecs/config_flattener.h"
#include "evidence/codecs/lenient_json.h"
#include "evidence/codecs/metric_rows.h"
#include "evidence/formats/format.h"

// trainer_state.json of the Hugging Face Trainer (transformers/trainer_callback.py, class TrainerState): one object with sorted
// keys. Every row of log_history is what was logged at one step; the rest says how far the run was and what it had planned. The
// file in a checkpoint folder stops at that checkpoint.
namespace assay::formats {
namespace {

constexpr std::string_view kWhat = "The trainer state";

Match Sniff(const ArtifactHead& head) {
  std::string_view text = Trim(head.text());
  if (!text.starts_with('{')) return Match::kNo;
  const auto has = [&](std::string_view key) { return text.find(key) != std::string_view::npos; };
  // log_history may lie behind the head when the best checkpoint's path is long; the keys sorted before it tell as well.
  const bool named = has("\"log_history\"") || has("\"is_hyper_param_search\"") || has("\"best_model_checkpoint\"");
  return named && has("\"global_step\"") ? Match::kYes : Match::kNo;
}

// The rows of log_history, its opening bracket taken. False when the document ended or went wrong inside.
bool ReadHistory(JsonReader& json, MetricRows& rows) {
  for (;;) {
    const JsonToken row = json.Next();
    if (row.kind == JsonKind::kEndArray) return true;
    if (row.kind == JsonKind::kFailed) return false;
    if (row.kind == JsonKind::kBeginArray && !json.SkipContainer()) return false;
    if (row.kind != JsonKind::kBeginObject) continue;
    std::string name;
    for (;;) {
      const JsonToken token = json.Next();
      if (token.kind == JsonKind::kEndObject) {
        rows.Commit(row.begin, token.end);
        break;
      }
      if (token.kind == JsonKind::kKey) name = token.text;
      if (token.kind == JsonKind::kNumber) rows.Take(name, token.number);
      if (token.kind == JsonKind::kString) {
        // Some callbacks log numbers as text; other text is no metric.
        if (const auto number = ParseNumber(token.text)) rows.Take(name, *number);
      }
      const bool container = token.kind == JsonKind::kBeginObject || token.kind == JsonKind::kBeginArray;
      if (token.kind == JsonKind::kFailed || (container && !json.SkipContainer())) {
        rows.Drop();
        return false;
      }
    }
  }
}

void Read(const Artifact& artifact, FactStore& facts) {
  if (artifact.file.size() == 0) {
    facts.AddAnomaly({.kind = AnomalyKind::kEmpty,
                      .cite = {.source = artifact.source},
                      .statement = "The trainer state is empty: it has no bytes."});
    return;
  }
  const auto stream = OpenStream(artifact.file);
  JsonReader json(*stream);
  MetricRows rows(facts, artifact.source, "trainer-state");
  ConfigFlattener state;
  double max_steps = 0;
  double epochs = 0;
  JsonToken token = json.Next();
  if (token.kind == JsonKind::kBeginObject) {
    state.BeginMap({});
    for (token = json.Next(); token.kind == JsonKind::kKey; token = json.Next()) {
      const std::string key(token.text);
      const JsonToken value = json.Next();
      if (value.kind == JsonKind::kFailed) break;
      if (key == "log_history" && value.kind == JsonKind::kBeginArray) {
        if (!ReadHistory(json, rows)) break;
        continue;
      }
      if (key == "max_steps" && value.kind == JsonKind::kNumber) max_steps = value.number;
      if (key == "num_train_epochs" && value.kind == JsonKind::kNumber) epochs = value.number;
      state.Key(key);
      if (!FlattenFrom(json, value, state)) break;
      if (state.overflow()) break;
    }
    if (token.kind == JsonKind::kEndObject) json.Next();  // tells when something follows the end
  } else if (token.kind != JsonKind::kFailed) {
    facts.AddAnomaly({.kind = AnomalyKind::kCorrupt,
                      .cite = {.source = artifact.source, .begin = token.begin, .end = token.end, .line = token.line},
                      .statement = "The trainer state is no JSON object."});
  }
  PushConfig(state, "trainer_state.", ConfigValue::Origin::kMetadata, artifact.source, facts);
  if (MetricTable* table = rows.table()) {
    if (max_steps >= 1) table->planned_steps = WholeNumber(max_steps).value_or(0);
    if (epochs > 0) table->planned_epochs = epochs;
  }
  ReportJsonFailure(json, artifact.source, kWhat, facts);
}

}  // namespace

extern const Format trainer_state;
constinit const Format trainer_state{
    .id = "trainer-state",
    .title = "State of the Hugging Face Trainer with everything it logged",
    .typical_names = "trainer_state.json, checkpoint-*/trainer_state.json",
    .sample = "hf_trainer/finished/outputs/trainer_state.json",
    .sniff = Sniff,
    .read = Read,
};

}  // namespace assay::formats
