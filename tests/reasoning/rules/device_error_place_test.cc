// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/findings_of.h"

namespace assay {
namespace {

using testing::FindingsOfLog;
using testing::Steps;
using testing::Trace;

constexpr std::string_view kAssert =
    "../aten/src/ATen/native/cuda/Indexing.cu:1239: indexSelectSmallIndex: block: [4,0,0], thread: [38,0,0] Assertion `srcIndex "
    "< srcSelectDimSize` failed.\n";

TEST(DeviceErrorPlace, FindsTheAssertionAboveTheError) {
  const Findings found =
      FindingsOfLog(Steps(5) + std::string(kAssert) + Trace("RuntimeError: CUDA error: device-side assert triggered"));
  EXPECT_TRUE(found.Has("device-assert"));
  EXPECT_TRUE(found.Has("index-assert-line"));
  EXPECT_TRUE(found.Has("cuda-late-frame"));
}

TEST(DeviceErrorPlace, LeavesCustomKernelsOut) {
  EXPECT_FALSE(
      FindingsOfLog(Steps(5) +
                    "/home/u/ops/nms_kernel.cu:41: nms: block: [0,0,0], thread: [3,0,0] Assertion `index < n` failed.\n" +
                    Trace("RuntimeError: CUDA error: device-side assert triggered"))
          .Has("index-assert-line"));
}

TEST(DeviceErrorPlace, SaysNothingOfOtherErrors) {
  EXPECT_FALSE(FindingsOfLog(Steps(5) + Trace("ValueError: bad")).Has("cuda-late-frame"));
}

}  // namespace
}  // namespace assay
