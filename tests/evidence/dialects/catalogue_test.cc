// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "evidence/dialects/dialect.h"

namespace assay {
namespace {

bool Accepts(const Dialect& dialect, std::string_view text) {
  LogContext context;
  MetricLine out;
  const LogLine line{.text = text};
  return dialect.parse(line, context, out) != Parsed::kNotMine;
}

bool IsTriggered(const Dialect& dialect, std::string_view text) {
  for (const std::string_view trigger : dialect.triggers) {
    if (text.find(trigger) != std::string_view::npos) return true;
  }
  return false;
}

TEST(Dialects, EachTakesItsOwnSampleAndNoEarlierOneDoes) {
  for (const Dialect* dialect : dialects::All()) {
    EXPECT_TRUE(IsTriggered(*dialect, dialect->sample)) << dialect->id;
    EXPECT_TRUE(Accepts(*dialect, dialect->sample)) << dialect->id;
    for (const Dialect* other : dialects::All()) {
      if (other->precedence >= dialect->precedence) continue;
      EXPECT_FALSE(IsTriggered(*other, dialect->sample) && Accepts(*other, dialect->sample))
          << other->id << " takes the line of " << dialect->id;
    }
  }
}

TEST(Dialects, HaveDistinctIdsAndPlaces) {
  std::set<std::string_view> ids;
  std::set<int> places;
  for (const Dialect* dialect : dialects::All()) {
    EXPECT_TRUE(ids.insert(dialect->id).second) << dialect->id;
    EXPECT_TRUE(places.insert(dialect->precedence).second) << dialect->id;
    EXPECT_FALSE(dialect->triggers.empty()) << dialect->id;
  }
}

TEST(Dialects, LeaveProseAlone) {
  constexpr std::string_view kProse[] = {
      "Loading checkpoint shards from iteration 100 of the run",
      "Epoch 3 of the data set is shuffled with seed 42",
      "We train with lr 1e-4 and epochs=10; validation loss is monitored",
      "time (ms) | is printed below",
      "Test: the loader returns 3 batches [ok]",
      "step: size must be positive",
      "[10] items were dropped",
      "The mean: value of (a/b): is undefined",
      "{'model': 'bert', 'layers': 12}",
      "{\"epochs\": 10, \"lr\": 0.1}",
      "usage: train.py [--lr LR] [--loss LOSS]",
      "Epoch                                    time is short",
      "OVERFLOW! is what the scaler says",
      "iter: the iterator is exhausted",
      "completed step: none",
      "s:one trl:two",
  };
  for (const std::string_view text : kProse) {
    for (const Dialect* dialect : dialects::All()) {
      LogContext context;
      MetricLine out;
      const LogLine line{.text = text};
      EXPECT_NE(dialect->parse(line, context, out), Parsed::kRow) << dialect->id << " takes: " << text;
    }
  }
}

}  // namespace
}  // namespace assay
