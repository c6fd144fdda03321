// SPDX-License-Identifier: Apache-2.0
#pragma once

// Running one probe in a test: on a fixture of "/" in memory, or on text as if it had been captured.

#include <string>
#include <string_view>

#include "evidence/probes/probe.h"
#include "evidence/probing/run_probes.h"

namespace assay::testing {

// What `probe` sees under this root, made into facts.
inline FactStore Probed(const Probe& probe, const FileSystem& files, const RunTies& ties = {}) {
  ChildOutput child{.finished = true};
  ProbeOutput output([&](std::string_view text) { child.text += text; });
  probe.collect({.files = files, .project = ties.project, .ties = ties, .is_this_machine = false}, output);
  FactStore facts;
  InterpretProbe(probe, child, ties, facts);
  return facts;
}

// What `probe` makes of captured text.
inline FactStore Understood(const Probe& probe, std::string_view text, const RunTies& ties = {}) {
  ChildOutput child{.finished = true};
  ProbeOutput output([&](std::string_view frame) { child.text += frame; });
  output.Text(text);
  FactStore facts;
  InterpretProbe(probe, child, ties, facts);
  return facts;
}

}  // namespace assay::testing
