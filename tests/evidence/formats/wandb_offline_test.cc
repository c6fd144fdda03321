// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/block_log_bytes.h"
#include "tests/support/proto_bytes.h"
#include "tests/support/reading.h"

namespace assay {
namespace formats {
extern const Format wandb_offline;
}
namespace {

using testing::BlockLogBytes;
using testing::BytesOf;
using testing::ColumnValues;
using testing::CutEverywhere;
using testing::DoubleOf;
using testing::Fixture;
using testing::FlipEverywhere;
using testing::ReadAs;
using testing::VarintOf;

constexpr std::string_view kPath = "wandb/run-20260101_000000-x/run-x.wandb";
const std::string kFileHeader(":W&B\xe1\xbe\0", 7);

std::string RunFixture(const std::string& name, const std::string& id) {
  return Fixture("wandb/" + name + "/wandb/offline-run-20260101_000000-" + id + "/run-" + id + ".wandb");
}
FactStore Read(std::string_view bytes) { return ReadAs(formats::wandb_offline, kPath, bytes); }
FactStore ReadRecords(std::initializer_list<std::string> records) {
  BlockLogBytes log(kFileHeader);
  for (const std::string& record : records) log.Add(record);
  return Read(log.bytes());
}

std::string Item(std::string_view key, std::string_view json) { return BytesOf(1, BytesOf(1, key) + BytesOf(16, json)); }
std::string History(const std::string& items) { return BytesOf(2, items); }
const std::string kExit = BytesOf(18, "");

std::string Config(const FactStore& facts, std::string_view key) {
  for (const ConfigValue& value : FactView(facts).All<ConfigValue>()) {
    if (value.key == key) return value.value;
  }
  return "(absent)";
}

std::size_t Count(const FactStore& facts, AnomalyKind kind) {
  const auto anomalies = FactView(facts).anomalies();
  return static_cast<std::size_t>(
      std::count_if(anomalies.begin(), anomalies.end(), [&](const Anomaly& a) { return a.kind == kind; }));
}

TEST(WandbOffline, ClaimsItsFilesByContent) {
  const auto sniff = [](std::string_view path, std::string_view bytes) {
    return formats::wandb_offline.sniff({.path = path, .bytes = std::as_bytes(std::span(bytes)), .size = bytes.size()});
  };
  EXPECT_EQ(sniff("anything", kFileHeader), Match::kYes);
  EXPECT_EQ(sniff("run-x.wandb", ""), Match::kMaybe);
  EXPECT_EQ(sniff("run-x.log", "step 1"), Match::kNo);
}

TEST(WandbOffline, ReadsAFinishedRun) {
  const std::string bytes = RunFixture("finished", "finished");
  const FactStore facts = Read(bytes);
  const FactView view(facts);
  EXPECT_TRUE(view.anomalies().empty());
  const MetricTable* history = nullptr;
  const MetricTable* system = nullptr;
  for (const MetricTable& table : view.tables()) (table.writer == "wandb" ? history : system) = &table;
  ASSERT_TRUE(history != nullptr && system != nullptr);
  ASSERT_EQ(history->row_count(), 12U);
  EXPECT_EQ(history->row(0).step, 0);
  EXPECT_EQ(history->row(11).step, 11);
  EXPECT_GT(history->row(0).time, 1.79e9);
  EXPECT_GE(history->row(11).time, history->row(0).time);
  EXPECT_TRUE(history->times_zoned);
  const auto loss = history->Find(Metric::kLoss);
  const auto norm = history->Find(Metric::kGradNorm);
  ASSERT_TRUE(loss && norm && history->FindName("nested.accuracy"));
  EXPECT_EQ(history->At(0, *loss), 2.6);
  EXPECT_EQ(history->At(1, *loss), 2.146826882694955);
  EXPECT_TRUE(std::isnan(*history->At(9, *loss)));
  EXPECT_TRUE(std::isinf(*history->At(8, *norm)));
  EXPECT_EQ(history->At(3, *history->FindName("nested.accuracy")), 0.25);
  const Citation first = history->Cite(0);
  const std::string cited = bytes.substr(first.begin, first.end - first.begin);
  EXPECT_NE(cited.find("train/loss"), std::string::npos);
  EXPECT_NE(cited.find("2.6"), std::string::npos);
  EXPECT_EQ(cited.size(), 7U + static_cast<unsigned char>(cited[4]) + 256U * static_cast<unsigned char>(cited[5]));  // one chunk
  EXPECT_EQ(system->writer, "wandb-system");
  EXPECT_GT(ColumnValues(view, "memory_percent").at(0), 0);
  EXPECT_EQ(Config(facts, "lr"), "0.0003");
  EXPECT_EQ(Config(facts, "model.layers"), "2");
  EXPECT_EQ(Config(facts, "model.width"), "64");
  EXPECT_EQ(Config(facts, "betas"), "[0.9, 0.999]");
  EXPECT_EQ(Config(facts, "amp"), "false");
  EXPECT_EQ(Config(facts, "wandb.run_id"), "finished");
  EXPECT_EQ(Config(facts, "wandb.host"), "node-a");
  EXPECT_TRUE(Config(facts, "wandb.program").ends_with("/train.py"));
  EXPECT_EQ(Config(facts, "wandb.exit_code"), "0");
  EXPECT_EQ(Config(facts, "argv.id"), "finished");
  EXPECT_TRUE(Config(facts, "wandb.started").starts_with("2026-"));
  ASSERT_EQ(view.not_checked().size(), 1U);
  ASSERT_EQ(view.Config("lr").size(), 1U);
  const Citation lr = view.Config("lr")[0]->cite;
  EXPECT_NE(bytes.substr(lr.begin, lr.end - lr.begin).find("0.0003"), std::string::npos);
}

TEST(WandbOffline, ReadsHowRunsEnd) {
  const FactStore failed = Read(RunFixture("failed", "failed"));
  EXPECT_EQ(Config(failed, "wandb.exit_code"), "1");
  EXPECT_TRUE(FactView(failed).anomalies().empty());
  const FactStore killed = Read(RunFixture("killed", "killed"));
  EXPECT_EQ(Config(killed, "wandb.exit_code"), "(absent)");
  EXPECT_EQ(Count(killed, AnomalyKind::kTruncated), 1U);
  EXPECT_EQ(Count(killed, AnomalyKind::kMissing), 1U);
  EXPECT_EQ(FactView(killed).anomalies().back().cite.end, 32768U);
  const FactStore early = Read(RunFixture("killed_early", "killedearly"));
  EXPECT_EQ(Count(early, AnomalyKind::kMissing), 1U);
  EXPECT_EQ(FactView(early).anomalies().size(), 1U);
}

TEST(WandbOffline, ReadsNumbersHoweverTheyAreWritten) {
  const FactStore facts = ReadRecords(
      {History(Item("_step", "3") + Item("a", "NaN") + Item("b", "\"Infinity\"") + Item("c", "-Infinity") + Item("d", "\"12\"") +
               Item("e", "null") + Item("f", "{\"_type\":\"histogram\",\"x\":1}") + Item("g", "{\"x\":{\"y\":2},\"z\":\"NaN\"}") +
               BytesOf(1, BytesOf(2, "h") + VarintOf(5, 5)) + BytesOf(1, BytesOf(2, "i") + DoubleOf(6, 0.5))),
       kExit});
  const FactView view(facts);
  ASSERT_EQ(view.tables().size(), 1U);
  const MetricTable& table = view.tables()[0];
  EXPECT_EQ(table.row_count(), 1U);
  EXPECT_EQ(table.row(0).step, 3);
  EXPECT_TRUE(std::isnan(ColumnValues(view, "a").at(0)));
  EXPECT_EQ(ColumnValues(view, "b").at(0), HUGE_VAL);
  EXPECT_EQ(ColumnValues(view, "c").at(0), -HUGE_VAL);
  EXPECT_EQ(ColumnValues(view, "g.x.y").at(0), 2);
  EXPECT_TRUE(std::isnan(ColumnValues(view, "g.z").at(0)));
  EXPECT_EQ(ColumnValues(view, "h").at(0), -3);
  EXPECT_EQ(ColumnValues(view, "i").at(0), 0.5);
  EXPECT_EQ(table.columns().size(), 7U);
}

TEST(WandbOffline, TheStepOfTheRunIsBetterThanTheCountOfCalls) {
  const FactStore facts =
      ReadRecords({History(Item("train/global_step", "500") + Item("_step", "7") + Item("loss", "1")), kExit});
  EXPECT_EQ(FactView(facts).tables()[0].row(0).step, 500);
  EXPECT_EQ(FactView(facts).tables()[0].columns().size(), 1U);
}

TEST(WandbOffline, AStepOfZeroIsNotTheLackOfAStep) {
  const FactStore facts = ReadRecords({History(Item("a", "1") + BytesOf(2, "")), History(Item("b", "1")), kExit});
  EXPECT_EQ(FactView(facts).tables()[0].row(0).step, 0);
  EXPECT_EQ(FactView(facts).tables()[1].row(0).step, kNoStep);
}

TEST(WandbOffline, KeepsChangedConfigurationOnceEach) {
  const auto config = [](std::string_view value) { return BytesOf(5, Item("lr", value)); };
  const FactStore facts = ReadRecords({config("0.1"), config("0.1"), config("0.2"), BytesOf(23, ""), kExit});
  ASSERT_EQ(FactView(facts).Config("lr").size(), 2U);
  EXPECT_EQ(FactView(facts).Config("lr")[1]->value, "0.2");
  EXPECT_EQ(Config(facts, "wandb.preempting"), "true");
}

TEST(WandbOffline, SecretsAreNotRecorded) {
  const std::string run = BytesOf(17, BytesOf(21, BytesOf(1, "https://u:hunter2@host/x") + BytesOf(2, "abc123")) +
                                          BytesOf(4, Item("hub_token", "\"hunter2\"")));
  const std::string environment = BytesOf(26, BytesOf(5, "--api_key") + BytesOf(5, "hunter2") + BytesOf(5, "--password=hunter2"));
  const FactStore facts = ReadRecords({run, environment, kExit});
  EXPECT_EQ(Config(facts, "wandb.commit"), "abc123");
  EXPECT_NE(Config(facts, "argv.api_key"), "(absent)");
  for (const ConfigValue& value : FactView(facts).All<ConfigValue>()) {
    EXPECT_EQ(value.value.find("hunter2"), std::string::npos) << value.key;
  }
}

TEST(WandbOffline, BearsEveryCutAndACutMakesNoNewFacts) {
  const std::string bytes = RunFixture("finished", "finished");
  const auto whole = ColumnValues(FactView(Read(bytes)), "train/loss");
  CutEverywhere(formats::wandb_offline, kPath, bytes, [&](std::size_t length, const FactStore& facts) {
    const auto part = ColumnValues(FactView(facts), "train/loss");
    ASSERT_LE(part.size(), whole.size());
    for (std::size_t i = 0; i < part.size(); ++i)
      EXPECT_TRUE(part[i] == whole[i] || (std::isnan(part[i]) && std::isnan(whole[i])));
    EXPECT_EQ(Config(facts, "wandb.exit_code") == "0", length == bytes.size());
    EXPECT_EQ(Count(facts, AnomalyKind::kMissing), length >= 7 && length < bytes.size() ? 1U : 0U);
    EXPECT_EQ(Count(facts, AnomalyKind::kEmpty), length == 0 ? 1U : 0U);
    EXPECT_EQ(Count(facts, AnomalyKind::kCorrupt), 0U);
  });
}

TEST(WandbOffline, BearsEveryFlippedByte) {
  const std::string bytes = RunFixture("failed", "failed");
  FlipEverywhere(formats::wandb_offline, kPath, bytes, 3);
}

TEST(WandbOffline, DamageHidesHowTheRunEnded) {
  std::string bytes = RunFixture("finished", "finished");
  bytes[2000] = '?';  // this file has one block, so everything behind is lost
  const FactStore facts = Read(bytes);
  EXPECT_EQ(Count(facts, AnomalyKind::kCorrupt), 1U);
  EXPECT_EQ(Count(facts, AnomalyKind::kMissing), 0U);
  EXPECT_EQ(FactView(facts).anomalies()[0].cite.end, bytes.size());
  EXPECT_EQ(FactView(facts).not_checked().back().why, "the end of the file is damaged");
}

TEST(WandbOffline, RefusesAnotherHeader) {
  EXPECT_EQ(Count(Read("not wandb at all"), AnomalyKind::kCorrupt), 1U);
  EXPECT_EQ(Count(Read(":W&"), AnomalyKind::kTruncated), 1U);
  EXPECT_EQ(Count(Read(""), AnomalyKind::kEmpty), 1U);
}

TEST(WandbOffline, BearsHostileRecords) {
  const std::string deep = std::string(100'000, '[');
  std::string objects;
  for (int i = 0; i < 50'000; ++i) objects += "{\"a\":";
  std::string many;
  for (int i = 0; i < 30'000; ++i) many += Item("key" + std::to_string(i), "1");
  const FactStore facts = ReadRecords({BytesOf(5, Item("x", deep)), BytesOf(5, Item("y", objects)), History(Item("z", objects)),
                                       History(many), BytesOf(5, many), BytesOf(2, "\x0a\x7f"), "\x0a\x7f", kExit});
  EXPECT_EQ(Count(facts, AnomalyKind::kCorrupt), 2U);
  EXPECT_EQ(Count(facts, AnomalyKind::kOverlong), 1U);
  EXPECT_LE(FactView(facts).All<ConfigValue>().size(), 20'000U);
}

}  // namespace
}  // namespace assay
