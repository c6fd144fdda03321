// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs all probes at the same time, each in a child of its own, and pushes what they saw into the store. Takes two seconds at
// most, whatever hangs.

#include "evidence/facts/fact_store.h"
#include "evidence/probes/probe.h"

namespace assay {

// Every probe's text becomes a source of kind kReading. What a probe could not look at becomes NotChecked, with the reason: no
// permission, no tool, no answer.
void RunProbes(const ProbeContext& context, FactStore& facts);

// The same for captured frames of one probe; for tests, and for reading a capture again.
void InterpretProbe(const Probe& probe, const ChildOutput& output, const RunTies& ties, FactStore& facts);

}  // namespace assay
