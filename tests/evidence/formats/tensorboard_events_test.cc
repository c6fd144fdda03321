// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/proto_bytes.h"
#include "tests/support/reading.h"

namespace assay {
namespace formats {
extern const Format tensorboard_events;
}
namespace {

using testing::BytesOf;
using testing::ColumnValues;
using testing::CutEverywhere;
using testing::DoubleOf;
using testing::Fixture;
using testing::FlipEverywhere;
using testing::FloatOf;
using testing::LittleEndian;
using testing::ReadAs;
using testing::TfRecord;
using testing::VarintOf;

constexpr std::string_view kPath = "runs/a/events.out.tfevents.1767225601.node-a.4242.0";
constexpr std::string_view kFolder = "tensorboard/";

FactStore Read(std::string_view bytes) { return ReadAs(formats::tensorboard_events, kPath, bytes); }
FactStore ReadFixture(std::string_view name) { return Read(Fixture(std::string(kFolder) + std::string(name))); }

const std::string kVersion = TfRecord(DoubleOf(1, 1000) + BytesOf(3, "brain.Event:2"));

std::string Event(double time, std::int64_t step, std::string_view values) {
  return TfRecord(DoubleOf(1, time) + (step == 0 ? "" : VarintOf(2, static_cast<std::uint64_t>(step))) + BytesOf(5, values));
}
std::string Simple(std::string_view tag, float value) { return BytesOf(1, BytesOf(1, tag) + FloatOf(2, value)); }
std::string Tensor(std::string_view tag, std::string_view tensor, std::string_view plugin = "scalars") {
  const std::string metadata = plugin.empty() ? "" : BytesOf(9, BytesOf(1, BytesOf(1, plugin)));
  return BytesOf(1, BytesOf(1, tag) + BytesOf(8, tensor) + metadata);
}

TEST(TensorboardEvents, ClaimsEventFilesAndNoOtherRecords) {
  const auto sniff = [](std::string_view path, std::string_view bytes) {
    return formats::tensorboard_events.sniff({.path = path, .bytes = std::as_bytes(std::span(bytes)), .size = bytes.size()});
  };
  EXPECT_EQ(sniff(kPath, kVersion), Match::kYes);
  EXPECT_EQ(sniff("renamed", kVersion), Match::kYes);
  EXPECT_EQ(sniff("train-00001.tfrecord", TfRecord(BytesOf(1, "feature"))), Match::kNo);
  EXPECT_EQ(sniff(kPath, ""), Match::kMaybe);
  EXPECT_EQ(sniff("events.txt", "step 1 loss 2"), Match::kNo);
}

TEST(TensorboardEvents, ReadsWhatPyTorchWrites) {
  const FactStore facts = ReadFixture("nonfinite/events.out.tfevents.1767225601.node-a.4242.0");
  const FactView view(facts);
  EXPECT_TRUE(view.anomalies().empty());
  const MetricTable& table = view.tables().front();
  EXPECT_EQ(table.writer, "tensorboard");
  EXPECT_TRUE(table.times_zoned);
  ASSERT_EQ(table.row_count(), 12U);
  const auto loss = table.Find(Metric::kLoss);
  const auto norm = table.Find(Metric::kGradNorm);
  ASSERT_TRUE(loss && norm);
  EXPECT_EQ(table.row(0).step, 0);
  EXPECT_EQ(table.row(11).step, 55);
  EXPECT_EQ(table.row(0).time, 1767225603.0);
  EXPECT_FLOAT_EQ(static_cast<float>(*table.At(0, *loss)), 2.55F);
  EXPECT_FLOAT_EQ(static_cast<float>(*table.At(1, *loss)), 1.997002F);
  EXPECT_TRUE(std::isnan(*table.At(9, *loss)));
  EXPECT_TRUE(std::isinf(*table.At(8, *norm)));
  EXPECT_TRUE(std::isnan(*table.At(9, *norm)));
  EXPECT_TRUE(std::isfinite(*table.At(10, *norm)));
  EXPECT_EQ(table.Cite(0).begin, 88U);
  EXPECT_EQ(table.Cite(0).end, 229U);  // the three records of one step
  EXPECT_EQ(ColumnValues(view, "train/lr").size(), 12U);
  EXPECT_EQ(ColumnValues(view, "eval/lowest"), std::vector<double>{-HUGE_VAL});
  EXPECT_TRUE(ColumnValues(view, "weights").empty());
}

TEST(TensorboardEvents, ReadsWhatTensorFlowWrites) {
  const FactStore facts = ReadFixture("tensor_scalars/events.out.tfevents.1767225693.node-a.4242.7.v2");
  const FactView view(facts);
  const auto loss = ColumnValues(view, "epoch_loss");
  ASSERT_EQ(loss.size(), 12U);
  EXPECT_FLOAT_EQ(static_cast<float>(loss[0]), 2.55F);
  EXPECT_TRUE(std::isnan(loss[11]));
  std::size_t columns = 0;
  for (const MetricTable& table : view.tables()) columns += table.columns().size();
  EXPECT_EQ(columns, 4U);
}

TEST(TensorboardEvents, ReadsHyperparametersAndHowTheSessionEnded) {
  const FactStore facts = ReadFixture("hparams/1767225685.0/events.out.tfevents.1767225686.node-a.4242.6");
  const FactView view(facts);
  const auto value = [&](std::string_view name) { return view.Config(name).empty() ? "" : view.Config(name)[0]->value; };
  EXPECT_EQ(value("lr"), "0.0003");
  EXPECT_EQ(value("batch_size"), "8");
  EXPECT_EQ(value("optimizer"), "adamw");
  EXPECT_EQ(value("session_status"), "success");
  EXPECT_EQ(view.Config("lr")[0]->key, "hparams.lr");
  EXPECT_EQ(view.Config("lr")[0]->origin, ConfigValue::Origin::kMetadata);
  EXPECT_EQ(view.Config("lr")[0]->cite.begin, 242U);
  EXPECT_TRUE(std::isnan(ColumnValues(view, "hparam/diverged").at(0)));
}

TEST(TensorboardEvents, SaysWhereAPurgeStarted) {
  const FactStore facts = ReadFixture("purged/events.out.tfevents.1767225671.node-a.4242.4");
  const auto start = FactView(facts).Config("session_start_step");
  ASSERT_EQ(start.size(), 1U);
  EXPECT_EQ(start[0]->value, "25");
}

TEST(TensorboardEvents, ASessionStartAfterRowsIsANewAttempt) {
  const std::string start = TfRecord(DoubleOf(1, 1003) + VarintOf(2, 1) + BytesOf(7, VarintOf(1, 1)));
  const FactStore facts = Read(kVersion + Event(1001, 1, Simple("loss", 3)) + start + Event(1004, 1, Simple("loss", 2)));
  const MetricTable& table = FactView(facts).tables().front();
  ASSERT_EQ(table.row_count(), 2U);
  EXPECT_EQ(table.row(0).attempt, 0U);
  EXPECT_EQ(table.row(1).attempt, 1U);
}

TEST(TensorboardEvents, ReadsEveryNumberType) {
  const auto value = [](const std::string& tensor) {
    const auto values = ColumnValues(FactView(Read(kVersion + Event(1001, 1, Tensor("x", tensor)))), "x");
    return values.size() == 1 ? values[0] : -99.0;
  };
  const auto type = [](std::uint64_t number) { return VarintOf(1, number) + BytesOf(2, ""); };
  EXPECT_EQ(value(type(1) + BytesOf(4, LittleEndian(std::bit_cast<std::uint32_t>(1.5F), 4))), 1.5);
  EXPECT_EQ(value(type(2) + BytesOf(4, LittleEndian(std::bit_cast<std::uint64_t>(0.1), 8))), 0.1);
  EXPECT_EQ(value(type(3) + BytesOf(4, LittleEndian(0xFFFFFFFE, 4))), -2);
  EXPECT_EQ(value(type(9) + BytesOf(4, LittleEndian(~std::uint64_t{0}, 8))), -1);
  EXPECT_EQ(value(type(10) + BytesOf(4, LittleEndian(1, 1))), 1);
  EXPECT_EQ(value(type(19) + BytesOf(4, LittleEndian(0xC000, 2))), -2);
  EXPECT_EQ(value(type(19) + BytesOf(4, LittleEndian(0x0001, 2))), std::ldexp(1, -24));
  EXPECT_TRUE(std::isinf(value(type(19) + BytesOf(4, LittleEndian(0x7C00, 2)))));
  EXPECT_TRUE(std::isnan(value(type(19) + BytesOf(4, LittleEndian(0x7E00, 2)))));
  EXPECT_EQ(value(type(14) + BytesOf(4, LittleEndian(0x3FC0, 2))), 1.5);
  EXPECT_EQ(value(type(1) + FloatOf(5, 2.5F)), 2.5);
  EXPECT_EQ(value(type(1) + BytesOf(5, LittleEndian(std::bit_cast<std::uint32_t>(2.5F), 4))), 2.5);
  EXPECT_EQ(value(type(2) + DoubleOf(6, 0.1)), 0.1);
  EXPECT_EQ(value(type(3) + VarintOf(7, ~std::uint64_t{0})), -1);
  EXPECT_EQ(value(type(9) + BytesOf(10, testing::Varint(300))), 300);
  EXPECT_EQ(value(type(10) + VarintOf(11, 1)), 1);
  EXPECT_EQ(value(type(19) + BytesOf(13, testing::Varint(0x3C00))), 1);
  EXPECT_EQ(value(type(14) + BytesOf(13, testing::Varint(0x3F80))), 1);
  // Bytes that do not fit the type, texts and lists are no scalars.
  EXPECT_EQ(value(type(1) + BytesOf(4, "abc")), -99);
  EXPECT_EQ(value(type(7) + BytesOf(8, "12")), -99);
  EXPECT_EQ(value(VarintOf(1, 1) + BytesOf(2, BytesOf(2, VarintOf(1, 2))) + BytesOf(4, std::string(8, 'x'))), -99);
}

TEST(TensorboardEvents, OnlyTheFirstValueOfATagNamesItsPlugin) {
  const std::string one = VarintOf(1, 1) + BytesOf(2, "") + FloatOf(5, 1);
  const FactStore facts = Read(kVersion + Event(1001, 1, Tensor("mesh", one, "mesh")) + Event(1002, 2, Tensor("mesh", one, "")) +
                               Event(1003, 2, Tensor("lost", one, "")));
  EXPECT_TRUE(ColumnValues(FactView(facts), "mesh").empty());
  EXPECT_EQ(ColumnValues(FactView(facts), "lost"), std::vector<double>{1});
}

// Small records in the usual order are read by a shortcut; it must see what the general reader sees.
TEST(TensorboardEvents, TheOrderOfFieldsAndTheSizeDoNotMatter) {
  for (const std::int64_t step : {std::int64_t{0}, std::int64_t{1}, std::int64_t{300}, std::int64_t{1} << 40U,
                                  std::int64_t{1} << 53U, std::numeric_limits<std::int64_t>::max(), std::int64_t{-5}}) {
    for (const std::size_t length : {1U, 20U, 90U, 100U, 120U, 200U}) {
      const std::string tag(length, 'x');
      const std::string usual = Event(1001.5, step, Simple(tag, -2.5F));
      const std::string turned = TfRecord(BytesOf(5, BytesOf(1, FloatOf(2, -2.5F) + BytesOf(1, tag))) +
                                          VarintOf(2, static_cast<std::uint64_t>(step)) + DoubleOf(1, 1001.5));
      for (const std::string& record : {usual, turned}) {
        const FactStore facts = Read(kVersion + record);
        const FactView view(facts);
        ASSERT_EQ(view.tables().size(), 1U);
        const MetricTable& table = view.tables()[0];
        ASSERT_EQ(table.row_count(), 1U);
        EXPECT_EQ(table.row(0).step, step > std::int64_t{1} << 53U ? kNoStep : step);  // beyond it is no count
        EXPECT_EQ(table.row(0).time, 1001.5);
        EXPECT_EQ(table.columns()[0].name, tag);
        EXPECT_EQ(table.At(0, 0), -2.5);
      }
    }
  }
}

TEST(TensorboardEvents, OneLoggingCallIsOneRowAndOthersHaveTheirOwnTable) {
  std::string bytes = kVersion;
  for (int step = 0; step < 6; ++step) {
    const double time = 1000 + step * 10;
    bytes += Event(time, step, Simple("loss", 1) + Simple("norm", 2)) + Event(time + 0.01, step, Simple("lr", 3));
    if (step % 3 == 2) bytes += Event(time + 5, step, Simple("eval/loss", 4));
  }
  const FactStore facts = Read(bytes);
  const FactView view(facts);
  ASSERT_EQ(view.tables().size(), 2U);
  EXPECT_EQ(view.tables()[0].row_count(), 6U);
  EXPECT_EQ(view.tables()[0].columns().size(), 3U);
  EXPECT_EQ(view.tables()[1].row_count(), 2U);
  EXPECT_EQ(view.tables()[1].row(0).time, 1025);
}

TEST(TensorboardEvents, AValueLoggedTwiceInOneStepIsTwoRows) {
  const FactStore facts = Read(kVersion + Event(1001, 1, Simple("loss", 3)) + Event(1001, 1, Simple("loss", 4)));
  EXPECT_EQ(ColumnValues(FactView(facts), "loss"), (std::vector<double>{3, 4}));
}

TEST(TensorboardEvents, BlankNanAndZeroStayThreeThings) {
  const double blank_like = std::bit_cast<double>(std::uint64_t{0x7FF8B1A4B1A4B1A4});
  const FactStore facts = Read(kVersion + Event(1001, 0, Simple("loss", 0)) +
                               Event(1002, 1, Tensor("loss", VarintOf(1, 2) + BytesOf(2, "") + DoubleOf(6, blank_like))));
  const auto values = ColumnValues(FactView(facts), "loss");
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(values[0], 0);
  EXPECT_TRUE(std::isnan(values[1]));
}

TEST(TensorboardEvents, BearsEveryCutAndACutMakesNoNewFacts) {
  const std::string bytes = Fixture("tensorboard/nonfinite/events.out.tfevents.1767225601.node-a.4242.0");
  const auto whole = ColumnValues(FactView(Read(bytes)), "train/lr");
  CutEverywhere(formats::tensorboard_events, kPath, bytes, [&](std::size_t length, const FactStore& facts) {
    const auto part = ColumnValues(FactView(facts), "train/lr");
    ASSERT_LE(part.size(), whole.size());
    EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin()));
    for (const Anomaly& anomaly : FactView(facts).anomalies()) {
      EXPECT_EQ(anomaly.kind, length == 0 ? AnomalyKind::kEmpty : AnomalyKind::kTruncated);
      EXPECT_EQ(anomaly.cite.end, length);
      EXPECT_EQ(anomaly.bytes_lost, length - anomaly.cite.begin);
    }
  });
}

