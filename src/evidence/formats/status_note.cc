// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.h"
#include "evidence/codecs/byte_stream.h"
#include "evidence/codecs/line_reader.h"
#include "evidence/codecs/secret_filter.h"
#include "evidence/formats/format.h"

// Notes that people and agents keep on a run: docs/ops/runs/<run>-status.md and the debug notes beside them. What they quote of a
// log is somebody's word and no evidence, so the log reader must not see them; only their fields ("- state: running") become
// facts, of a kind of their own: they are no settings.
namespace assay::formats {
namespace {

constexpr std::size_t kMaxFields = 1000;

Match Sniff(const ArtifactHead& head) {
  const std::string_view name = BaseName(head.path);
  if (!name.ends_with(".md")) return Match::kNo;
  const std::string_view folder = ParentPath(head.path);
  const bool among_runs = folder == "docs/ops/runs" || folder.ends_with("/docs/ops/runs");
  return among_runs || name.ends_with("-status.md") || name.ends_with("-debug.md") ? Match::kYes : Match::kNo;
}

struct Field {
  std::string_view name;
  std::string_view value;
};

// "- state: running", "* **State:** running", "- `state`: running".
std::optional<Field> ParseField(std::string_view line) {
  line = Trim(line);
  if (!line.starts_with("- ") && !line.starts_with("* ") && !line.starts_with("+ ")) return std::nullopt;
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto bare = [](std::string_view text) {
    const auto mark = [](char c) { return c == '*' || c == '`' || c == '_' || IsSpace(c); };
    while (!text.empty() && mark(text.front())) text.remove_prefix(1);
    while (!text.empty() && mark(text.back())) text.remove_suffix(1);
    return text;
  };
  const Field field{bare(line.substr(2, colon - 2)), bare(line.substr(colon + 1))};
  const bool name =
      !field.name.empty() && field.name.size() <= 40 &&
      std::all_of(field.name.begin(), field.name.end(), [](char c) { return IsIdentifierChar(c) || c == ' ' || c == '-'; });
  return name && !field.value.empty() ? std::optional(field) : std::nullopt;
}

void Read(const Artifact& artifact, FactStore& facts) {
  const auto stream = OpenStream(artifact.file);
  LineReader lines(*stream);
  LineDamage damage("the note", artifact.source, facts);
  bool fenced = false;
  std::size_t count = 0;
  while (const auto line = lines.Next()) {
    if (Trim(line->text).starts_with("```")) fenced = !fenced;
    const auto field = ParseField(line->text);
    if (fenced || !field || line->overlong || count == kMaxFields) continue;
    if (!line->complete) {
      damage.CutLine(*line);
      break;
    }
    ++count;
    std::string key = ToLower(field->name);
    std::replace(key.begin(), key.end(), ' ', '_');
    std::string value = WithoutSecrets(key, field->value.substr(0, 4096));
    facts.Add(NoteField{.name = std::move(key),
                        .value = std::move(value),
                        .cite = {.source = artifact.source, .begin = line->begin, .end = line->end, .line = line->number}});
  }
  damage.Finish(lines);
}

}  // namespace

extern const Format status_note;
constinit const Format status_note{
    .id = "status-note",
    .title = "Note that somebody keeps on a run",
    .typical_names = "docs/ops/runs/<run>-status.md",
    .sample = "status_note/docs/ops/runs/sft-7-status.md",
    .sniff = Sniff,
    .read = Read,
};

}  // namespace assay::formats
