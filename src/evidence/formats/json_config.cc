// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/text.h"
#include "evidence/codecs/byte_stream.h"
#include "evidence/codecs/command_line.h"
#include "evidence/codecs/config_flattener.h"
#include "evidence/codecs/lenient_json.h"
#include "evidence/codecs/metric_rows.h"
#include "evidence/codecs/secret_filter.h"
#include "evidence/formats/format.h"

// Configurations and small results that are one JSON object: config.json of a model, DeepSpeed's ds_config.json, dumped
// arguments, wandb's metadata and summary, all_results.json. Python writes NaN bare.
namespace assay::formats {
namespace {

constexpr std::string_view kWhat = "The JSON file";

// What a run measured, not what it was told: a last learning rate of 0 here is no configured learning rate.
bool IsResultFile(std::string_view path) {
  constexpr std::array<std::string_view, 11> kNames{
      "all_results.json", "train_results.json", "eval_results.json",  "test_results.json", "predict_results.json", "results.json",
      "metrics.json",     "wandb-summary.json", "final_metrics.json", "eval_metrics.json", "best_metrics.json"};
  return std::find(kNames.begin(), kNames.end(), BaseName(path)) != kNames.end();
}

// Tables that programs keep for themselves; nothing in them was configured.
bool IsTableFile(std::string_view name) {
  constexpr std::array<std::string_view, 8> kNames{
      "tokenizer.json", "vocab.json",        "added_tokens.json", "special_tokens_map.json",
      "package.json",   "package-lock.json", "merges.json",       "dataset_info.json"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end() || name.ends_with(".index.json") ||
         name.ends_with(".trace.json");
}

bool NameTellsConfig(std::string_view path) {
  const std::string lower = ToLower(path);
  const std::string_view name = BaseName(lower);
  for (const std::string_view word : {"config", "args", "param", "setting", "option", "metadata", "state"}) {
    if (name.find(word) != std::string_view::npos) return true;
  }
  for (const std::string_view folder : {"configs/", "config/", "conf/", "experiments/", "jobs/", "cfg/"}) {
    if (lower.starts_with(folder) || lower.find("/" + std::string(folder)) != std::string::npos) return true;
  }
  return false;
}

// One object, keys in quotes. Lines of JSON, states of the trainer and traces have formats of their own.
Match Sniff(const ArtifactHead& head) {
  const std::string_view name = BaseName(head.path);
  std::string_view text = head.text();
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  text = Trim(text);
  if (!name.ends_with(".json") || !text.starts_with('{') || IsTableFile(name)) return Match::kNo;
  const std::string_view inside = Trim(text.substr(1));
  if (!inside.empty() && inside[0] != '"' && inside[0] != '}') return Match::kNo;
  for (const std::string_view foreign : {"\"log_history\"", "\"is_hyper_param_search\"", "\"traceEvents\"", "\"nbformat\""}) {
    if (text.find(foreign) != std::string_view::npos) return Match::kNo;
  }
  if (text.find("}\n{") != std::string_view::npos) return Match::kNo;
  return IsResultFile(head.path) || NameTellsConfig(head.path) ? Match::kYes : Match::kMaybe;
}

// wandb-metadata.json holds the command's words as a list; each option is a fact.
void PushArguments(const ConfigFlattener& flat, const std::vector<std::string>& words, SourceId source, FactStore& facts) {
  const auto entry =
      std::find_if(flat.entries().begin(), flat.entries().end(), [](const ConfigEntry& e) { return e.key == "args"; });
  if (entry == flat.entries().end()) return;
  std::vector<CommandWord> command;
  for (const std::string& word : words) command.push_back({.text = word});
  for (const CommandOption& option : OptionsOf(command)) {
    facts.Add(
        ConfigValue{.key = "argv." + option.name,
                    .value = WithoutSecrets(option.name, option.value),
                    .origin = ConfigValue::Origin::kArguments,
                    .cite = {.source = source, .begin = entry->place.begin, .end = entry->place.end, .line = entry->place.line}});
  }
}

// The object's members, its opening brace taken. `words` becomes the list of texts at the key "args".
void ReadMembers(JsonReader& json, ConfigFlattener& flat, std::vector<std::string>& words) {
  constexpr std::size_t kMaxWords = 4096;
  for (JsonToken token = json.Next(); token.kind == JsonKind::kKey; token = json.Next()) {
    const bool arguments = token.text == "args";
    flat.Key(token.text);
    JsonToken value = json.Next();
    if (!arguments || value.kind != JsonKind::kBeginArray) {
      if (!FlattenFrom(json, value, flat) || flat.overflow()) return;
      continue;
    }
    flat.BeginList({.begin = value.begin, .end = value.end, .line = value.line});
    for (value = json.Next(); value.kind != JsonKind::kEndArray; value = json.Next()) {
      const bool plain = value.kind != JsonKind::kBeginArray && value.kind != JsonKind::kBeginObject;
      if (plain && words.size() < kMaxWords) words.emplace_back(value.text);
      if (!FlattenFrom(json, value, flat) || flat.overflow()) return;
    }
    flat.End(value.end);
  }
  json.Next();  // tells when something follows the end
}

void Read(const Artifact& artifact, FactStore& facts) {
  if (artifact.file.size() == 0) {
    facts.AddAnomaly({.kind = AnomalyKind::kEmpty,
                      .cite = {.source = artifact.source},
                      .statement = "The JSON file is empty: it has no bytes."});
    return;
  }
  const auto stream = OpenStream(artifact.file);
  JsonReader json(*stream);
  ConfigFlattener flat;
  std::vector<std::string> words;
  const JsonToken open = json.Next();
  if (open.kind == JsonKind::kBeginObject) {
    flat.BeginMap({});
    ReadMembers(json, flat, words);
  } else if (open.kind != JsonKind::kFailed) {
    facts.AddAnomaly({.kind = AnomalyKind::kCorrupt,
                      .cite = {.source = artifact.source, .begin = open.begin, .end = open.end, .line = open.line},
                      .statement = "The JSON file holds no object."});
  }
  if (IsResultFile(artifact.path)) {
    MetricRows rows(facts, artifact.source, "json-config");
    std::uint64_t end = 0;
    for (const ConfigEntry& e : flat.entries()) {
      if (!e.number) continue;
      rows.Take(e.key, ParseNumber(e.value).value_or(0));
      end = e.place.end;
    }
    rows.Commit(0, end);
    std::erase_if(flat.entries(), [](const ConfigEntry& e) { return e.number; });
  }
  PushArguments(flat, words, artifact.source, facts);
  PushConfig(flat, "", OriginOfConfigFile(artifact.path), artifact.source, facts);
  ReportJsonFailure(json, artifact.source, kWhat, facts);
}

}  // namespace

extern const Format json_config;
constinit const Format json_config{
    .id = "json-config",
    .title = "Configuration or results of a run as one JSON object",
    .typical_names = "config.json, args.json, ds_config.json, wandb-metadata.json, wandb-summary.json, all_results.json",
    .sample = "hf_trainer/finished/outputs/config.json",
    .sniff = Sniff,
    .read = Read,
};

}  // namespace assay::formats