TEST(TensorboardEvents, EveryFlippedByteIsDamageWithItsPlace) {
  const std::string bytes = Fixture("tensorboard/hparams/1767225685.0/events.out.tfevents.1767225686.node-a.4242.6");
  FlipEverywhere(formats::tensorboard_events, kPath, bytes);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    const FactStore facts = Read(damaged);
    const auto anomalies = FactView(facts).anomalies();
    ASSERT_EQ(anomalies.size(), 1U) << at;
    EXPECT_EQ(anomalies[0].kind, AnomalyKind::kCorrupt);
    EXPECT_LE(anomalies[0].cite.begin, at);
    EXPECT_GT(anomalies[0].cite.end, at);
  }
}

TEST(TensorboardEvents, SkipsOneBadRecordAndStopsAtABadLength) {
  const std::string first = Event(1001, 1, Simple("loss", 1));
  std::string bytes = kVersion + first + Event(1002, 2, Simple("loss", 2)) + Event(1003, 3, Simple("loss", 3));
  std::string bad_data = bytes;
  bad_data[kVersion.size() + first.size() - 1] = '?';
  EXPECT_EQ(ColumnValues(FactView(Read(bad_data)), "loss"), (std::vector<double>{2, 3}));
  std::string bad_length = bytes;
  bad_length[kVersion.size() + first.size()] = '?';
  const FactStore facts = Read(bad_length);
  EXPECT_EQ(ColumnValues(FactView(facts), "loss"), (std::vector<double>{1}));
  EXPECT_EQ(FactView(facts).anomalies()[0].cite.begin, kVersion.size() + first.size());
}

