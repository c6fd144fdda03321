#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write the two files of a new catalogue entry: new_entry.py rule|format|dialect|probe ID, where ID is lower-case-with-dashes."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
KINDS = {
    "rule": ("reasoning/rules", "Rule", "rules", '#include <array>\n\n#include "reasoning/rules/rule.h"',
             'constexpr std::array<std::string_view, 1> kYields{"FINDING"};\n\nvoid Evaluate(const FactView& /*facts*/, Findings& /*out*/) {}',
             '.title = "TITLE",\n    .looks_at = "WHAT",\n    .yields = kYields,\n    .evaluate = Evaluate,'),
    "format": ("evidence/formats", "Format", "formats", '#include "evidence/formats/format.h"',
               "Match Sniff(const ArtifactHead& /*head*/) { return Match::kNo; }\n\nvoid Read(const Artifact& /*artifact*/, FactStore& /*facts*/) {}",
               '.title = "TITLE",\n    .typical_names = "NAMES",\n    .sample = "PATH",\n    .sniff = Sniff,\n    .read = Read,'),
    "dialect": ("evidence/dialects", "Dialect", "dialects", '#include <array>\n\n#include "evidence/dialects/dialect.h"',
                'constexpr std::array<std::string_view, 1> kTriggers{"TRIGGER"};\n\n'
                "Parsed Parse(const LogLine& /*line*/, LogContext& /*context*/, MetricLine& /*out*/) { return Parsed::kNotMine; }",
                '.title = "TITLE",\n    .triggers = kTriggers,\n    .precedence = 100,\n    .sample = "LINE",\n    .parse = Parse,'),
    "probe": ("evidence/probes", "Probe", "probes", '#include "evidence/probes/probe.h"', "void Collect(const ProbeContext& /*context*/, ProbeOutput& /*output*/) {}\n\n"
              "void Interpret(const CapturedText& /*captured*/, const RunTies& /*ties*/, FactStore& /*facts*/) {}",
              '.title = "TITLE",\n    .reads = "WHAT",\n    .cost = "HOW LONG",\n    .privileges = "none",\n'
              "    .collect = Collect,\n    .interpret = Interpret,"),
}


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in KINDS or not re.fullmatch(r"[a-z][a-z0-9_-]*", sys.argv[2]):
        print(f"usage: ./dev new {'|'.join(KINDS)} lower-case-with-dashes", file=sys.stderr)
        return 2
    folder, kind, space, include, body, fields = KINDS[sys.argv[1]]
    name = sys.argv[2].replace("-", "_")
    entry, test = ROOT / f"src/{folder}/{name}.cc", ROOT / f"tests/{folder}/{name}_test.cc"
    if entry.exists() or test.exists():
        print(f"{entry} or its test is there already", file=sys.stderr)
        return 1
    entry.write_text(f"""// SPDX-License-Identifier: Apache-2.0
{include}

namespace assay::{space} {{
namespace {{

{body}

}}  // namespace

extern const {kind} {name};
constinit const {kind} {name}{{
    .id = "{name.replace('_', '-')}",
    {fields}
}};

}}  // namespace assay::{space}
""")
    test.write_text(f"""// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/reading.h"

namespace assay {{
namespace {{

TEST({''.join(p.capitalize() for p in name.split('_'))}, SaysWhatItShows) {{ FAIL() << "write this test first"; }}

}}  // namespace
}}  // namespace assay
""")
    print(f"{entry.relative_to(ROOT)}\n{test.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
