// SPDX-License-Identifier: Apache-2.0
#pragma once

// Confirms a signature on one line: the literal was found already, the pattern decides. Patterns are compiled at their first
// use, so that a run pays only for what its log says.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "knowledge/tables.h"

namespace re2 {
class RE2;
}

namespace assay {

// The line holds a literal of the signature and, where it asks for one, a text of `also`: only then may the pattern match.
bool HoldsItsTexts(const Signature& signature, std::string_view line);

class SignatureMatcher {
 public:
  explicit SignatureMatcher(std::vector<const Signature*> signatures);
  ~SignatureMatcher();
  SignatureMatcher(const SignatureMatcher&) = delete;
  SignatureMatcher& operator=(const SignatureMatcher&) = delete;

  struct Match {
    std::vector<std::pair<std::string, std::string>> captures;
  };
  // `complete` is false for a last line without newline: a captured token that touches its end is no fact, so that no match is
  // made of it.
  std::optional<Match> Confirm(std::size_t signature, std::string_view line, bool complete);

  // Why the pattern of a signature does not compile; empty when it does.
  std::string PatternFault(std::size_t signature);

  const Signature& signature(std::size_t i) const { return *signatures_[i]; }
  std::size_t size() const { return signatures_.size(); }

 private:
  const re2::RE2& Pattern(std::size_t signature);

  std::vector<const Signature*> signatures_;
  std::vector<std::unique_ptr<re2::RE2>> patterns_;
};

}  // namespace assay
