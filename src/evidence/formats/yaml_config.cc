// SPDX-License-Identifier: Apache-2.0
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <istream>
#include <map>
#include <optional>
#include <streambuf>

#include "base/text.h"
#include "evidence/codecs/byte_stream.h"
#include "evidence/codecs/command_line.h"
#include "evidence/codecs/config_flattener.h"
#include "evidence/codecs/secret_filter.h"
#include "evidence/codecs/whole_text.h"
#include "evidence/codecs/yaml_kinds.h"
#include "evidence/formats/format.h"

// Configurations in YAML: hand-written ones, hparams.yaml and args.yaml of the trainers, hydra's folder, wandb's config.yaml, job
// and pod descriptions. Only the parser's events are used: no node is built, a tag is never followed ("!!python/object" stays
// text) and an alias repeats facts that were read, so that a bomb of aliases ends at the cap of entries.
namespace assay::formats {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{4} << 20U;

Match Sniff(const ArtifactHead& head) {
  const std::string_view name = BaseName(head.path);
  if (!name.ends_with(".yaml") && !name.ends_with(".yml")) return Match::kNo;
  if (LooksLikeCondaEnvironment(head.text()) || LooksLikeMlflowMeta(head.path, head.text())) return Match::kNo;
  for (std::string_view line : Split(head.text(), '\n')) {
    line = Trim(line);
    if (line.empty() || line[0] == '#' || line[0] == '%' || line.starts_with("---")) continue;
    const bool mapping = line.find(": ") != std::string_view::npos || line.ends_with(':');
    return mapping || line.starts_with("- ") || line[0] == '{' || line[0] == '[' ? Match::kYes : Match::kNo;
  }
  return Match::kNo;
}

std::string_view LastKey(std::string_view path) { return path.substr(path.rfind('.') + 1); }  // npos + 1 is 0

bool IsCommandKey(std::string_view path) {
  const std::string_view last = LastKey(path);
  return last == "command" || last == "cmd" || last == "args" || last == "entrypoint" || last == "run";
}

// Reads straight from the text: the parser sees one byte for each of ours, so that its marks are our offsets.
class ViewBuffer : public std::streambuf {
 public:
  explicit ViewBuffer(std::string& text) { setg(text.data(), text.data(), text.data() + text.size()); }
};

class Handler : public YAML::EventHandler {
 public:
  // `base` is the offset of text[0] in the artifact.
  Handler(std::string_view text, std::uint64_t base, ConfigFlattener& flat) : text_(text), base_(base), flat_(flat) {}

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    last_mark_ = mark;
    unsure_.reset();
    if (BecameKey("null")) return;
    if (!Ignored()) {
      // A key without value as the last thing read: the value may stand in what is lost.
      unsure_ = flat_.entries().size();
      flat_.Scalar("null", PlaceOf(mark, 0));
    }
    ValueDone();
  }
  void OnScalar(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor, const std::string& value) override {
    const char first = At(mark) < text_.size() ? text_[At(mark)] : ' ';
    Text(mark, value, anchor, first == '"' || first == '\'');
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    last_mark_ = mark;
    if (BecameKey("*")) return;
    const auto found = anchors_.find(anchor);
    if (found != anchors_.end()) flat_.Repeat(found->second.first, found->second.last, found->second.root, PlaceOf(mark, 1));
    ValueDone();
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    Open(mark, anchor, false, style != YAML::EmitterStyle::Flow);
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    Open(mark, anchor, true, false);
  }
  void OnMapEnd() override { Close(); }

  bool touched_end() const { return touched_end_; }
  // A missing value, or a folded or literal text, that nothing follows may go on in what is lost: it is taken back.
  void TakeBackUnsure() {
    if (!unsure_ || *unsure_ + 1 != flat_.entries().size()) return;
    touched_end_ = touched_end_ || flat_.entries().back().value != "null";
    flat_.entries().pop_back();
  }
  // The parser gave up: a list in brackets that is still open is no value, whatever it was made of so far.
  void AbandonOpenLists() {
    const auto open = std::find_if(levels_.begin(), levels_.end(), [](const Level& level) { return level.brackets; });
    if (open == levels_.end()) return;
    const auto outside =
        static_cast<std::size_t>(std::count_if(levels_.begin(), open, [](const Level& level) { return !level.ignored; }));
    while (flat_.depth() > outside) flat_.Abandon();
  }
  // The documents of one file ("---") become one set of values; an unfinished one is closed.
  void EndDocument() {
    while (!levels_.empty()) Close();
  }

 private:
  struct Level {
    bool map = false;
    bool wants_key = true;
    bool brackets = false;  // a list whose end is marked
    bool ignored = false;   // a container used as a key: nothing inside is a value
    YAML::anchor_t anchor = 0;
    std::size_t first = 0;
    std::string root;
  };
  struct Anchored {
    std::size_t first = 0;
    std::size_t last = 0;
    std::string root;
  };

