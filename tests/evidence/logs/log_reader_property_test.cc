// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "evidence/codecs/byte_stream.h"
#include "evidence/dialects/dialect.h"
#include "evidence/logs/log_reader.h"
#include "tests/evidence/dialects/dialect_check.h"
#include "tests/support/reading.h"

namespace assay {
namespace {

using testing::Cells;
using testing::ExpectCitationsInside;
using testing::ReadLogText;

class TextStream : public ByteStream {
 public:
  explicit TextStream(std::string_view text) : text_(text) {}
  Result<std::size_t> Read(std::span<std::byte> into) override {
    const std::size_t n = std::min(into.size(), text_.size());
    std::copy_n(text_.data(), n, reinterpret_cast<char*>(into.data()));
    text_.remove_prefix(n);
    return n;
  }

 private:
  std::string_view text_;
};

FactStore ReadInWindows(std::string_view text, std::size_t window) {
  FactStore facts;
  TextStream stream(text);
  const SourceId source = facts.AddSource({.path = "train.log", .format = "text-log", .size = text.size()});
  LogReader::Shared().Read(stream, source, {.window = window}, facts);
  return facts;
}

std::string CiteText(const Citation& cite) {
  return std::to_string(cite.begin) + "-" + std::to_string(cite.end) + ":" + std::to_string(cite.line) + " ";
}

// Every fact as one line, so that two readings compare and a difference can be read.
std::string Everything(const FactStore& facts) {
  const FactView view(facts);
  std::string out;
  for (const std::string& cell : Cells(facts)) out += cell + "\n";
  for (const SignatureHit& hit : view.All<SignatureHit>()) {
    out += CiteText(hit.cite) + std::string(hit.signature->id) + " " + std::to_string(hit.count) + " " + hit.quote + "\n";
    for (const auto& [name, value] : hit.captures) out += "  " + name + "=" + value + "\n";
  }
  for (const Traceback& t : view.All<Traceback>()) {
    out += CiteText(t.cite) + CiteText(t.exception_cite) + t.exception + ": " + t.message + " " +
           std::to_string(t.frames.size()) + (t.complete ? " complete" : "") + (t.last ? " last" : "") +
           (t.progress_follows ? " followed" : "") + "\n";
  }
  for (const ProgressBar& b : view.All<ProgressBar>()) {
    out += CiteText(b.first_cite) + CiteText(b.cite) + b.description + " " + std::to_string(b.last) + "/" +
           std::to_string(b.total) + " " + std::to_string(b.elapsed) + " " + std::to_string(b.samples.size()) + "\n";
  }
  for (const LogShape& s : view.All<LogShape>()) {
    out += std::to_string(s.lines) + " lines " + CiteText(s.first_line) + s.first_text + " " + CiteText(s.last_line) +
           s.last_text + " " + std::to_string(s.first_time.value_or(Time{}).seconds) + " " +
           std::to_string(s.last_time.value_or(Time{}).seconds) + " " + std::to_string(s.ranks.size()) + "\n";
  }
  for (const Anomaly& a : view.anomalies()) out += CiteText(a.cite) + AnomalyName(a.kind) + " " + a.statement + "\n";
  return out;
}

// A bit of everything: the sample of every dialect, tables with their rows, bars, tracebacks, ranks, colours, damage.
std::string MixedLog() {
  std::string text = "\n2026-01-01 10:00:00 INFO starting\n";
  for (const Dialect* dialect : dialects::All()) text += std::string(dialect->sample) + "\n";
  text +=
      "epoch       main/loss   main/accuracy  elapsed_time\n1           0.1912      0.9417         18.2\n2           0.0723      "
      "0.9774         31.1\nend\n"
      "      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size\n"
      "\r      1/100      4.1G      1.243      1.903      1.294         38        640:   0%|          | 0/739 [00:00<?, ?it/s]\r "
      "     1/100      4.1G      1.201      1.877      1.301         31        640:  12%|#2        | 90/739 [02:31<18:10,  "
      "1.68s/it]\n"
      "Epoch 2/3\n\r\x1b[1m1/9\x1b[0m ━━ \x1b[1m0s\x1b[0m 8ms/step - loss: 6.94\b\b\b\b\b\b\r9/9 ━━ 0s 2ms/step - loss: nan - "
      "val_loss: 1.5\n"
      "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 10.76 GiB total capacity; 9.60 GiB already "
      "allocated; 10.56 MiB free; 9.71 GiB reserved in total by PyTorch)\n"
      "  File \"train.py\", line 1244, in loop\n    preds = torch.cat(\n"
      "[rank0]: Traceback (most recent call last):\n[rank1]: Traceback (most recent call last):\n"
      "[rank0]:   File \"/home/u/train.py\", line 10, in main\n[rank1]:   File \"/home/u/train.py\", line 20, in main\n"
      "[rank1]: KeyError: 'x'\n[rank0]: ValueError: bad\n"
      "step 5 | loss 0.25 | tps 8,123 | mem 61.2 GiB\n2026-01-01 11:00:00 INFO done\n";
  return text;
}

TEST(LogReaderProperties, WindowsChangeNoFact) {
  std::string text = MixedLog() + MixedLog();
  for (const bool ended : {true, false}) {
    if (!ended) text.resize(text.size() - 9);
    const std::string expected = Everything(ReadInWindows(text, std::size_t{1} << 20U));
    for (const std::size_t window : {1U, 64U, 100U, 333U, 1000U, 4096U, 65536U}) {
      ASSERT_EQ(Everything(ReadInWindows(text, window)), expected) << window;
    }
  }
}

TEST(LogReaderProperties, WindowsChangeNoFactOfRealLogs) {
  for (const char* name : {"hf_trainer/finished/train.terminal.log", "lightning/late_error/train.log", "keras/finished/train.log",
                           "tqdm/bars/train.terminal.log", "accelerate/launch_error/train.log", "wandb/killed/train.log"}) {
    const std::string text = testing::Fixture(name);
    const std::string expected = Everything(ReadInWindows(text, std::size_t{1} << 20U));
    for (const std::size_t window : {64U, 777U, 4096U})
      ASSERT_EQ(Everything(ReadInWindows(text, window)), expected) << name << window;
  }
}

TEST(LogReaderProperties, EveryCutOnlyShrinksWhatIsSaid) {
  const std::string text = MixedLog();
  const std::set<std::string> whole = Cells(ReadLogText(text));
  for (std::size_t length = 0; length <= text.size(); ++length) {
    const FactStore facts = ReadLogText(text.substr(0, length));
    ExpectCitationsInside(facts, length);
    for (const std::string& cell : Cells(facts))
      ASSERT_TRUE(whole.contains(cell)) << length << " says " << cell << ": " << text.substr(0, length);
  }
}

TEST(LogReaderProperties, BearsEveryFlippedByte) {
  const std::string text = MixedLog();
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const unsigned pattern : {0x01U, 0x80U, 0xFFU}) {
      std::string damaged = text;
      damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ pattern);
      ExpectCitationsInside(ReadLogText(damaged), damaged.size());
    }
  }
}

