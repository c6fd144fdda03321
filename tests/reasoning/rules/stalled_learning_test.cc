// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "tests/support/rule_check.h"

namespace assay {
namespace {

using testing::ConcludeFromText;
using testing::Ids;

constexpr std::string_view kRule = "stalled-learning";

std::string Trainer(int rows, std::string_view loss, std::string_view norm, std::string_view more = "") {
  std::string log;
  for (int i = 1; i <= rows; ++i)
    log += fmt::format("{{'loss': {}, 'grad_norm': {}, 'learning_rate': 1e-05, 'epoch': {}{}}}\n", loss, norm, 0.1 * i, more);
  return log;
}

TEST(StalledLearning, ExactZeros) {
  EXPECT_EQ(Ids(ConcludeFromText(kRule, Trainer(12, "0.0", "0.0")), kRule), "loss-exact-zero grad-zero");
  EXPECT_EQ(Ids(ConcludeFromText(kRule, Trainer(12, "1.2345", "0.0")), kRule), "grad-zero");
}

TEST(StalledLearning, LookAlikesOfZero) {
  EXPECT_EQ(Ids(ConcludeFromText(kRule, Trainer(12, "0.0", "nan")), kRule), "");
  EXPECT_EQ(Ids(ConcludeFromText(kRule, Trainer(12, "0.0", "0.31", ", 'reward': 0.4, 'kl': 0.0")), kRule), "");
  // Overfitted to what four digits print as 0.
  std::string log;
  for (int i = 1; i <= 40; ++i)
    log += fmt::format("{{'loss': {:.4f}, 'grad_norm': 0.2, 'epoch': {}}}\n", 2.0 * std::exp(-0.6 * i), i);
  EXPECT_EQ(Ids(ConcludeFromText(kRule, log), kRule), "");
  // A norm that this mode does not compute: the loss falls.
  std::string falls;
  for (int i = 1; i <= 40; ++i) falls += fmt::format("{{'loss': {:.3f}, 'grad_norm': 0.0, 'epoch': {}}}\n", 3 - 0.05 * i, i);
  EXPECT_EQ(Ids(ConcludeFromText(kRule, falls), kRule), "");
}

std::string Epochs(int count, double (*loss)(int), std::string_view accuracy) {
  std::string log;
  for (int i = 1; i <= count; ++i) log += fmt::format("Epoch {}/{} train loss {:.4f} acc {}\n", i, count, loss(i), accuracy);
  return log;
}

TEST(StalledLearning, AtChance) {
  EXPECT_EQ(
      Ids(ConcludeFromText(kRule, Epochs(30, [](int i) { return 2.3026 + 0.0001 * (i % 3); }, "0.1001")), kRule), "chance-loss");
  EXPECT_EQ(
      Ids(ConcludeFromText(kRule, Epochs(20, [](int i) { return 0.6931 + 0.0004 * (i % 3); }, "0.5012")), kRule), "chance-loss");
  // A plateau somewhere else, ln 2 of a preference loss, and a run that is still in its first steps.
  EXPECT_EQ(Ids(ConcludeFromText(kRule, Epochs(30, [](int i) { return 2.2871 + 0.0001 * (i % 3); }, "0.1801")), kRule), "");
  EXPECT_EQ(Ids(ConcludeFromText(kRule, Trainer(30, "0.6931", "1.1", ", 'rewards/chosen': 0.01")), kRule), "");
  EXPECT_EQ(Ids(ConcludeFromText(kRule, Epochs(4, [](int) { return 2.3026; }, "0.1001")), kRule), "");
}

TEST(StalledLearning, RisingLoss) {
  EXPECT_EQ(Ids(ConcludeFromText(kRule, Epochs(9, [](int i) { return 0.4 + 0.02 * i * i; }, "0.8")), kRule), "loss-rises");
  // Falling, flat and noisy, and overfitting in the validation loss only.
  EXPECT_EQ(Ids(ConcludeFromText(kRule, Epochs(9, [](int i) { return 2.0 / i; }, "0.8")), kRule), "");
  EXPECT_EQ(Ids(ConcludeFromText(kRule, Epochs(9, [](int i) { return 0.5 + 0.02 * (i % 2); }, "0.8")), kRule), "");
  std::string log;
  for (int i = 1; i <= 12; ++i) log += fmt::format("Epoch {} train_loss {:.4f} val_loss {:.4f}\n", i, 1.0 / i, 0.5 + 0.1 * i);
  EXPECT_EQ(Ids(ConcludeFromText(kRule, log), kRule), "");
  std::string gan;
  for (int i = 1; i <= 12; ++i) gan += fmt::format("Epoch {} loss {:.4f} d_loss 0.3 g_loss 1.2\n", i, 0.5 + 0.2 * i);
  EXPECT_EQ(Ids(ConcludeFromText(kRule, gan), kRule), "");
}

TEST(StalledLearning, ALogarithmThatIsMetByAccident) {
  const auto curve = [](double first, std::string_view head) {
    std::string log(head);
    for (int i = 0; i < 60; ++i)
      log += fmt::format("step {} loss {:.4f}\n", i, i < 12 ? first + (2.3026 - first) * i / 12 : 2.3026);
    return log;
  };
  EXPECT_FALSE(ConcludeFromText("stalled-learning", curve(9.9, "")).Has("chance-loss"));
  EXPECT_TRUE(ConcludeFromText("stalled-learning", curve(2.31, "")).Has("chance-loss"));
  EXPECT_FALSE(ConcludeFromText("stalled-learning", curve(2.31, "Namespace(num_classes=1000, lr=0.1, epochs=4, batch=2)\n"))
                   .Has("chance-loss"));
  // From far above, but with ten classes it is chance all the same.
  EXPECT_TRUE(ConcludeFromText("stalled-learning", curve(9.9, "Namespace(num_classes=10, lr=0.1, epochs=4, batch=2)\n"))
                  .Has("chance-loss"));
}

}  // namespace
}  // namespace assay