TEST(TensorboardEvents, KnowsWhatACrashOfTheMachineLeaves) {
  const FactStore facts = Read(kVersion + Event(1001, 1, Simple("loss", 1)) + std::string(5000, '\0'));
  ASSERT_EQ(FactView(facts).anomalies().size(), 1U);
  EXPECT_EQ(FactView(facts).anomalies()[0].kind, AnomalyKind::kLostBytes);
  EXPECT_EQ(FactView(facts).anomalies()[0].bytes_lost, 5000U);
}

TEST(TensorboardEvents, ARecordThatIsNoEventIsCorrupt) {
  const FactStore facts = Read(kVersion + TfRecord("\x0a\x7f") + TfRecord(DoubleOf(1, 1) + BytesOf(5, BytesOf(1, "\x0a\x7f"))));
  ASSERT_EQ(FactView(facts).anomalies().size(), 2U);
  EXPECT_EQ(FactView(facts).anomalies()[0].cite.begin, kVersion.size());
}

TEST(TensorboardEvents, SecretsAreNotRecorded) {
  const std::string entry = BytesOf(1, BytesOf(1, "api_key") + BytesOf(2, BytesOf(3, "abcdef")));
  const std::string plugin = BytesOf(1, "hparams") + BytesOf(2, BytesOf(3, entry));
  const std::string value = BytesOf(1, BytesOf(1, "x") + BytesOf(9, BytesOf(1, plugin)));
  const FactStore facts = Read(kVersion + Event(1001, 0, value));
  ASSERT_EQ(FactView(facts).Config("api_key").size(), 1U);
  EXPECT_EQ(FactView(facts).Config("api_key")[0]->value.find("abcdef"), std::string::npos);
}