TEST(LogReaderProperties, SaysOnceWhereTheTextIsNotUtf8) {
  const std::string before = "step 1 loss 0.5\nname caf";
  const FactStore facts = ReadLogText(before + "\xE9 open\n\xFF\xFE\nstep 2 loss 0.25\n");
  const auto anomalies = FactView(facts).anomalies();
  ASSERT_EQ(anomalies.size(), 1U);
  EXPECT_EQ(anomalies[0].kind, AnomalyKind::kBadEncoding);
  EXPECT_EQ(anomalies[0].cite.begin, before.size());
  EXPECT_EQ(anomalies[0].cite.line, 2U);
  EXPECT_EQ(testing::ColumnValues(FactView(facts), "loss"), (std::vector<double>{0.5, 0.25}));
}

TEST(LogReaderProperties, BearsALineOf3MegabytesAndReadsOn) {
  for (const std::string_view piece : {"x", "loss 0.5 ", "a=1 ", "{'loss': ", "| 0 ", "█", "\b"}) {
    std::string text;
    while (text.size() < (std::size_t{3} << 20U)) text += piece;
    const FactStore facts = ReadLogText("step 1 loss 0.5\n" + text + "\nstep 2 loss 0.25\n");
    const auto losses = testing::ColumnValues(FactView(facts), "loss");
    ASSERT_FALSE(losses.empty()) << piece;
    EXPECT_EQ(losses.back(), 0.25) << piece;
    EXPECT_EQ(FactView(facts).All<LogShape>()[0].lines, 3U) << piece;
    const auto anomalies = FactView(facts).anomalies();
    EXPECT_EQ(
        std::count_if(anomalies.begin(), anomalies.end(), [](const Anomaly& a) { return a.kind == AnomalyKind::kOverlong; }), 1)
        << piece;
    EXPECT_EQ(
        std::count_if(anomalies.begin(), anomalies.end(), [](const Anomaly& a) { return a.kind == AnomalyKind::kBadEncoding; }),
        0)
        << piece;
  }
}

