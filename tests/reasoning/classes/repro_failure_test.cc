// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/class_checks.h"

namespace assay {
namespace {

TEST(FailureClass_repro_failure, IsNamedByItsSymptomsOnlyAndNotByOnesThatTheRunSurvived) { testing::CheckClass("repro-failure"); }

}  // namespace
}  // namespace assay
