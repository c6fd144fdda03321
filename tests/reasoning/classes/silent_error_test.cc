// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/class_checks.h"

namespace assay {
namespace {

TEST(FailureClass_silent_error, IsNamedByItsSymptomsOnlyAndNotByOnesThatTheRunSurvived) { testing::CheckClass("silent-error"); }

}  // namespace
}  // namespace assay
