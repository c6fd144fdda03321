// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/time.h"
#include "base/whole_number.h"
#include "evidence/codecs/block_log.h"
#include "evidence/codecs/command_line.h"
#include "evidence/codecs/config_flattener.h"
#include "evidence/codecs/damage_report.h"
#include "evidence/codecs/lenient_json.h"
#include "evidence/codecs/protobuf_wire.h"
#include "evidence/codecs/secret_filter.h"
#include "evidence/codecs/series_tables.h"
#include "evidence/formats/format.h"

// The transaction log of a wandb run, "run-<id>.wandb": a header of 7 bytes (":W&B", u16 0xBEE1, version), then Record protos in
// block framing (wandb/proto/wandb_internal.proto). Read: history, system statistics, configuration, how the run started and how
// it ended. Not read: the console output, whose pieces are no lines that could be cited; media, artifacts and summaries.
namespace assay::formats {
namespace {

constexpr std::string_view kMagic(":W&B\xe1\xbe", 6);
constexpr std::size_t kFileHeader = 7;
constexpr std::size_t kMaxTextLength = 1024;
constexpr std::size_t kMaxConfigured = 20'000;
constexpr std::size_t kMaxArguments = 4096;

std::optional<double> ReadTimestamp(ProtoReader message) {
  std::int64_t seconds = 0;
  std::int64_t nanos = 0;
  while (message.Next()) {
    if (message.key() == VarintField(1)) seconds = message.Int64();
    if (message.key() == VarintField(2)) nanos = message.Int64();
  }
  if (message.damaged()) return std::nullopt;
  return static_cast<double>(seconds) + static_cast<double>(nanos) * 1e-9;
}

// The key and the value of one item, whichever of its fields the writer's version uses.
struct Item {
  std::string key;
  std::string_view json;         // the value as JSON text
  std::optional<double> number;  // the value as a number
};

void AppendKey(std::string& key, std::string_view part) {
  if (!key.empty()) key += '.';
  key += part.substr(0, kMaxTextLength);
}

std::optional<double> JsonNumber(std::string_view json) {
  // Non-finite numbers stand bare or as strings.
  if (json.size() >= 2 && json.front() == '"' && json.back() == '"') {
    const auto number = ParseNumber(json.substr(1, json.size() - 2));
    return number && !std::isfinite(*number) ? number : std::nullopt;
  }
  return ParseNumber(json);
}

std::optional<Item> ReadItem(ProtoReader message) {
  Item item;
  while (message.Next()) {
    switch (message.key()) {
      case BytesField(1): item.key = std::string(message.Text().substr(0, kMaxTextLength)); break;
      case BytesField(2):
        if (item.key.size() < kMaxTextLength) AppendKey(item.key, message.Text());
        break;
      case VarintField(5): item.number = static_cast<double>(message.SignedInt64()); break;
      case Fixed64Field(6): item.number = message.Double(); break;
      case BytesField(8):
      case BytesField(16): item.json = message.Text(); break;
      default: break;
    }
  }
  if (message.damaged() || item.key.empty()) return std::nullopt;
  if (!item.number) item.number = JsonNumber(item.json);
  return item;
}

class RunReader {
 public:
  RunReader(SourceId source, FactStore& facts, DamageReport& damage)
      : source_(source),
        facts_(facts),
        damage_(damage),
        history_(source, "wandb", facts, damage),
        system_(source, "wandb-system", facts, damage) {}

  void Read(std::span<const std::byte> data, std::uint64_t begin, std::uint64_t end) {
    begin_ = begin;
    end_ = end;
    ProtoReader record(data);
    bool sound = true;
    while (sound && record.Next()) {
      switch (record.key()) {
        case BytesField(2): sound = ReadHistory(record.Message()); break;
        case BytesField(5): sound = ReadConfig(record.Message()); break;
        case BytesField(7): sound = ReadStatistics(record.Message()); break;
        case BytesField(13): has_output_ = true; break;
        case BytesField(17): sound = ReadRun(record.Message()); break;
        case BytesField(18): sound = ReadExit(record.Message()); break;
        case BytesField(21): sound = ReadHeader(record.Message()); break;
        case BytesField(23): AddConfig("wandb.preempting", "true"); break;
        case BytesField(26): sound = ReadEnvironment(record.Message()); break;
        default: break;
      }
    }
    if (!sound || record.damaged()) {
      damage_.Add(AnomalyKind::kCorrupt, begin, end, "A record has the right checksum and is no record of wandb.");
    }
  }

