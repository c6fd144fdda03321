// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the log reader looks for in the bytes of a log, and what each literal stands for. Built once for a reader.

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "evidence/codecs/literal_scanner.h"
#include "evidence/dialects/dialect.h"
#include "evidence/logs/signature_matcher.h"

namespace assay {

struct LogTables {
  explicit LogTables(std::span<const Signature> user_signatures);
  ~LogTables();
  LogTables(const LogTables&) = delete;
  LogTables& operator=(const LogTables&) = delete;

  // What a literal found by the scanner stands for.
  struct Target {
    enum class Kind : std::uint8_t { kSignature, kAlso, kDialect, kTraceback, kFrame, kChain, kBar, kArguments } kind;
    std::uint32_t index;  // signature (kAlso: the one that asks for it), dialect, or kind of chain
  };
  // One scanner and what its literals mean; equal literals are one, with several targets.
  struct Search {
    std::vector<std::string_view> literals;
    std::vector<std::vector<Target>> targets;  // of each literal
    void Add(std::string_view literal, Target target);
    // Built at the first call: most runs need one of the two.
    const LiteralScanner& Scanner();

   private:
    std::unordered_map<std::string_view, std::size_t> index_;
    std::unique_ptr<LiteralScanner> scanner_;
  };

  SignatureMatcher matcher;
  std::vector<const Dialect*> dialects;  // in order of precedence, at most 64
  Search everything;
  Search signatures;  // without dialects, bars and arguments, for logs that hold no metrics
};

}  // namespace assay
