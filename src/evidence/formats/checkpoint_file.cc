// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "evidence/codecs/container_check.h"
#include "evidence/formats/format.h"

// Checkpoints by name, size and whether their container is whole. The tensors in them are never read.
namespace assay::formats {
namespace {

// Files with these endings are checkpoints; those with the others only if their path says so, for datasets have them too.
constexpr std::array<std::string_view, 6> kCheckpointEndings{".pt", ".pth", ".ckpt", ".safetensors", ".keras", ".distcp"};
constexpr std::array<std::string_view, 6> kSharedEndings{".bin", ".h5", ".hdf5", ".npz", ".npy", ".msgpack"};
constexpr std::array<std::string_view, 15> kCheckpointWords{"checkpoint", "ckpt",   "model",   "weight", "state",
                                                            "epoch",      "step",   "iter",    "optim",  "optimizer",
                                                            "scheduler",  "scaler", "adapter", "best",   "snapshot"};

enum class Name { kOther, kShared, kCheckpoint };

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// One of the words, alone or in the plural.
bool ContainsWord(std::string_view path) {
  const std::string lower = ToLower(path);
  for (const std::string_view word : kCheckpointWords) {
    for (std::size_t at = lower.find(word); at != std::string::npos; at = lower.find(word, at + 1)) {
      std::size_t end = at + word.size();
      if (end < lower.size() && lower[end] == 's') ++end;
      if ((at == 0 || !IsLetter(lower[at - 1])) && (end == lower.size() || !IsLetter(lower[end]))) return true;
    }
  }
  return false;
}

// The last two components: "checkpoint-500/pytorch_model.bin".
std::string_view NearPath(std::string_view path) {
  const std::string_view name = BaseName(path);
  const std::string_view folder = BaseName(ParentPath(path));
  return folder.empty() ? name : path.substr(path.size() - name.size() - 1 - folder.size());
}

// TensorFlow writes "model.ckpt-500.index" and "model.ckpt-500.data-00000-of-00001".
bool IsTensorFlowPart(std::string_view name) {
  const bool part = name.ends_with(".index") || name.find(".data-") != std::string_view::npos;
  return part && name.find("ckpt") != std::string_view::npos;
}

Name Classify(std::string_view path) {
  const std::string_view name = BaseName(path);
  const std::string ending = ToLower(Extension(path));
  // The Trainer writes its arguments once at the start, in the container of a checkpoint.
  if (name == "training_args.bin") return Name::kShared;
  const auto among = [&](const auto& endings) { return std::find(endings.begin(), endings.end(), ending) != endings.end(); };
  if (among(kCheckpointEndings) || IsTensorFlowPart(name)) return Name::kCheckpoint;
  if (!among(kSharedEndings)) return Name::kOther;
  return ContainsWord(NearPath(path)) ? Name::kCheckpoint : Name::kShared;
}

// The number behind a word that names steps: "step=500", "global_step500", "checkpoint-500", "iter_0000500", "model.ckpt-500".
// Numbers of epochs and of saves are no steps.
std::optional<std::int64_t> StepInComponent(std::string_view component) {
  struct Word {
    std::string_view text;
    std::string_view separators;  // that may stand before the number; blank: it may follow at once
  };
  constexpr std::array<Word, 6> kWords{Word{"step", "=_- "},    Word{"iteration", "=_- "}, Word{"iter", "=_- "},
                                       Word{"checkpoint", "-"}, Word{".ckpt", "-"},        Word{"updates", "=_- "}};
  const std::string lower = ToLower(component);
  for (const Word& word : kWords) {
    for (std::size_t at = lower.find(word.text); at != std::string::npos; at = lower.find(word.text, at + 1)) {
      if (at > 0 && IsLetter(lower[at - 1]) && IsLetter(word.text[0])) continue;
      std::size_t begin = at + word.text.size();
      if (word.text == "step" && begin < lower.size() && lower[begin] == 's') ++begin;
      const bool separated = begin < lower.size() && word.separators.find(lower[begin]) != std::string_view::npos;
      if (!separated && word.separators.size() == 1) continue;
      if (separated) ++begin;
      std::size_t end = begin;
      while (end < lower.size() && IsDigit(lower[end])) ++end;
      if (end == begin || end - begin > 15) continue;
      if (end < lower.size() && IsIdentifierChar(lower[end]) && lower[end] != '_') continue;  // "step5k", a hash
      return ParseInteger(std::string_view(lower).substr(begin, end - begin));
    }
  }
  return std::nullopt;
}

// In the file's name, or else in the nearest folder above it that has one.
std::optional<std::int64_t> StepOfPath(std::string_view path) {
  for (int level = 0; level < 4 && !path.empty(); ++level) {
    if (const auto step = StepInComponent(BaseName(path))) return step;
    const std::string_view parent = ParentPath(path);
    if (parent == path) break;
    path = parent;
  }
  return std::nullopt;
}

// "out/checkpoint-*/model.safetensors"
std::string GroupOfPath(std::string_view path) {
  std::string group;
  for (const char c : path) {
    if (!IsDigit(c)) {
      group += c;
    } else if (group.empty() || group.back() != '*') {
      group += '*';
    }
  }
  return group;
}

bool LooksLikeText(std::span<const std::byte> head) {
  return std::all_of(head.begin(), head.end(), [](std::byte b) {
    const auto c = static_cast<unsigned char>(b);
    return c >= 0x20 || IsSpace(static_cast<char>(c)) || c == 0x1B;
  });
}

Match Sniff(const ArtifactHead& head) {
  const Name name = Classify(head.path);
  if (name == Name::kOther) return Match::kNo;
  const Container container = SniffContainer(head.bytes);
  if (name == Name::kShared) {
    // Tokens of a dataset in "train.bin" may begin with anything, NUL bytes too.
    const bool certain = container != Container::kNone && container != Container::kNul && container != Container::kPickle;
    return certain ? Match::kYes : Match::kNo;
  }
  if (container != Container::kNone || head.bytes.empty()) return Match::kYes;
  return LooksLikeText(head.bytes) ? Match::kNo : Match::kMaybe;
}

// LevelDB's table format closes with 48 bytes that end in this number.
bool EndsAsTable(const RandomAccessFile& file) {
  constexpr std::string_view kMagic("\x57\xfb\x80\x8b\x24\x75\x47\xdb", 8);
  std::array<std::byte, 8> tail{};
  if (file.size() < 48) return false;
  const auto got = file.ReadAt(file.size() - tail.size(), tail);
  const std::string_view text(reinterpret_cast<const char*>(tail.data()), tail.size());
  return got.has_value() && *got == tail.size() && text == kMagic;
}

Result<ContainerState> Check(const Artifact& artifact) {
  const std::string_view name = BaseName(artifact.path);
  if (IsTensorFlowPart(name) && name.ends_with(".index")) {
    if (EndsAsTable(artifact.file)) return ContainerState{.wholeness = ContainerState::Wholeness::kWhole};
    return ContainerState{
        .wholeness = ContainerState::Wholeness::kCut, .why = "its closing record is missing", .at = artifact.file.size()};
  }
  std::array<std::byte, 64> head{};
  ASSAY_TRY(const std::size_t got, artifact.file.ReadAt(0, head));
  Container container = SniffContainer(std::span(head).first(got));
  if (name.ends_with(".safetensors") && container == Container::kNone) container = Container::kSafetensors;
  // A distributed checkpoint strings many archives together; the end of one says nothing about the others.
  if (name.ends_with(".distcp") && container == Container::kZip) container = Container::kNone;
  return CheckContainer(container, artifact.file);
}

void Read(const Artifact& artifact, FactStore& facts) {
  using State = CheckpointFile::State;
  const std::uint64_t size = artifact.file.size();
  CheckpointFile fact{.size = size,
                      .modified = facts.source(artifact.source).modified,
                      .step = StepOfPath(artifact.path),
                      .group = GroupOfPath(artifact.path),
                      .cite = {.source = artifact.source, .begin = 0, .end = size}};
  const std::string name(Printable(BaseName(artifact.path)));
  Anomaly anomaly{.cite = {.source = artifact.source, .begin = size, .end = size}};
  if (size == 0) {
    fact.state = State::kEmpty;
    fact.why = "it has no bytes";
    anomaly.kind = AnomalyKind::kEmpty;
    anomaly.statement = name + " is empty.";
  } else if (const auto state = Check(artifact); !state.has_value()) {
    fact.why = "it could not be read";
    anomaly.kind = AnomalyKind::kUnreadable;
    anomaly.statement = name + " could not be read: " + state.error().reason + ".";
  } else {
    fact.why = state->why;
    if (state->wholeness == ContainerState::Wholeness::kWhole) fact.state = State::kWhole;
    if (state->wholeness == ContainerState::Wholeness::kCut) {
      fact.state = State::kCut;
      anomaly.kind = state->damage;
      anomaly.cite.begin = std::min(state->at, size);
      anomaly.statement = name + " is not whole: " + state->why + ".";
    }
  }
  if (!anomaly.statement.empty()) facts.AddAnomaly(std::move(anomaly));
  if (Classify(artifact.path) == Name::kCheckpoint) facts.Add(std::move(fact));
}

}  // namespace

extern const Format checkpoint_file;
constinit const Format checkpoint_file{
    .id = "checkpoint-file",
    .title = "Checkpoint: PyTorch, safetensors, Keras, HDF5, NumPy; whether it is whole, not what is in it",
    .typical_names = "*.pt, *.pth, *.ckpt, *.safetensors, *.distcp, pytorch_model.bin, *.h5, *.keras, *.npz",
    .sample = "torch_checkpoint/tiny/tiny.pt",
    .sniff = Sniff,
    .read = Read,
};

}  // namespace assay::formats