  bool has_exit() const { return has_exit_; }
  bool has_output() const { return has_output_; }

 private:
  bool ReadHistory(ProtoReader history) {
    std::vector<Item> items;
    MetricRow row{.offset = begin_};
    while (history.Next()) {
      if (history.key() == BytesField(1)) {
        if (auto item = ReadItem(history.Message())) items.push_back(std::move(*item));
      } else if (history.key() == BytesField(2)) {
        row.step = 0;  // proto3 leaves zero out
        for (ProtoReader step = history.Message(); step.Next();) {
          if (step.key() == VarintField(1)) row.step = step.Int64();
        }
      }
    }
    if (history.damaged()) return false;
    // wandb counts its own calls of log(); Trainer and Lightning log beside it the step that the rest of the run speaks of.
    const auto is_global_step = [](std::string_view key) { return key == "global_step" || key.ends_with("/global_step"); };
    bool has_global_step = false;
    for (const Item& item : items) {
      if (!item.number) continue;
      const auto step = *item.number >= 0 ? WholeNumber(*item.number) : std::nullopt;
      if (is_global_step(item.key) && step) {
        row.step = *step;
        has_global_step = true;
      } else if (item.key == "_step" && step && !has_global_step) {
        row.step = *step;
      } else if (item.key == "_timestamp") {
        row.time = *item.number;
      } else if (item.key == "epoch" || item.key == "train/epoch") {
        row.epoch = *item.number;
      }
    }
    history_.StartRecord(row, end_);
    for (const Item& item : items) {
      if (item.key.starts_with('_') || is_global_step(item.key) || item.key == "epoch" || item.key == "train/epoch") continue;
      if (item.number) {
        AddValue(history_, item.key, *item.number);
      } else if (item.json.starts_with('{')) {
        ReadNested(item);
      }
    }
    return true;
  }

  static void AddValue(SeriesTables& tables, std::string_view key, double value) {
    if (const std::size_t series = tables.Find(key); series != SeriesTables::kNone) tables.Add(series, value);
  }

  // Numbers of a nested dict, "nested.accuracy"; dicts with a "_type" are images, tables and histograms.
  void ReadNested(const Item& item) {
    if (item.json.find("\"_type\"") != std::string_view::npos) return;
    Flatten(item, [&](const std::string& key, const std::string& value, bool is_text) {
      const auto number = ParseNumber(value);
      if (number && (!is_text || !std::isfinite(*number))) AddValue(history_, key, *number);
    });
  }

  // Calls each(key, text, is_text) for every leaf of the item's value; a list of plain values is one leaf.
  template <class Each>
  static void Flatten(const Item& item, const Each& each) {
    const std::string_view text = Trim(item.json);
    if (text.empty()) return;
    if (std::string_view("{[\"").find(text[0]) == std::string_view::npos) {
      // The record says where a bare word ends; to the JSON reader it would look cut.
      return each(item.key, std::string(text.substr(0, kMaxTextLength)), false);
    }
    JsonReader json(text, 0, 1, {.depth = 32, .string_bytes = kMaxTextLength});
    ConfigFlattener flat;
    if (!FlattenNext(json, flat)) return;
    for (const ConfigEntry& entry : flat.entries()) {
      each(entry.key.empty() ? item.key : item.key + "." + entry.key, entry.value, !entry.number);
    }
  }

  bool ReadConfig(ProtoReader config) {
    while (config.Next()) {
      if (config.key() != BytesField(1)) continue;
      const auto item = ReadItem(config.Message());
      if (!item || item->key.starts_with("_wandb")) continue;
      Flatten(*item, [&](const std::string& key, const std::string& value, bool) { AddConfig(key, value); });
    }
    return !config.damaged();
  }

  bool ReadStatistics(ProtoReader statistics) {
    std::vector<Item> items;
    MetricRow row{.offset = begin_};
    while (statistics.Next()) {
      if (statistics.key() == BytesField(2)) {
        if (const auto time = ReadTimestamp(statistics.Message())) row.time = *time;
      } else if (statistics.key() == BytesField(3)) {
        if (auto item = ReadItem(statistics.Message()); item && item->number) items.push_back(std::move(*item));
      }
    }
    system_.StartRecord(row, end_);
    for (const Item& item : items) AddValue(system_, item.key, *item.number);
    return !statistics.damaged();
  }

