// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/literal_scanner.h"

#include <hs/hs.h>

#include "base/check.h"

namespace assay {
namespace {

int OnMatch(unsigned int id, unsigned long long /*from*/, unsigned long long to, unsigned int /*flags*/, void* context) {
  static_cast<std::vector<LiteralScanner::Hit>*>(context)->push_back({.end = to, .literal = id});
  return 0;
}

}  // namespace

struct LiteralScanner::Impl {
  hs_database_t* database = nullptr;
  hs_scratch_t* scratch = nullptr;
};

LiteralScanner::LiteralScanner(std::span<const std::string_view> literals) : impl_(std::make_unique<Impl>()) {
  std::vector<const char*> texts;
  std::vector<std::size_t> lengths;
  std::vector<unsigned> flags(literals.size(), 0);
  std::vector<unsigned> ids;
  for (const std::string_view literal : literals) {
    ASSAY_CHECK(!literal.empty());
    ids.push_back(static_cast<unsigned>(texts.size()));
    texts.push_back(literal.data());
    lengths.push_back(literal.size());
  }
  hs_compile_error_t* error = nullptr;
  const hs_error_t code =
      hs_compile_lit_multi(texts.data(), flags.data(), ids.data(), lengths.data(), static_cast<unsigned>(texts.size()),
                           HS_MODE_BLOCK, nullptr, &impl_->database, &error);
  ASSAY_CHECK(code == HS_SUCCESS);
  ASSAY_CHECK(hs_alloc_scratch(impl_->database, &impl_->scratch) == HS_SUCCESS);
}

LiteralScanner::~LiteralScanner() {
  hs_free_scratch(impl_->scratch);
  hs_free_database(impl_->database);
}

void LiteralScanner::Scan(std::string_view window, std::vector<Hit>& hits) const {
  if (window.empty()) return;
  const hs_error_t code =
      hs_scan(impl_->database, window.data(), static_cast<unsigned>(window.size()), 0, impl_->scratch, OnMatch, &hits);
  ASSAY_CHECK(code == HS_SUCCESS);
}

}  // namespace assay