// One tag a record is the costliest that a file can ask for, many columns in one row the widest.
TEST(TensorboardEvents, MemoryIsBoundedHoweverManyTagsThereAre) {
  std::string bytes = kVersion;
  for (int i = 0; i < 25'000; ++i) bytes += Event(1001, 1, Simple("tag" + std::to_string(i), 1));
  for (int i = 0; i < 20'000; ++i) bytes += Event(1002 + i * 2, 2, Simple("tag1", 1));
  for (int i = 0; i < 500; ++i) bytes += Event(90'000, 3, Simple("tag" + std::to_string(i), 1));
  const FactStore facts = Read(bytes + Event(90'001, 4, Simple(std::string(5000, 'x'), 1)));
  const FactView view(facts);
  ASSERT_EQ(view.anomalies().size(), 1U);
  EXPECT_EQ(view.anomalies()[0].kind, AnomalyKind::kOverlong);
  std::size_t columns = 0;
  std::uint64_t cells = 0;
  for (const MetricTable& table : view.tables()) {
    columns += table.columns().size();
    EXPECT_LE(table.columns().size(), 512U);
    if (table.columns().size() > 1) cells += table.row_count() * table.columns().size();
  }
  EXPECT_LE(columns, 40'000U);
  EXPECT_LE(cells, 20'000'000U);
}

}  // namespace
}  // namespace assay
