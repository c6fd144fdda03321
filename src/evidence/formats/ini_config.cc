// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/text.h"
#include "evidence/codecs/config_flattener.h"
#include "evidence/codecs/whole_text.h"
#include "evidence/formats/format.h"

// Configurations of Python's configparser: "[section]", "key = value" or "key: value", comments with '#' or ';' at the start of a
// line. Continuation lines belong to the value above and are left out of it.
namespace assay::formats {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 20U;

Match Sniff(const ArtifactHead& head) {
  const std::string_view name = BaseName(head.path);
  constexpr std::array<std::string_view, 5> kTools{"setup.cfg", "tox.ini", "pytest.ini", "mypy.ini", "alembic.ini"};
  for (const std::string_view tool : kTools) {
    if (name == tool) return Match::kNo;
  }
  if (!name.ends_with(".ini") && !name.ends_with(".cfg") && !name.ends_with(".conf")) return Match::kNo;
  for (std::string_view line : Split(head.text(), '\n')) {
    line = Trim(line);
    if (line.empty() || line[0] == '#' || line[0] == ';') continue;
    return line[0] == '[' || line.find('=') != std::string_view::npos ? Match::kYes : Match::kNo;
  }
  return Match::kNo;
}

void Read(const Artifact& artifact, FactStore& facts) {
  const WholeText whole = ReadWholeText(artifact.file, artifact.source, "the INI file", kMaxBytes, facts);
  ConfigFlattener flat;
  flat.BeginMap({});
  bool in_section = false;
  std::string_view section;  // named, without a value yet
  ConfigPlace section_at;
  std::uint64_t line_number = 0;
  std::size_t at = 0;
  const std::string_view text = whole.text;
  while (at < text.size() && !flat.overflow()) {
    const std::size_t newline = text.find('\n', at);
    const std::size_t begin = at;
    at = newline == std::string_view::npos ? text.size() : newline + 1;
    ++line_number;
    if (newline == std::string_view::npos) {
      // Without its end the last value may be half of one.
      facts.AddAnomaly(
          {.kind = AnomalyKind::kTruncated,
           .cite = {.source = artifact.source, .begin = whole.base + begin, .end = whole.base + text.size(), .line = line_number},
           .bytes_lost = text.size() - begin,
           .statement = "The last line of the INI file has no end."});
      break;
    }
    const std::string_view raw = text.substr(begin, newline - begin);
    const std::string_view line = Trim(raw);
    if (line.empty() || line[0] == '#' || line[0] == ';' || IsSpace(raw[0])) continue;
    if (line[0] == '[') {
      const std::size_t close = line.find(']');
      if (close == std::string_view::npos || close == 1) continue;
      if (in_section) flat.End(whole.base + begin);
      in_section = false;
      section = line.substr(1, close - 1);
      section_at = {.begin = whole.base + begin, .end = whole.base + begin + raw.size(), .line = line_number};
      continue;
    }
    const std::size_t sign = line.find_first_of("=:");
    if (sign == std::string_view::npos || sign == 0) continue;
    const std::string_view key = Trim(line.substr(0, sign));
    const std::string_view value = Trim(line.substr(sign + 1));
    if (!section.empty()) {
      // Opened by its first value: a section that is cut behind its name says nothing.
      flat.Key(section);
      flat.BeginMap(section_at);
      in_section = true;
      section = {};
    }
    const std::size_t value_at = begin + static_cast<std::size_t>(value.data() - raw.data());
    flat.Key(key);
    flat.Scalar(value, {.begin = whole.base + value_at, .end = whole.base + value_at + value.size(), .line = line_number},
                ParseNumber(value).has_value());
  }
  if (in_section) flat.End(whole.base + text.size());
  PushConfig(flat, "", OriginOfConfigFile(artifact.path), artifact.source, facts);
}

}  // namespace

extern const Format ini_config;
constinit const Format ini_config{
    .id = "ini-config",
    .title = "Configuration in the INI form of Python's configparser",
    .typical_names = "config.ini, train.cfg",
    .sample = "configparser/training.ini",
    .sniff = Sniff,
    .read = Read,
};

}  // namespace assay::formats
