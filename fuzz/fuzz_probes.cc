// SPDX-License-Identifier: Apache-2.0

// What a probe captured, which commands and kernels of any version wrote: the first byte chooses the probe.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "evidence/probes/probe.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const assay::Probe& probe = *assay::probes::All()[data[0] % assay::probes::All().size()];
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  assay::FactStore facts;
  const assay::SourceId source = facts.AddSource({.path = "captured", .kind = assay::SourceKind::kReading, .size = text.size()});
  probe.interpret({.source = source, .text = text}, {}, facts);
  for (const assay::Reading& reading : assay::FactView(facts).All<assay::Reading>())
    ASSAY_CHECK(reading.cite.begin <= reading.cite.end && reading.cite.end <= text.size());
  return 0;
}
