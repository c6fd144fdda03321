// SPDX-License-Identifier: Apache-2.0
#pragma once

// Turns the events of a nested document (JSON, YAML, TOML, a Python literal) into dotted keys with one text each, and those into
// ConfigValue facts. A list of plain values is one value, "[0.9, 0.999]"; a list that holds containers is numbered,
// "layers.0.width"; a list item {name: N, value: V}, as job files write variables, becomes ".N". A container that is not closed
// gives what was whole in it, except that a list of plain values counts as one value. Memory is bounded: entries, their text and
// the nesting have caps.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/codecs/lenient_json.h"
#include "evidence/facts/fact_store.h"

namespace assay {

struct ConfigPlace {
  std::uint64_t begin = 0;  // bytes of the source
  std::uint64_t end = 0;
  std::uint64_t line = 0;
};

struct ConfigEntry {
  std::string key;  // dotted path, without any prefix
  std::string value;
  ConfigPlace place;
  bool number = false;  // the document's own syntax says that it is a number
  bool merged = false;  // comes from a merge key: the map's own entry of this name wins
};

class ConfigFlattener {
 public:
  static constexpr std::size_t kMaxEntries = 20000;
  static constexpr std::size_t kMaxTextBytes = std::size_t{8} << 20U;  // of all keys and values
  static constexpr std::size_t kMaxValueBytes = 4096;                  // of one; longer ones end with "…"
  static constexpr std::size_t kMaxKeyBytes = 1024;

  // Inside a map every Begin or Scalar follows a Key.
  void Key(std::string_view key);
  void Scalar(std::string_view value, const ConfigPlace& place, bool number = false);
  // The value is there and is not known: it touches the cut.
  void Lost();
  void BeginMap(const ConfigPlace& place) { Begin(false, place); }
  // `numbered` numbers the values even if all are plain: for lists whose end is not marked, so that a cut one gives no other
  // value.
  void BeginList(const ConfigPlace& place, bool numbered = false) {
    Begin(true, place);
    levels_.back().plain = !numbered;
  }
  void End(std::uint64_t end_offset);  // of the innermost container
  // Forgets the innermost container with all that is in it: its end was never found.
  void Abandon();
  // Repeats entries [first, last), which stand below `root`, at the current position: the alias of an anchor. At the key "<<"
  // they are merged into the map itself.
  void Repeat(std::size_t first, std::size_t last, std::string_view root, const ConfigPlace& place);

  std::size_t depth() const { return levels_.size(); }
  // The key at which the next value will stand.
  std::string Path() const;
  const std::vector<ConfigEntry>& entries() const { return entries_; }
  std::vector<ConfigEntry>& entries() { return entries_; }
  // Where a cap was hit: everything from there on was dropped.
  std::optional<ConfigPlace> overflow() const { return overflow_; }

 private:
  struct Level {
    bool list = false;
    std::size_t path_length = 0;  // of the container itself
    std::size_t first_entry = 0;
    std::uint64_t items = 0;
    bool plain = true;                 // a list without containers so far
    std::vector<ConfigEntry> waiting;  // its values
    std::string key;                   // of a map: the key that waits for its value
    ConfigPlace place;
  };
  void Begin(bool list, const ConfigPlace& place);
  void Add(std::string_view key, std::string_view value, const ConfigPlace& place, bool number, bool merged);
  void FlushWaiting(Level& level);
  void NameListItem(const Level& item);
  std::string Joined(std::string_view component) const;

  std::string path_;
  std::vector<Level> levels_;
  std::vector<ConfigEntry> entries_;
  std::size_t text_bytes_ = 0;
  std::optional<ConfigPlace> overflow_;
};

// The value that comes next in `json`, with all that is inside. False when the reader failed.
bool FlattenNext(JsonReader& json, ConfigFlattener& into);
// The same for a value whose first token was taken already.
bool FlattenFrom(JsonReader& json, const JsonToken& first, ConfigFlattener& into);

// Adds the entries as facts, their keys behind `prefix`, credentials left out; an anomaly where a cap was hit.
void PushConfig(ConfigFlattener& flat, std::string_view prefix, ConfigValue::Origin origin, SourceId source, FactStore& facts);

// What the run itself wrote down when it started (hparams.yaml, args.json, a wandb or hydra folder) is kMetadata, and says more
// of the run than a file that somebody wrote before (kFile).
ConfigValue::Origin OriginOfConfigFile(std::string_view path);

}  // namespace assay