TEST(LogReaderProperties, ReadsAHundredThousandSegmentsOfOneLine) {
  std::string text = "step 1 loss 0.5\n";
  for (int i = 1; i <= 100000; ++i)
    text += "\rEpoch 0:  50%|#####     | " + std::to_string(i) + "/100000 [00:01<00:01, 50.0it/s, loss=0.5]";
  const FactStore facts = ReadLogText(text + "\nstep 2 loss 0.25\n");
  const FactView view(facts);
  ASSERT_EQ(view.All<ProgressBar>().size(), 1U);
  EXPECT_EQ(view.All<ProgressBar>()[0].last, 100000);
  std::size_t rows = 0;
  for (const MetricTable& table : view.tables()) {
    if (table.writer == "tqdm") rows = table.row_count();
  }
  EXPECT_EQ(rows, 100000U);
  EXPECT_TRUE(view.anomalies().empty());
}

RC_GTEST_PROP(LogReaderAnyBytes, WindowsChangeNoFactOfAnyBytes, ()) {
  const auto word = rc::gen::element<std::string>("{'loss': ", "Epoch ", "%|", "\r", "\n", "\b", "\x1b[",
                                                  "Traceback (most recent call last)", "  File \"", "0.5", "1/2", " ", "[", "]",
                                                  "|", ": ", "iteration ", "elapsed time per iteration (",
                                                  "step=", ", skipped=", "│", "loss  ", "epoch  ", std::string(1, '\0'), "\xFF");
  const auto byte = rc::gen::map(rc::gen::arbitrary<char>(), [](char c) { return std::string(1, c); });
  const auto pieces = *rc::gen::resize(
      600, rc::gen::container<std::vector<std::string>>(rc::gen::weightedOneOf<std::string>({{3, word}, {1, byte}})));
  const std::string text = std::accumulate(pieces.begin(), pieces.end(), std::string());
  const FactStore facts = ReadInWindows(text, std::size_t{1} << 20U);
  ExpectCitationsInside(facts, text.size());
  RC_ASSERT(Everything(ReadInWindows(text, 64)) == Everything(facts));
}

TEST(LogReaderProperties, KeepsBoundedMemoryForHostileNames) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "step " + std::to_string(i) + " loss 0.5 name" + std::to_string(i) + "=1\n";
  for (int i = 0; i < 20000; ++i) text += "[rank" + std::to_string(i) + "]: step 1 loss 0.5\n";
  const FactStore facts = ReadLogText(text);
  const FactView view(facts);
  EXPECT_LE(view.tables().size(), 4096U);
  for (const MetricTable& table : view.tables()) EXPECT_LE(table.columns().size(), 512U);
  EXPECT_FALSE(view.anomalies().empty());
}

}  // namespace
}  // namespace assay
