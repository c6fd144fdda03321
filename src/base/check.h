// SPDX-License-Identifier: Apache-2.0
#pragma once

// ASSAY_CHECK guards a promise that assay makes to itself. Odd input is never a reason to use it: that is an anomaly.

#include <cstdio>
#include <cstdlib>

#define ASSAY_CHECK(condition)                                                                                          \
  do {                                                                                                                  \
    if (!(condition)) {                                                                                                 \
      std::fprintf(stderr, "assay: bug: %s does not hold (%s:%d); please report it\n", #condition, __FILE__, __LINE__); \
      std::abort();                                                                                                     \
    }                                                                                                                   \
  } while (false)