  std::size_t At(const YAML::Mark& mark) const { return std::min(static_cast<std::size_t>(std::max(mark.pos, 0)), text_.size()); }

  ConfigPlace PlaceOf(const YAML::Mark& mark, std::size_t length) const {
    const std::size_t begin = At(mark);
    return {.begin = base_ + begin,
            .end = base_ + std::min(begin + length, text_.size()),
            .line = static_cast<std::uint64_t>(std::max(mark.line, 0)) + 1};
  }

  // Where the text at `mark` ends: behind its closing quote, or at the end of its line where the value is folded.
  std::size_t LengthAt(const YAML::Mark& mark, const std::string& value, bool quoted) const {
    const std::string_view rest = text_.substr(At(mark));
    if (!quoted && rest.starts_with(value)) return value.size();
    if (quoted) {
      for (std::size_t i = 1; i < rest.size(); ++i) {
        if (rest[i] == '\\' && rest[0] == '"') {
          ++i;
        } else if (rest[i] == rest[0]) {
          return i + 1;
        }
      }
      return rest.size();  // never closed
    }
    return std::min(rest.find('\n'), rest.size());
  }

  void Text(const YAML::Mark& mark, const std::string& value, YAML::anchor_t anchor, bool quoted) {
    last_mark_ = mark;
    unsure_.reset();
    if (BecameKey(value)) return;
    const ConfigPlace place = PlaceOf(mark, LengthAt(mark, value, quoted));
    // Without a newline behind it a value may go on in what is lost, unless its closing quote is there.
    const bool closed = quoted && place.end - place.begin > 1 && text_[place.end - base_ - 1] == text_[place.begin - base_];
    const bool at_end = place.end == base_ + text_.size() && !closed;
    touched_end_ = touched_end_ || at_end;
    const std::size_t first = flat_.entries().size();
    if (!at_end && !Ignored()) {
      flat_.Scalar(value, place);
      const bool folded = !quoted && (value.empty() || !text_.substr(At(mark)).starts_with(value));
      if (folded && flat_.entries().size() > first) unsure_ = first;
      if (anchor != 0)
        anchors_[anchor] = {first, flat_.entries().size(), flat_.entries().size() > first ? flat_.entries().back().key : ""};
    } else {
      flat_.Lost();
    }
    ValueDone();
  }

  // True when the event was a map's key.
  bool BecameKey(const std::string& text) {
    if (levels_.empty() || !levels_.back().map || !levels_.back().wants_key) return false;
    levels_.back().wants_key = false;
    if (!Ignored()) flat_.Key(text);
    return true;
  }
  bool Ignored() const { return !levels_.empty() && levels_.back().ignored; }
  void ValueDone() {
    if (!levels_.empty()) levels_.back().wants_key = true;
  }

  void Open(const YAML::Mark& mark, YAML::anchor_t anchor, bool map, bool unmarked_end) {
    last_mark_ = mark;
    unsure_.reset();
    const bool as_key = !levels_.empty() && levels_.back().map && levels_.back().wants_key;
    const bool ignored = Ignored() || as_key;
    std::string root = flat_.Path();
    if (!ignored && map) flat_.BeginMap(PlaceOf(mark, 1));
    // The words of a command belong together even where their end is not marked.
    if (!ignored && !map) flat_.BeginList(PlaceOf(mark, 1), unmarked_end && !IsCommandKey(root));
    levels_.push_back({.map = map,
                       .brackets = !map && !unmarked_end,
                       .ignored = ignored,
                       .anchor = anchor,
                       .first = flat_.entries().size(),
                       .root = std::move(root)});
  }

  void Close() {
    if (levels_.empty()) return;
    const Level level = std::move(levels_.back());
    levels_.pop_back();
    if (!level.ignored) {
      flat_.End(PlaceOf(last_mark_, 0).begin);
      if (level.anchor != 0) anchors_[level.anchor] = {level.first, flat_.entries().size(), level.root};
    }
    if (levels_.empty() || !levels_.back().map) return;
    if (levels_.back().wants_key) {
      levels_.back().wants_key = false;  // the container was the key itself
      if (!Ignored()) flat_.Key("?");
    } else {
      levels_.back().wants_key = true;
    }
  }

  std::string_view text_;
  std::uint64_t base_;
  ConfigFlattener& flat_;
  std::vector<Level> levels_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  YAML::Mark last_mark_;
  std::optional<std::size_t> unsure_;  // entry of the last value, if its end is not marked
  bool touched_end_ = false;
};

// wandb's config.yaml wraps every value: {lr: {desc: null, value: 0.1}}.
void UnwrapWandb(ConfigFlattener& flat) {
  const bool wandb = std::any_of(flat.entries().begin(), flat.entries().end(), [](const ConfigEntry& e) {
    return e.key == "wandb_version" || e.key.starts_with("_wandb.value");
  });
  if (!wandb) return;
  std::erase_if(flat.entries(), [](const ConfigEntry& e) { return e.key.ends_with(".desc") && e.value == "null"; });
  for (ConfigEntry& e : flat.entries()) {
    const std::size_t dot = e.key.find('.');
    const std::string_view below = dot == std::string::npos ? std::string_view() : std::string_view(e.key).substr(dot);
    if (below == ".value" || below.starts_with(".value.")) e.key.erase(dot, 6);
  }
}

