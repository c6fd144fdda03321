// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/findings_of.h"

namespace assay {
namespace {

using testing::FindingsOf;
using testing::FindingsOfLog;
using testing::IsNotChecked;
using testing::ReadLogText;
using testing::Trace;

FactStore WithPackage(std::string_view log, std::string name, std::string version) {
  FactStore facts = ReadLogText(log);
  facts.Add(
      ConfigValue{.key = "package." + std::move(name), .value = std::move(version), .cite = {.source = SourceId{0}, .end = 4}});
  return facts;
}
const std::string kFloat = Trace("AttributeError: module 'numpy' has no attribute 'float'.");

TEST(ApiChanges, NeedsNameAndVersion) {
  EXPECT_TRUE(FindingsOf(WithPackage(kFloat, "numpy", "1.26.4")).Has("api-table-match"));
  EXPECT_TRUE(FindingsOf(WithPackage(kFloat, "numpy", "2.0.0rc1")).Has("api-table-match"));
  EXPECT_FALSE(FindingsOf(WithPackage(kFloat, "numpy", "1.23.5")).Has("api-table-match"));
}

TEST(ApiChanges, IsNotCheckedWithoutTheVersion) {
  const Findings found = FindingsOfLog(kFloat);
  EXPECT_FALSE(found.Has("api-table-match"));
  EXPECT_TRUE(IsNotChecked(found, "api-table-match"));
}

TEST(ApiChanges, ReadsTheInterpreterFromItsFrames) {
  EXPECT_TRUE(
      FindingsOfLog(
          Trace("ImportError: cannot import name 'Mapping' from 'collections' (/usr/lib/python3.10/collections/__init__.py)",
                "/usr/lib/python3.10/site-packages/old/a.py"))
          .Has("api-table-match"));
}

}  // namespace
}  // namespace assay
