// SPDX-License-Identifier: Apache-2.0
#pragma once

// What assay knows in general: the content of knowledge/, compiled into read-only tables by tools/compile_knowledge.py.
// knowledge/README.md says what each field means. Views live as long as the program. All tables are sorted by id.

#include <optional>
#include <span>
#include <string_view>

namespace assay {

using Texts = std::span<const std::string_view>;

enum class Role { kFailure, kSymptom, kFollower, kBenign, kNormalEnd, kEarlyStop, kStart, kResume, kContext, kAdvice };

struct Signature {
  std::string_view id;
  std::string_view family;   // file of knowledge/signatures, or the path of the user's file
  std::string_view finding;  // empty: presence alone establishes nothing
  Role role;
  Texts literals;  // one of them stands in every line that matches
  Texts also;      // and one of these; empty: nothing more is asked
  std::string_view pattern;
  std::string_view meaning;
  Texts frameworks;
  std::string_view versions;
  Texts samples;
  Texts counter_samples;

  bool IsUsers() const { return family.ends_with(".toml"); }
};

struct FindingInfo {
  std::string_view id;
  std::string_view title;
  std::string_view recognised_by;
  std::string_view threshold;
  Texts look_alikes;
  Texts sources;
  std::string_view group;
  Texts symptom_of;
  bool advice;
};

struct Weight {
  std::string_view finding;
  int bits;
};

struct Proof {
  Texts findings;  // all of them
};

struct LookAlike {
  std::string_view is;
  Texts excluded_by;  // any of them
};

struct Rival {
  std::string_view cause;
  std::string_view separated_by;
};

struct CauseInfo {
  std::string_view id;
  std::string_view failure_class;
  Texts also;
  std::string_view kind;
  int prior;
  bool validated;
  std::string_view statement;
  std::string_view fix;
  std::string_view silences;
  Texts cases;
  Texts requires_any;  // excluded unless one of these is present; empty: no condition
  Texts excluded_by;
  std::span<const Weight> evidence_for;
  std::span<const Weight> evidence_against;
  std::string_view no_direct_proof;  // why there is none; empty when there is
  std::string_view direct_proof;     // why the proofs suffice
  std::span<const Proof> proofs;
  std::span<const LookAlike> look_alikes;
  Texts gone;
  Texts changes;
  Texts stays;
  Texts not_applicable;
  std::span<const Rival> rivals;
};

struct SourceInfo {
  std::string_view id;
  std::string_view title;
  bool landed;
  std::string_view how;
};

struct AxisInfo {
  std::string_view id;
  std::string_view title;
  std::string_view changes;
  Texts side_effects;
  std::string_view proof;  // how the process shows that the override took
  std::string_view void_when;
  std::string_view cost;  // one-step | tens-of-steps | control | two-runs | long
  Texts values;           // values that are experiments of their own, as "1" of batch-size
  Texts value_costs;      // of each value
  Texts aliases;
};

struct SmokeInfo {
  std::string_view id;  // word of `assay smoke`
  std::string_view title;
  std::string_view axis;
  std::string_view value;
};

struct ConsequenceInfo {
  std::string_view first;  // a class, finding or cause
  std::string_view then;
  std::string_view because;
};

// A name that a version of a library no longer has, or has otherwise (knowledge/tables/api-changes.toml).
struct ApiChangeInfo {
  std::string_view id;
  std::string_view library;     // as the package index calls it; "python" for the interpreter
  std::string_view name;        // "numpy.float", "Trainer(gpus=)"
  std::string_view kind;        // removed | renamed | moved | default-changed | argument-required
  std::string_view removed_in;  // first version without the old form
  std::string_view new_form;
  std::string_view error_text;  // what the old form raises
};

namespace knowledge {

std::span<const Signature> Signatures();
std::span<const FindingInfo> Findings();
std::span<const CauseInfo> Causes();
std::span<const SourceInfo> EvidenceSources();
std::span<const AxisInfo> Axes();
std::span<const SmokeInfo> Smokes();
std::span<const ConsequenceInfo> Consequences();
std::span<const ApiChangeInfo> ApiChanges();

// nullptr when there is none.
const Signature* FindSignature(std::string_view id);
const FindingInfo* FindFinding(std::string_view id);
const CauseInfo* FindCause(std::string_view id);
const SourceInfo* FindEvidenceSource(std::string_view id);
const AxisInfo* FindAxis(std::string_view id);  // by id; "precision=float32" and "precision" are one axis

}  // namespace knowledge

std::string_view RoleName(Role role);
std::optional<Role> RoleNamed(std::string_view name);

}  // namespace assay