void PushOptions(std::span<const CommandWord> words, const ConfigPlace& place, SourceId source, FactStore& facts) {
  for (const CommandOption& option : OptionsOf(words)) {
    facts.Add(ConfigValue{.key = "argv." + option.name,
                          .value = WithoutSecrets(option.name, option.value),
                          .origin = ConfigValue::Origin::kArguments,
                          .cite = {.source = source, .begin = place.begin, .end = place.end, .line = place.line}});
  }
}

// Where a key names a command, its options are arguments of the run; hydra's overrides.yaml is a list of them.
void PushCommands(const ConfigFlattener& flat, std::string_view path, SourceId source, FactStore& facts) {
  const bool overrides = BaseName(path) == "overrides.yaml";
  for (const ConfigEntry& e : flat.entries()) {
    if (overrides) PushOptions(std::array{CommandWord{.text = e.value}}, e.place, source, facts);
    if (!IsCommandKey(e.key)) continue;
    std::string text = e.value;
    const bool list = text.starts_with('[') && text.ends_with(']');
    if (list) {
      // The commas between the words are the flattener's.
      text = text.substr(1, text.size() - 2);
      for (std::size_t at = text.find(", "); at != std::string::npos; at = text.find(", ", at)) text.erase(at, 1);
    }
    const std::vector<CommandWord> words = SplitCommand(text);
    const std::span<const CommandWord> launch = LaunchPart(words);
    // A pod's "args" hold the options alone, the program stands in "command" or in the image.
    PushOptions(launch.empty() && list ? std::span<const CommandWord>(words) : launch, e.place, source, facts);
  }
}

void Read(const Artifact& artifact, FactStore& facts) {
  WholeText whole = ReadWholeText(artifact.file, artifact.source, "the YAML file", kMaxBytes, facts);
  if (whole.text.empty()) return;
  const std::string& text = whole.text;
  const auto anomaly = [&](AnomalyKind kind, std::size_t at, std::uint64_t line, const std::string& statement) {
    at = std::min(at, text.size()) + static_cast<std::size_t>(whole.base);
    facts.AddAnomaly(
        {.kind = kind, .cite = {.source = artifact.source, .begin = at, .end = at, .line = line}, .statement = statement});
  };
  ConfigFlattener flat;
  Handler handler(text, whole.base, flat);
  ViewBuffer buffer(whole.text);
  std::istream stream(&buffer);
  try {
    YAML::Parser parser(stream);
    for (int documents = 0; documents < 1000 && parser.HandleNextDocument(handler); ++documents) handler.EndDocument();
  } catch (const YAML::DeepRecursion& error) {
    handler.AbandonOpenLists();
    anomaly(AnomalyKind::kOverlong, static_cast<std::size_t>(std::max(error.mark.pos, 0)),
            static_cast<std::uint64_t>(std::max(error.mark.line, 0)) + 1,
            "The YAML file was read up to this place only: its values are nested too deep.");
  } catch (const YAML::Exception& error) {
    handler.AbandonOpenLists();
    const auto at = static_cast<std::size_t>(std::max(error.mark.pos, 0));
    const auto line = static_cast<std::uint64_t>(std::max(error.mark.line, 0)) + 1;
    const bool cut = Trim(std::string_view(text).substr(std::min(at, text.size()))).empty();
    anomaly(cut ? AnomalyKind::kTruncated : AnomalyKind::kCorrupt, at, line,
            (cut ? "The YAML file is cut in line " : "The YAML file is malformed in line ") + std::to_string(line) + ": " +
                Printable(error.msg, 200) + "; what stands before it was read.");
  }
  handler.TakeBackUnsure();
  if (handler.touched_end()) {
    anomaly(AnomalyKind::kTruncated, text.size(), 0,
            "The YAML file ends without a newline: its last value may be cut and was not used.");
  }
  UnwrapWandb(flat);
  PushCommands(flat, artifact.path, artifact.source, facts);
  PushConfig(flat, "", OriginOfConfigFile(artifact.path), artifact.source, facts);
}

}  // namespace

extern const Format yaml_config;
constinit const Format yaml_config{
    .id = "yaml-config",
    .title = "Configuration in YAML",
    .typical_names = "configs/*.yaml, hparams.yaml, args.yaml, .hydra/*.yaml, wandb config.yaml, jobs/*.yaml, docs/ops/runs.yaml",
    .sample = "lightning/finished/lightning_logs/version_0/hparams.yaml",
    .sniff = Sniff,
    .read = Read,
};

}  // namespace assay::formats