  bool ReadRun(ProtoReader run) {
    while (run.Next()) {
      switch (run.key()) {
        case BytesField(1): AddConfig("wandb.run_id", run.Text()); break;
        case BytesField(3): AddConfig("wandb.project", run.Text()); break;
        case BytesField(4):
          if (!ReadConfig(run.Message())) return false;
          break;
        case BytesField(6): AddConfig("wandb.group", run.Text()); break;
        case BytesField(7): AddConfig("wandb.job_type", run.Text()); break;
        case BytesField(8): AddConfig("wandb.name", run.Text()); break;
        case BytesField(12): AddConfig("wandb.sweep_id", run.Text()); break;
        case BytesField(13): AddConfig("wandb.host", run.Text()); break;
        case VarintField(14): AddConfig("wandb.starting_step", fmt::format("{}", run.Int64())); break;
        case BytesField(17): AddTime("wandb.started", run.Message()); break;
        case VarintField(18): AddConfig("wandb.resumed", run.Uint64() != 0 ? "true" : "false"); break;
        case BytesField(21): ReadGit(run.Message()); break;
        default: break;
      }
    }
    return !run.damaged();
  }

  bool ReadEnvironment(ProtoReader environment) {
    std::vector<std::string_view> arguments;
    while (environment.Next()) {
      switch (environment.key()) {
        case BytesField(1): AddConfig("wandb.os", environment.Text()); break;
        case BytesField(2): AddConfig("wandb.python", environment.Text()); break;
        case BytesField(4): AddConfig("wandb.docker", environment.Text()); break;
        case BytesField(5): arguments.push_back(environment.Text()); break;
        case BytesField(6): AddConfig("wandb.program", environment.Text()); break;
        case BytesField(9): ReadGit(environment.Message()); break;
        case BytesField(12): AddConfig("wandb.host", environment.Text()); break;
        case BytesField(18): AddConfig("wandb.gpu_type", environment.Text()); break;
        case VarintField(19): AddConfig("wandb.gpu_count", fmt::format("{}", environment.Uint64())); break;
        case BytesField(25): AddConfig("wandb.cuda_version", environment.Text()); break;
        default: break;
      }
    }
    ReadArguments(arguments);
    return !environment.damaged();
  }

  void ReadArguments(const std::vector<std::string_view>& arguments) {
    std::vector<CommandWord> words;
    for (const std::string_view argument : arguments) {
      if (words.size() < kMaxArguments) words.push_back({.text = std::string(argument.substr(0, kMaxTextLength))});
    }
    for (const CommandOption& option : OptionsOf(words)) {
      AddConfig("argv." + option.name, option.value, ConfigValue::Origin::kArguments);
    }
  }

  void ReadGit(ProtoReader git) {
    while (git.Next()) {
      // The address of the remote stays out: it may hold a password.
      if (git.key() == BytesField(2)) AddConfig("wandb.commit", git.Text());
    }
  }

  bool ReadHeader(ProtoReader header) {
    while (header.Next()) {
      if (header.key() != BytesField(1)) continue;
      for (ProtoReader version = header.Message(); version.Next();) {
        if (version.key() == BytesField(1)) AddConfig("wandb.version", version.Text());
      }
    }
    return !header.damaged();
  }

  bool ReadExit(ProtoReader exit) {
    std::int64_t code = 0;  // proto3 leaves zero out
    while (exit.Next()) {
      if (exit.key() == VarintField(1)) code = exit.Int64();
      if (exit.key() == VarintField(2)) AddConfig("wandb.runtime_seconds", fmt::format("{}", exit.Int64()));
    }
    if (exit.damaged()) return false;
    AddConfig("wandb.exit_code", fmt::format("{}", code));
    has_exit_ = true;
    return true;
  }

  void AddTime(const std::string& key, ProtoReader message) {
    if (const auto time = ReadTimestamp(message)) AddConfig(key, FormatTime({.seconds = *time, .zoned = true}));
  }

  // A value that the run states again, as each of its later records does, is one fact.
  void AddConfig(const std::string& key, std::string_view value, ConfigValue::Origin origin = ConfigValue::Origin::kMetadata) {
    std::string text = WithoutSecrets(key, value.substr(0, kMaxTextLength));
    if (configured_.size() >= kMaxConfigured || !configured_.emplace(key, text).second) return;
    facts_.Add(ConfigValue{
        .key = key, .value = std::move(text), .origin = origin, .cite = {.source = source_, .begin = begin_, .end = end_}});
  }

