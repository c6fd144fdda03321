// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "reasoning/rules/rule.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 1> kYields{"ckpt-damaged"};

std::string_view Name(const FactView& facts, const CheckpointFile& file) {
  const std::string_view path = facts.source(file.cite.source).path;
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

// The log or the configuration names the file, so that an error of loading may be about it.
bool IsNamed(const FactView& facts, std::string_view name) {
  const auto in = [&](std::string_view text) { return text.find(name) != std::string_view::npos; };
  for (const Traceback& t : facts.All<Traceback>()) {
    if (in(t.message) || std::any_of(t.frames.begin(), t.frames.end(), [&](const TracebackFrame& f) { return in(f.code); }))
      return true;
  }
  for (const SignatureHit& hit : facts.All<SignatureHit>()) {
    if (hit.origin == Origin::kRunLog && in(hit.quote)) return true;
  }
  return std::any_of(facts.All<ConfigValue>().begin(), facts.All<ConfigValue>().end(),
                     [&](const ConfigValue& value) { return in(value.value); });
}

void Evaluate(const FactView& facts, Findings& out) {
  const auto files = facts.All<CheckpointFile>();
  for (const CheckpointFile& file : files) {
    const bool empty = file.state == CheckpointFile::State::kEmpty;
    if (!empty && file.state != CheckpointFile::State::kCut) continue;
    const std::string_view name = Name(facts, file);
    // An error of loading is about this file only where something says so, or where there is no other.
    if (out.Has("ckpt-load-error") && files.size() > 1 && !IsNamed(facts, name)) continue;
    out.Add("damaged-checkpoint", "ckpt-damaged",
            empty ? fmt::format("{} is empty.", Printable(name, 120))
                  : fmt::format("{} is cut: {}.", Printable(name, 120), Printable(WithoutStop(file.why), 160)),
            {file.cite});
  }
}

}  // namespace

extern const Rule damaged_checkpoint;
constinit const Rule damaged_checkpoint{
    .id = "damaged-checkpoint",
    .title = "Checkpoints that are cut or empty",
    .looks_at = "the containers of checkpoint files, and which file the run named",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
