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

TEST(ProgrammingMistake, SeesTensorsThatAreUsedWrongly) {
  EXPECT_TRUE(
      FindingsOfLog(Steps(5) + Trace("TypeError: can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy "
                                     "the tensor to host memory first."))
          .Has("programming-error"));
  EXPECT_TRUE(FindingsOfLog(Steps(5) + Trace("RuntimeError: Trying to backward through the graph a second time"))
                  .Has("programming-error"));
}

TEST(ProgrammingMistake, LeavesOpenWhatDataOrALibraryMayCause) {
  EXPECT_FALSE(FindingsOfLog(Steps(5) + Trace("KeyError: 'label'")).Has("programming-error"));
  EXPECT_FALSE(FindingsOfLog(Steps(5) + Trace("RuntimeError: Trying to backward through the graph a second time",
                                              "/opt/venv/lib/python3.11/site-packages/lib/trainer.py"))
                   .Has("programming-error"));
}

}  // namespace
}  // namespace assay
