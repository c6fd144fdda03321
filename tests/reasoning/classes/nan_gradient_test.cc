// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/class_checks.h"

namespace assay {
namespace {

TEST(FailureClass_nan_gradient, IsNamedByItsSymptomsOnlyAndNotByOnesThatTheRunSurvived) { testing::CheckClass("nan-gradient"); }

}  // namespace
}  // namespace assay
