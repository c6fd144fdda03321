// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "evidence/codecs/damage_report.h"
#include "evidence/codecs/protobuf_wire.h"
#include "evidence/codecs/secret_filter.h"
#include "evidence/codecs/series_tables.h"
#include "evidence/codecs/tfrecord.h"
#include "evidence/formats/format.h"

// TensorBoard event files: TFRecord frames around Event protos (tensorboard/compat/proto: event, summary, tensor, types; hparams
// of tensorboard/plugins/hparams). Scalars and hyperparameters become facts; images, histograms, graphs and texts do not.
namespace assay::formats {
namespace {

constexpr std::size_t kMaxTextLength = 1024;
constexpr std::size_t kMaxConfigured = 20'000;

double HalfToDouble(std::uint16_t bits) {
  const int exponent = bits >> 10U & 0x1F;
  const int fraction = bits & 0x3FF;
  double value = 0;
  if (exponent == 0) {
    value = std::ldexp(fraction, -24);
  } else if (exponent == 0x1F) {
    value = fraction == 0 ? HUGE_VAL : std::nan("");
  } else {
    value = std::ldexp(fraction | 0x400, exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -value : value;
}

double BfloatToDouble(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16U); }

// The DataType numbers of tensorflow/core/framework/types.proto that a scalar may have.
enum class TensorType : std::uint64_t {
  kFloat = 1,
  kDouble = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kInt64 = 9,
  kBool = 10,
  kBfloat16 = 14,
  kUint16 = 17,
  kHalf = 19,
  kUint32 = 22,
  kUint64 = 23,
};

template <class T>
std::optional<T> Whole(std::span<const std::byte> content) {
  if (content.size() != sizeof(T)) return std::nullopt;
  T value{};
  std::memcpy(&value, content.data(), sizeof(T));
  return value;
}

template <class T>
std::optional<double> Number(std::span<const std::byte> content) {
  const auto value = Whole<T>(content);
  return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

std::optional<double> FromContent(TensorType type, std::span<const std::byte> content) {
  switch (type) {
    case TensorType::kFloat: return Number<float>(content);
    case TensorType::kDouble: return Number<double>(content);
    case TensorType::kInt32: return Number<std::int32_t>(content);
    case TensorType::kInt64: return Number<std::int64_t>(content);
    case TensorType::kInt16: return Number<std::int16_t>(content);
    case TensorType::kInt8: return Number<std::int8_t>(content);
    case TensorType::kUint64: return Number<std::uint64_t>(content);
    case TensorType::kUint32: return Number<std::uint32_t>(content);
    case TensorType::kUint16: return Number<std::uint16_t>(content);
    case TensorType::kUint8:
    case TensorType::kBool: return Number<std::uint8_t>(content);
    case TensorType::kHalf:
      if (const auto bits = Whole<std::uint16_t>(content)) return HalfToDouble(*bits);
      break;
    case TensorType::kBfloat16:
      if (const auto bits = Whole<std::uint16_t>(content)) return BfloatToDouble(*bits);
      break;
  }
  return std::nullopt;
}

// An integer element of *_val, as its type means it.
std::optional<double> FromVarint(TensorType type, std::uint64_t value) {
  switch (type) {
    case TensorType::kHalf: return HalfToDouble(static_cast<std::uint16_t>(value));
    case TensorType::kBfloat16: return BfloatToDouble(static_cast<std::uint16_t>(value));
    case TensorType::kUint32:
    case TensorType::kUint64: return static_cast<double>(value);
    case TensorType::kFloat:
    case TensorType::kDouble: return std::nullopt;
    default: return static_cast<double>(static_cast<std::int64_t>(value));
  }
}

struct Scalar {
  bool one_element = true;      // the shape holds exactly one
  std::optional<double> value;  // nullopt: no number, or bytes that do not fit the type
};

Scalar ReadTensor(ProtoReader tensor) {
  Scalar out;
  auto type = TensorType{0};
  std::optional<std::span<const std::byte>> content;
  std::optional<double> real;
  std::optional<std::uint64_t> integer;
  while (tensor.Next()) {
    switch (tensor.key()) {
      case VarintField(1): type = static_cast<TensorType>(tensor.Uint64()); break;
      case BytesField(2): {
        ProtoReader shape = tensor.Message();
        while (shape.Next()) {
          if (shape.key() != BytesField(2)) continue;
          std::int64_t size = 0;
          for (ProtoReader dimension = shape.Message(); dimension.Next();) {
            if (dimension.key() == VarintField(1)) size = dimension.Int64();
          }
          if (size != 1) out.one_element = false;
        }
        break;
      }
      case BytesField(4): content = tensor.Bytes(); break;
      case Fixed32Field(5): real = tensor.Float(); break;
      case BytesField(5): real = Number<float>(tensor.Bytes()); break;
      case Fixed64Field(6): real = tensor.Double(); break;
      case BytesField(6): real = Number<double>(tensor.Bytes()); break;
      case VarintField(7):
      case VarintField(10):
      case VarintField(11):
      case VarintField(13):
      case VarintField(16):
      case VarintField(17): integer = tensor.Uint64(); break;
      case BytesField(7):
      case BytesField(10):
      case BytesField(11):
      case BytesField(13):
      case BytesField(16):
      case BytesField(17): {
        ProtoReader packed(tensor.Bytes());
        std::uint64_t value = 0;
        if (packed.NextPackedVarint(value)) integer = value;
        break;
      }
      default: break;
    }
  }
  if (tensor.damaged()) return out;
  if (content) {
    out.value = FromContent(type, *content);
  } else if (type == TensorType::kFloat || type == TensorType::kDouble) {
    out.value = real;
  } else if (integer) {
    out.value = FromVarint(type, *integer);
  }
  return out;
}

class EventReader {
 public:
  EventReader(SourceId source, FactStore& facts, DamageReport& damage)
      : source_(source),
        facts_(facts),
        damage_(damage),
        tables_(source, "tensorboard", facts, damage) {}

  void Read(std::span<const std::byte> data, std::uint64_t data_offset, std::uint64_t begin, std::uint64_t end) {
    begin_ = begin;
    end_ = end;
    if (ReadPlain(data)) return;
    time_ = std::numeric_limits<double>::quiet_NaN();
    step_ = 0;  // proto3 leaves zero out
    ProtoReader event(data, data_offset);
    std::optional<ProtoReader> summary;
    std::optional<ProtoReader> session;
    while (event.Next()) {
      switch (event.key()) {
        case Fixed64Field(1): time_ = event.Double(); break;
        case VarintField(2): step_ = event.Int64(); break;
        case BytesField(5): summary = event.Message(); break;
        case BytesField(7): session = event.Message(); break;
        default: break;
      }
    }
    bool damaged = event.damaged();
    if (!damaged && session) ReadSession(*session);
    if (!damaged && summary) damaged = !ReadSummary(*summary);
    if (damaged) damage_.Add(AnomalyKind::kCorrupt, begin, end, "A record has the right checksum and is no event.");
  }

 private:
  static constexpr std::size_t kNone = SeriesTables::kNone;
  enum class Plugin : std::uint8_t { kUnknown, kScalars, kOther };  // what the first value of a tag says it belongs to

  // Nearly every record of a large file is one simple value in the order of the field numbers and shorter than 128 bytes, where
  // every length is one byte that follows from the size of the record. False, with nothing done, for anything else.
  bool ReadPlain(std::span<const std::byte> data) {
    constexpr std::size_t kShortest = 9 + 6 + 5;  // time; summary, value and tag without text; the value
    const std::size_t size = data.size();
    if (size < kShortest || size >= 128) return false;
    const auto at = [&](std::size_t i) { return static_cast<std::uint8_t>(data[i]); };
    if (at(0) != Fixed64Field(1)) return false;
    std::size_t i = 9;
    std::uint64_t step = 0;
    if (at(i) == VarintField(2)) {
      unsigned shift = 0;
      do {
        if (++i >= size || shift > 56) return false;
        step |= std::uint64_t{at(i) & 0x7FU} << shift;
        shift += 7;
      } while (at(i) >= 0x80);
      ++i;
    }
    if (size - i < kShortest - 9 || at(i) != BytesField(5) || at(i + 1) != size - i - 2 || at(i + 2) != BytesField(1) ||
        at(i + 3) != size - i - 4 || at(i + 4) != BytesField(1)) {
      return false;
    }
    const std::size_t length = at(i + 5);
    if (length == 0 || length != size - i - 11 || at(size - 5) != Fixed32Field(2)) return false;
    float value = 0;
    std::memcpy(&time_, data.data() + 1, sizeof(time_));
    std::memcpy(&value, data.data() + size - sizeof(value), sizeof(value));
    step_ = static_cast<std::int64_t>(step);
    StartRecord();
    const std::size_t tag = tables_.Find({reinterpret_cast<const char*>(data.data()) + i + 6, length});
    if (tag != kNone) tables_.Add(tag, value);
    return true;
  }

  void ReadSession(ProtoReader session) {
    while (session.Next()) {
      if (session.key() != VarintField(1) || session.Uint64() != 1) continue;
      // START: a writer took the folder over, and what it holds from this step on is void.
      AddConfig("tensorboard.session_start_step", fmt::format("{}", step_));
      if (tables_.has_rows()) ++attempt_;
    }
  }

  void StartRecord() { tables_.StartRecord({.step = step_, .time = time_, .offset = begin_, .attempt = attempt_}, end_); }

  bool ReadSummary(ProtoReader summary) {
    StartRecord();
    while (summary.Next()) {
      if (summary.key() == BytesField(1) && !ReadValue(summary.Message())) return false;
    }
    return !summary.damaged();
  }

  bool ReadValue(ProtoReader value) {
    std::string_view name;
    std::optional<double> simple;
    std::optional<ProtoReader> tensor;
    std::optional<ProtoReader> metadata;
    while (value.Next()) {
      switch (value.key()) {
        case BytesField(1): name = value.Text(); break;
        case Fixed32Field(2): simple = value.Float(); break;
        case BytesField(8): tensor = value.Message(); break;
        case BytesField(9): metadata = value.Message(); break;
        default: break;
      }
    }
    if (value.damaged()) return false;
    if (name.empty()) return true;
    if (simple) {
      if (const std::size_t tag = tables_.Find(name); tag != kNone) tables_.Add(tag, *simple);
      return true;
    }
    if (!tensor && !metadata) return true;
    const std::size_t tag = tables_.Find(name);
    if (tag == kNone) return true;
    if (tag >= plugins_.size()) plugins_.resize(tag + 1, Plugin::kUnknown);
    if (metadata) ReadMetadata(*metadata, plugins_[tag]);
    // Only the first value of a tag says which plugin it belongs to. Where that was lost, one number is a scalar.
    if (!tensor || plugins_[tag] == Plugin::kOther) return true;
    const Scalar scalar = ReadTensor(*tensor);
    if (scalar.value && scalar.one_element) tables_.Add(tag, *scalar.value);
    return true;
  }

  void ReadMetadata(ProtoReader metadata, Plugin& plugin) {
    std::string_view name;
    std::optional<ProtoReader> content;
    std::uint64_t data_class = 0;
    while (metadata.Next()) {
      if (metadata.key() == VarintField(4)) data_class = metadata.Uint64();
      if (metadata.key() != BytesField(1)) continue;
      for (ProtoReader data = metadata.Message(); data.Next();) {
        if (data.key() == BytesField(1)) name = data.Text();
        if (data.key() == BytesField(2)) content = data.Message();
      }
    }
    if (plugin == Plugin::kUnknown) plugin = name == "scalars" || data_class == 1 ? Plugin::kScalars : Plugin::kOther;
    if (name == "hparams" && content) ReadHyperparameters(*content);
  }

  void ReadHyperparameters(ProtoReader content) {
    while (content.Next()) {
      if (content.key() == BytesField(3)) {
        for (ProtoReader start = content.Message(); start.Next();) {
          if (start.key() == BytesField(1)) ReadHyperparameter(start.Message());
        }
      } else if (content.key() == BytesField(4)) {
        constexpr std::array<std::string_view, 4> kNames{"unknown", "success", "failure", "running"};
        for (ProtoReader end = content.Message(); end.Next();) {
          if (end.key() == VarintField(1) && end.Uint64() < kNames.size()) {
            AddConfig("tensorboard.session_status", std::string(kNames[end.Uint64()]));
          }
        }
      }
    }
  }

  // One entry of map<string, google.protobuf.Value>; lists and structs are no single value and are left out.
  void ReadHyperparameter(ProtoReader entry) {
    std::string_view name;
    std::optional<std::string> text;
    while (entry.Next()) {
      if (entry.key() == BytesField(1)) name = entry.Text().substr(0, kMaxTextLength);
      if (entry.key() != BytesField(2)) continue;
      for (ProtoReader value = entry.Message(); value.Next();) {
        switch (value.key()) {
          case VarintField(1): text = "null"; break;
          case Fixed64Field(2): text = fmt::format("{}", value.Double()); break;
          case BytesField(3): text = std::string(value.Text().substr(0, kMaxTextLength)); break;
          case VarintField(4): text = value.Uint64() != 0 ? "true" : "false"; break;
          default: break;
        }
      }
    }
    if (!entry.damaged() && text && !name.empty()) AddConfig("hparams." + std::string(name), *text);
  }

  void AddConfig(const std::string& key, const std::string& value) {
    if (++configured_ > kMaxConfigured) return;
    facts_.Add(ConfigValue{.key = key,
                           .value = WithoutSecrets(key, value),
                           .origin = ConfigValue::Origin::kMetadata,
                           .cite = {.source = source_, .begin = begin_, .end = end_}});
  }

  SourceId source_;
  FactStore& facts_;
  DamageReport& damage_;
  SeriesTables tables_;
  std::vector<Plugin> plugins_;  // by tag
  std::size_t configured_ = 0;
  std::uint32_t attempt_ = 0;
  std::uint64_t begin_ = 0;  // of the record that is being read
  std::uint64_t end_ = 0;
  double time_ = 0;
  std::int64_t step_ = 0;
};

bool HasEventName(std::string_view path) { return BaseName(path).find("tfevents") != std::string_view::npos; }

Match Sniff(const ArtifactHead& head) {
  if (!StartsWithTfRecord(head.bytes)) return HasEventName(head.path) ? Match::kMaybe : Match::kNo;
  if (HasEventName(head.path)) return Match::kYes;
  // TFRecord files of training data have the same frames; an event begins with its wall time and its file version.
  const std::string_view first = head.text().substr(TfRecordReader::kHeader, 64);
  return first.find("brain.Event:") != std::string_view::npos ? Match::kYes : Match::kNo;
}

void Read(const Artifact& artifact, FactStore& facts) {
  using Outcome = TfRecordReader::Outcome;
  const auto stream = OpenStream(artifact.file);
  TfRecordReader records(*stream);
  DamageReport damage(artifact.source, facts);
  EventReader events(artifact.source, facts, damage);
  const auto lost = [&](AnomalyKind kind, std::string statement) {
    damage.Add(kind, records.offset(), records.end(), std::move(statement));
  };
  const auto unreadable = [](const std::string& why) { return "The event file cannot be read to its end: " + why + "."; };
  for (;;) {
    Outcome outcome = records.Next();
    for (; outcome == Outcome::kRecord; outcome = records.Next())
      events.Read(records.data(), records.data_offset(), records.offset(), records.end());
    switch (outcome) {
      case Outcome::kRecord: break;
      case Outcome::kBadData: lost(AnomalyKind::kCorrupt, "The checksum of a record is wrong; the record was left out."); break;
      case Outcome::kOverlong: lost(AnomalyKind::kOverlong, "A record is larger than 16 MiB; it was left out."); break;
      case Outcome::kBadLength:
        return lost(AnomalyKind::kCorrupt, "The checksum of a record's length is wrong; what follows cannot be read.");
      case Outcome::kNulTail:
        return lost(AnomalyKind::kLostBytes,
                    "The event file ends in NUL bytes: its length was written and its data was not, as after a crash of the "
                    "machine or of a file server.");
      case Outcome::kUnreadable: return lost(AnomalyKind::kUnreadable, unreadable(records.error()));
      case Outcome::kCut:
      case Outcome::kEnd:
        if (const std::string why = stream->damage(); !why.empty()) return lost(AnomalyKind::kTruncated, unreadable(why));
        if (records.end() == 0) return lost(AnomalyKind::kEmpty, "The event file is empty.");
        if (records.end() > records.offset()) lost(AnomalyKind::kTruncated, "The event file ends in the middle of a record.");
        return;
    }
  }
}

}  // namespace

extern const Format tensorboard_events;
constinit const Format tensorboard_events{
    .id = "tensorboard-events",
    .title = "TensorBoard event file: scalars of old and new style, hyperparameters",
    .typical_names = "events.out.tfevents.*",
    .sample = "tensorboard/nonfinite/events.out.tfevents.1767225601.node-a.4242.0",
    .sniff = Sniff,
    .read = Read,
};

}  // namespace assay::formats