  SourceId source_;
  FactStore& facts_;
  DamageReport& damage_;
  SeriesTables history_;
  SeriesTables system_;
  std::set<std::pair<std::string, std::string>> configured_;
  bool has_exit_ = false;
  bool has_output_ = false;
  std::uint64_t begin_ = 0;  // of the record that is being read
  std::uint64_t end_ = 0;
};

Match Sniff(const ArtifactHead& head) {
  if (head.text().starts_with(kMagic)) return Match::kYes;
  return head.path.ends_with(".wandb") ? Match::kMaybe : Match::kNo;
}

// Whether the file may be read on; else the anomaly was told.
bool ReadFileHeader(const RandomAccessFile& file, DamageReport& damage) {
  std::array<std::byte, kFileHeader> header{};
  const auto got = file.ReadAt(0, header);
  if (!got.has_value()) {
    damage.Add(AnomalyKind::kUnreadable, 0, 0, "The wandb file cannot be read: " + got.error().reason + ".");
    return false;
  }
  const std::string_view text(reinterpret_cast<const char*>(header.data()), *got);
  if (text.empty()) {
    damage.Add(AnomalyKind::kEmpty, 0, 0, "The wandb file is empty.");
  } else if (text.size() < kFileHeader && kMagic.starts_with(text.substr(0, kMagic.size()))) {
    damage.Add(AnomalyKind::kTruncated, 0, text.size(), "The wandb file ends inside its header.");
  } else if (!text.starts_with(kMagic)) {
    damage.Add(AnomalyKind::kCorrupt, 0, text.size(), "The wandb file does not begin with wandb's header; it was not read.");
  } else {
    return true;
  }
  return false;
}

void Read(const Artifact& artifact, FactStore& facts) {
  using Outcome = BlockLogReader::Outcome;
  DamageReport damage(artifact.source, facts);
  if (!ReadFileHeader(artifact.file, damage)) return;
  const auto stream = OpenStream(artifact.file);
  const auto log = std::make_unique<BlockLogReader>(*stream, kFileHeader);
  RunReader run(artifact.source, facts, damage);
  bool end_is_known = true;  // what stands last in the file could be read
  const auto lost = [&](AnomalyKind kind, std::string statement) {
    damage.Add(kind, log->offset(), log->end(), std::move(statement));
  };
  for (bool more = true; more;) {
    const Outcome outcome = log->Next();
    switch (outcome) {
      case Outcome::kRecord: run.Read(log->data(), log->offset(), log->end()); break;
      case Outcome::kBadChunk:
        lost(AnomalyKind::kCorrupt, "The checksum of a record is wrong or a part of it is missing; the record was left out.");
        break;
      case Outcome::kOverlong: lost(AnomalyKind::kOverlong, "A record is larger than 16 MiB; it was left out."); break;
      case Outcome::kNuls:
        lost(AnomalyKind::kLostBytes, "A part of the wandb file is NUL bytes: its length was written and its data was not.");
        break;
      case Outcome::kCut: lost(AnomalyKind::kTruncated, "The wandb file ends in the middle of a record."); break;
      case Outcome::kUnreadable:
        lost(AnomalyKind::kUnreadable, "The wandb file cannot be read to its end: " + log->error() + ".");
        break;
      case Outcome::kEnd: break;
    }
    more = outcome != Outcome::kCut && outcome != Outcome::kUnreadable && outcome != Outcome::kEnd;
    if (outcome != Outcome::kEnd) end_is_known = outcome != Outcome::kBadChunk && outcome != Outcome::kUnreadable;
  }
  const std::string path(artifact.path);
  if (run.has_output()) {
    facts.AddNotChecked("the console output kept in " + path, "its pieces are no lines; files/output.log holds the same text");
  }
  if (run.has_exit()) return;
  if (!end_is_known) return facts.AddNotChecked("whether the run of " + path + " ended", "the end of the file is damaged");
  facts.AddAnomaly({.kind = AnomalyKind::kMissing,
                    .cite = {.source = artifact.source, .begin = log->end(), .end = log->end()},
                    .statement = "The wandb file has no exit record: the process was killed or still runs."});
}

}  // namespace

extern const Format wandb_offline;
constinit const Format wandb_offline{
    .id = "wandb-offline",
    .title = "wandb transaction log: history, system statistics, configuration and exit of a run",
    .typical_names = "wandb/offline-run-*/run-*.wandb",
    .sample = "wandb/finished/wandb/offline-run-20260101_000000-finished/run-finished.wandb",
    .sniff = Sniff,
    .read = Read,
};

}  // namespace assay::formats
