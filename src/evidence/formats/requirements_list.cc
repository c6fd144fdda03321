// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.h"
#include "evidence/codecs/byte_stream.h"
#include "evidence/codecs/line_reader.h"
#include "evidence/codecs/secret_filter.h"
#include "evidence/codecs/yaml_kinds.h"
#include "evidence/formats/format.h"

// Lists of installed or wanted packages: requirements.txt and `pip freeze` (name==version), `pip list` and `conda list`
// (columns), conda's environment.yml (name=version=build). Each becomes "package.<name>"; a wanted range keeps its sign
// (">=2.0").
namespace assay::formats {
namespace {

constexpr std::size_t kMaxPackages = 20000;

bool IsNameChar(char c) { return IsIdentifierChar(c) || c == '-' || c == '.'; }

struct Package {
  std::string name;
  std::string version;  // empty: any
};

// "numpy==1.26.4 ; python_version > '3.8'", "torch @ file:///x", "name=1.0=py311_0" as conda writes it.
std::optional<Package> ParsePackage(std::string_view text) {
  text = Trim(text.substr(0, text.find(" #")));
  std::size_t i = 0;
  while (i < text.size() && IsNameChar(text[i])) ++i;
  if (i == 0 || i > 200 || IsDigit(text[0])) return std::nullopt;
  Package package{.name = std::string(text.substr(0, i))};
  if (i < text.size() && text[i] == '[') i = std::min(text.find(']', i), text.size() - 1) + 1;  // extras
  std::string_view rest = Trim(text.substr(i));
  rest = Trim(rest.substr(0, rest.find(';')));
  if (rest.starts_with('@')) return package.version = std::string(Trim(rest.substr(1))), package;
  if (rest.empty()) return package;
  if (rest.starts_with("===")) {
    rest.remove_prefix(3);
  } else if (rest.starts_with("==")) {
    rest.remove_prefix(2);
  } else if (rest[0] == '=') {
    rest = rest.substr(1, rest.find('=', 1) - 1);  // conda: the build follows a second sign
  } else if (rest[0] != '<' && rest[0] != '>' && rest[0] != '~' && rest[0] != '!') {
    return std::nullopt;
  }
  package.version = std::string(Trim(rest));
  const bool plain = !package.version.empty() && package.version.size() < 200 && package.version.find(' ') == std::string::npos;
  return plain ? std::optional(package) : std::nullopt;
}

// "numpy   1.26.4   py311h64a7726_0   conda-forge": name and version of `pip list` and `conda list`.
std::optional<Package> ParseColumns(std::string_view text) {
  const std::size_t name_end = text.find(' ');
  if (name_end == std::string_view::npos || name_end == 0) return std::nullopt;
  const std::string_view name = text.substr(0, name_end);
  const std::string_view rest = Trim(text.substr(name_end));
  const std::string_view version = rest.substr(0, rest.find(' '));
  if (!std::all_of(name.begin(), name.end(), IsNameChar) || version.empty() || !IsDigit(version[0])) return std::nullopt;
  return Package{std::string(name), std::string(version)};
}

bool IsColumnsHeader(std::string_view line) {
  return line.starts_with("# packages in environment") ||
         (line.starts_with("Package ") && line.find("Version") != std::string_view::npos);
}

Match Sniff(const ArtifactHead& head) {
  const std::string_view name = BaseName(head.path);
  const std::string_view text = head.text();
  if (name.ends_with(".yml") || name.ends_with(".yaml")) return LooksLikeCondaEnvironment(text) ? Match::kYes : Match::kNo;
  if (!name.ends_with(".txt") && !name.ends_with(".log") && !name.ends_with(".in") && name.find('.') != std::string_view::npos)
    return Match::kNo;
  int pinned = 0;
  int lines = 0;
  bool columns = false;
  std::vector<std::string_view> all = Split(text, '\n');
  all.pop_back();  // the last may be cut
  for (std::string_view line : all) {
    line = Trim(line);
    columns = columns || IsColumnsHeader(line);
    if (line.empty() || line[0] == '#' || line.starts_with("--") || line.starts_with("-e ") || line.starts_with("-r ")) continue;
    ++lines;
    const auto package = columns ? ParseColumns(line) : ParsePackage(line);
    if (package && !package->version.empty()) ++pinned;
  }
  if (columns) return pinned > 0 ? Match::kYes : Match::kNo;
  const bool named = name.find("requirements") != std::string_view::npos || name.find("freeze") != std::string_view::npos;
  return pinned > 0 && (pinned * 10 >= lines * 8 || (named && pinned * 2 >= lines)) ? Match::kYes : Match::kNo;
}

void Read(const Artifact& artifact, FactStore& facts) {
  const auto stream = OpenStream(artifact.file);
  LineReader lines(*stream);
  LineDamage damage("the list of packages", artifact.source, facts);
  const bool yaml = artifact.path.ends_with(".yml") || artifact.path.ends_with(".yaml");
  bool columns = false;
  bool inside = !yaml;  // of environment.yml's dependencies
  std::size_t count = 0;
  while (const auto line = lines.Next()) {
    std::string_view text = Trim(line->text);
    columns = columns || IsColumnsHeader(text);
    if (yaml && !line->text.empty() && !IsSpace(line->text[0]) && line->text[0] != '-' && line->text[0] != '#') {
      inside = text.starts_with("dependencies:");
      continue;
    }
    if (!inside || text.empty() || text[0] == '#' || text.starts_with("--")) continue;
    if (yaml) {
      if (!text.starts_with("- ")) continue;
      text = Trim(text.substr(2));
      if (text.ends_with(':')) continue;  // "- pip:"
    }
    if (!line->complete) {
      damage.CutLine(*line);
      break;
    }
    const auto package = columns ? ParseColumns(text) : ParsePackage(text);
    if (!package || ++count > kMaxPackages) continue;
    const auto begin = line->begin + static_cast<std::uint64_t>(text.data() - line->text.data());
    facts.Add(ConfigValue{.key = "package." + package->name,
                          .value = WithoutSecrets("package", package->version),
                          .origin = ConfigValue::Origin::kMetadata,
                          .cite = {.source = artifact.source, .begin = begin, .end = begin + text.size(), .line = line->number}});
  }
  damage.Finish(lines);
}

}  // namespace

extern const Format requirements_list;
constinit const Format requirements_list{
    .id = "requirements-list",
    .title = "List of Python packages and their versions",
    .typical_names = "requirements.txt, pip-freeze.txt, conda list, environment.yml",
    .sample = "wandb/finished/wandb/offline-run-20260101_000000-finished/files/requirements.txt",
    .sniff = Sniff,
    .read = Read,
};

}  // namespace assay::formats
