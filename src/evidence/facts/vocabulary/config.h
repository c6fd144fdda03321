// SPDX-License-Identifier: Apache-2.0
#pragma once

// Facts that configuration states: files, argument dumps, job scripts, metadata.

#include <string>
#include <string_view>

#include "evidence/facts/source.h"

namespace assay {

struct ConfigValue {
  static constexpr std::string_view kTitle = "a configured value";
  std::string key;    // dotted path as written: "trainer.precision", "SBATCH.mem", "argv.learning_rate"
  std::string value;  // text as written, quotes removed; tags are never built
  enum class Origin { kFile, kArguments, kJobScript, kMetadata, kEnvironment };
  Origin origin = Origin::kFile;
  Citation cite;
};

// A field of a note that somebody keeps on the run ("- lr: 0, I think"). It is what a person said and no setting: a kind of its
// own, so that nobody who asks for a setting meets it.
struct NoteField {
  static constexpr std::string_view kTitle = "a field of somebody's note";
  std::string name;   // lower case, blanks as '_'
  std::string value;  // text as written
  Citation cite;
};

}  // namespace assay
