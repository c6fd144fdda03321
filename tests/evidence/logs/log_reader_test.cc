// SPDX-License-Identifier: Apache-2.0
#include "evidence/logs/log_reader.h"

#include <gtest/gtest.h>

#include "tests/support/reading.h"

namespace assay {
namespace {

using testing::ReadLogText;

constexpr std::string_view kOom =
    "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 10.76 GiB total capacity; 9.60 GiB already allocated; "
    "10.56 MiB free; 9.71 GiB reserved in total by PyTorch)\n";

TEST(LogReader, FindsASignatureWithItsLineAndNumbers) {
  const FactStore facts = ReadLogText("one\ntwo\n" + std::string(kOom));
  const auto hits = FactView(facts).HitsFor("device-oom");
  ASSERT_FALSE(hits.empty());
  EXPECT_EQ(hits[0]->cite.line, 3U);
  EXPECT_EQ(hits[0]->cite.begin, 8U);
  EXPECT_TRUE(hits[0]->quote.starts_with("RuntimeError: CUDA out of memory"));
}

TEST(LogReader, DoesNotTakeSourceQuotedInATracebackForAReport) {
  const FactStore facts = ReadLogText(
      "Traceback (most recent call last):\n"
      "  File \"a.py\", line 1, in f\n"
      "    raise RuntimeError(\"CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 10.76 GiB total capacity; 9.60 GiB "
      "already allocated; 10.56 MiB free; 9.71 GiB reserved in total by PyTorch)\")\n"
      "ValueError: no\n");
  EXPECT_TRUE(FactView(facts).HitsFor("device-oom").empty());
}

TEST(LogReader, ReadsTracebacksPerRankWhenRanksInterleave) {
  const FactStore facts = ReadLogText(
      "[rank0]: Traceback (most recent call last):\n"
      "[rank1]: Traceback (most recent call last):\n"
      "[rank0]:   File \"/home/u/train.py\", line 10, in main\n"
      "[rank1]:   File \"/home/u/train.py\", line 20, in main\n"
      "[rank0]:     step()\n"
      "[rank1]:     step()\n"
      "[rank1]: KeyError: 'x'\n"
      "[rank0]: ValueError: bad\n");
  const auto tracebacks = FactView(facts).All<Traceback>();
  ASSERT_EQ(tracebacks.size(), 2U);
  EXPECT_EQ(tracebacks[0].exception, "KeyError");
  EXPECT_EQ(tracebacks[0].rank, 1);
  EXPECT_EQ(tracebacks[0].frames[0].line, 20);
  EXPECT_EQ(tracebacks[1].exception, "ValueError");
  EXPECT_TRUE(tracebacks[0].last && tracebacks[1].last);
}

TEST(LogReader, MarksChainsAndTheInnermostUserFrame) {
  const FactStore facts = ReadLogText(
      "Traceback (most recent call last):\n"
      "  File \"train.py\", line 5, in load\n"
      "    open(p)\n"
      "FileNotFoundError: [Errno 2] No such file or directory: 'x'\n"
      "\n"
      "During handling of the above exception, another exception occurred:\n"
      "\n"
      "Traceback (most recent call last):\n"
      "  File \"train.py\", line 9, in main\n"
      "    load()\n"
      "  File \"/usr/lib/python3.11/site-packages/torch/x.py\", line 7, in y\n"
      "    z()\n"
      "RuntimeError: gave up\n");
  const auto tracebacks = FactView(facts).All<Traceback>();
  ASSERT_EQ(tracebacks.size(), 2U);
  EXPECT_EQ(tracebacks[1].chain, Traceback::Chain::kDuringHandling);
  EXPECT_EQ(tracebacks[1].innermost_user, 0U);
  EXPECT_FALSE(tracebacks[0].last);
  EXPECT_TRUE(tracebacks[1].last);
}

TEST(LogReader, AHandledExceptionIsFollowedByProgress) {
  const FactStore facts = ReadLogText(
      "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nValueError: once\nstep 5 | loss 0.3\nstep 6 | loss "
      "0.2\n");
  ASSERT_EQ(FactView(facts).All<Traceback>().size(), 1U);
  EXPECT_TRUE(FactView(facts).All<Traceback>()[0].progress_follows);
}

TEST(LogReader, ReadsAnExceptionPrintedAboveItsFrames) {
  const FactStore facts = ReadLogText(
      std::string(kOom) + "  File \"transformers/trainer.py\", line 1244, in prediction_loop\n    preds = torch.cat(\n");
  const auto tracebacks = FactView(facts).All<Traceback>();
  ASSERT_EQ(tracebacks.size(), 1U);
  EXPECT_EQ(tracebacks[0].exception, "RuntimeError");
  EXPECT_EQ(tracebacks[0].cite.line, 1U);
}

TEST(LogReader, SplitsProgressBarsAtCarriageReturns) {
  const FactStore facts = ReadLogText(
      "Epoch 1:  10%|1 | 10/100 [00:01<00:09, 10it/s, loss=0.5]\rEpoch 1: 100%|## | 100/100 [00:10<00:00, 10it/s, loss=0.4]\n");
  const auto bars = FactView(facts).All<ProgressBar>();
  ASSERT_EQ(bars.size(), 1U);
  EXPECT_EQ(bars[0].last, 100);
  EXPECT_EQ(bars[0].elapsed, 10);
}

TEST(LogReader, SaysThatBytesWereLostAndThatTheEndIsCut) {
  const FactStore facts = ReadLogText(std::string("step 1 loss 0.5\n") + std::string(100, '\0') + "\nstep 2 loss 0.4");
  const auto anomalies = FactView(facts).anomalies();
  ASSERT_EQ(anomalies.size(), 2U);
  EXPECT_EQ(anomalies[0].kind, AnomalyKind::kLostBytes);
  EXPECT_EQ(anomalies[0].bytes_lost, 100U);
  EXPECT_EQ(anomalies[1].kind, AnomalyKind::kTruncated);
}

TEST(LogReader, CountsLinesAcrossWindows) {
  std::string text;
  for (int i = 0; i < 200000; ++i) text += "nothing to see here at all\n";
  const FactStore facts = ReadLogText(text + std::string(kOom));
  const auto hits = FactView(facts).HitsFor("device-oom");
  ASSERT_FALSE(hits.empty());
  EXPECT_EQ(hits[0]->cite.line, 200001U);
}

TEST(LogReader, BearsALineWithoutEnd) {
  const std::string text(5'000'000, 'x');
  const FactStore facts = ReadLogText(text);
  EXPECT_EQ(FactView(facts).All<LogShape>()[0].bytes, text.size());
  EXPECT_EQ(FactView(facts).anomalies()[0].kind, AnomalyKind::kOverlong);
}

}  // namespace
}  // namespace assay
