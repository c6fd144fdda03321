// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/findings_of.h"

namespace assay {
namespace {

using testing::FindingsOfLog;
using testing::Steps;
using testing::Trace;

TEST(ProgrammingMistake, CountsNamesThatDoNotExist) {
  EXPECT_TRUE(FindingsOfLog(Steps(5) + Trace("NameError: name 'optimzer' is not defined")).Has("programming-error"));
  EXPECT_TRUE(
      FindingsOfLog(Trace("UnboundLocalError: local variable 'x' referenced before assignment")).Has("programming-error"));
}

TEST(ProgrammingMistake, StaysSilentInLibrariesAndForOtherKinds) {
  EXPECT_FALSE(
      FindingsOfLog(Trace("NameError: name '_C' is not defined", "/env/lib/python3.10/site-packages/groundingdino/ops.py"))
          .Has("programming-error"));
  EXPECT_FALSE(
      FindingsOfLog(Trace("TypeError: Trainer.__init__() got an unexpected keyword argument 'gpus'")).Has("programming-error"));
  EXPECT_FALSE(FindingsOfLog(Trace("NameError: name 'x' is not defined") + Steps(5)).Has("programming-error"));
}

}  // namespace
}  // namespace assay
