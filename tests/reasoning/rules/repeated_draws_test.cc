// SPDX-License-Identifier: Apache-2.0
#include "tests/support/rule_check.h"

namespace assay {
namespace {

using testing::ConcludeFromText;
using testing::Ids;

constexpr std::string_view kRule = "repeated-draws";

TEST(RepeatedDraws, WorkersThatDrawTheSame) {
  EXPECT_EQ(Ids(ConcludeFromText(kRule,
                                 "epoch 0 worker 0: crop=2208  worker 1: crop=2208  worker 2: crop=2208\n"
                                 "epoch 0 worker 0: crop=1187  worker 1: crop=1187  worker 2: crop=1187\n"
                                 "epoch 0 worker 0: crop=301  worker 1: crop=301  worker 2: crop=301\n"),
                kRule),
            "same-augment");
  EXPECT_EQ(Ids(ConcludeFromText(kRule,
                                 "[debug] worker_id=0 sample 4 angle: -12.4\n[debug] worker_id=1 sample 9 angle: -12.4\n"
                                 "[debug] worker_id=0 sample 5 angle: 3.1\n[debug] worker_id=1 sample 10 angle: 3.1\n"
                                 "[debug] worker_id=0 sample 6 angle: 7.9\n[debug] worker_id=1 sample 11 angle: 7.9\n"),
                kRule),
            "same-augment");
}

TEST(RepeatedDraws, LookAlikes) {
  // Different numbers, a constant setting, and too few to tell.
  EXPECT_EQ(Ids(ConcludeFromText(kRule,
                                 "worker 0: crop=2208  worker 1: crop=17\nworker 0: crop=1187  worker 1: crop=99\nworker 0: "
                                 "crop=301  worker 1: crop=4\n"),
                kRule),
            "");
  EXPECT_EQ(Ids(ConcludeFromText(kRule,
                                 "worker 0: crop=128  worker 1: crop=128\nworker 0: crop=128  worker 1: crop=128\nworker 0: "
                                 "crop=128  worker 1: crop=128\n"),
                kRule),
            "");
  EXPECT_EQ(Ids(ConcludeFromText(kRule, "worker 0: crop=2208  worker 1: crop=2208\n"), kRule), "");
}

}  // namespace
}  // namespace assay
