// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/class_checks.h"

namespace assay {
namespace {

TEST(FailureClass_slow_data, IsNamedByItsSymptomsOnlyAndNotByOnesThatTheRunSurvived) { testing::CheckClass("slow-data"); }

}  // namespace
}  // namespace assay
