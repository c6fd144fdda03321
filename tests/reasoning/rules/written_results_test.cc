// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tests/support/rule_check.h"
#include "tests/support/sibling_facts.h"

namespace assay {
namespace {

using testing::Conclude;
using testing::ConcludeFromText;
using testing::Ids;
using testing::ReadLogText;

constexpr std::string_view kRule = "written-results";

TEST(WrittenResults, EmptyResultAfterANormalEnd) {
  FactStore store = ReadLogText("step 1 loss 2.0\nstep 2 loss 1.9\nTraining finished\n");
  const SourceId source = store.AddSource({.path = "out/predictions.json"});
  store.Add(RunFile{.size = 0, .cite = {.source = source}});
  EXPECT_EQ(Ids(Conclude(kRule, store), kRule), "result-absent");
  FactStore running = ReadLogText("step 1 loss 2.0\nstep 2 loss 1.9\n");
  running.Add(RunFile{.size = 0, .cite = {.source = running.AddSource({.path = "out/predictions.json"})}});
  EXPECT_EQ(Ids(Conclude(kRule, running), kRule), "");
}

FactStore Checkpoints(std::initializer_list<int> steps, int last_step, std::string_view interval) {
  FactStore store;
  testing::Log(store, "train.log", last_step, [](int i) { return 3.0 / i; });
  for (const int step : steps) {
    const SourceId source = store.AddSource({.path = fmt::format("out/checkpoint-{}/model.safetensors", step)});
    store.Add(CheckpointFile{
        .state = CheckpointFile::State::kWhole, .step = step, .group = "out/checkpoint-", .cite = {.source = source}});
  }
  if (!interval.empty()) testing::State(store, "a.yaml", "save_steps", interval);
  return store;
}

TEST(WrittenResults, CheckpointsThatStopped) {
  EXPECT_EQ(Ids(Conclude(kRule, Checkpoints({100, 200, 300}, 900, "100")), kRule), "ckpt-older-than-log");
  EXPECT_EQ(Ids(Conclude(kRule, Checkpoints({700, 800, 900}, 950, "100")), kRule), "");
  EXPECT_EQ(Ids(Conclude(kRule, Checkpoints({1, 2, 3}, 900, "1")), kRule), "");  // epochs
  EXPECT_TRUE(testing::IsNotChecked(Conclude(kRule, Checkpoints({100, 200}, 900, "")), "ckpt-older-than-log"));
}

TEST(WrittenResults, ASinkThatStopped) {
  FactStore store;
  testing::Log(store, "train.log", 400, [](int i) { return 3.0 / i; });
  const SourceId events = store.AddSource({.path = "events.out.tfevents.1", .format = "tensorboard-events"});
  MetricTable& table = store.AddTable(events, "tensorboard-events");
  for (int i = 1; i <= 100; ++i) {
    table.AddRow({.step = i, .offset = static_cast<std::uint64_t>(i), .length = 1});
    table.Set(table.Column("loss"), 3.0 / i);
  }
  EXPECT_EQ(Ids(Conclude(kRule, store), kRule), "log-stopped");
  // Another quantity with steps of its own.
  FactStore other;
  testing::Log(other, "train.log", 400, [](int i) { return 3.0 / i; });
  MetricTable& epochs = other.AddTable(other.AddSource({.path = "metrics.csv", .format = "metrics-csv"}), "metrics-csv");
  for (int i = 1; i <= 20; ++i) {
    epochs.AddRow({.step = i, .offset = static_cast<std::uint64_t>(i), .length = 1});
    epochs.Set(epochs.Column("loss"), 2.0 - 0.01 * i);
  }
  EXPECT_EQ(Ids(Conclude(kRule, other), kRule), "");
}

TEST(WrittenResults, ALogWithOtherLinesBelowItsLastStepHadNotStopped) {
  const auto with = [](std::string_view tail) {
    std::string log;
    for (int i = 1; i <= 30; ++i) log += fmt::format("step {} loss {:.4f}\n", i, 3.0 / i);
    FactStore store = ReadLogText(log + std::string(tail));
    MetricTable& table = store.AddTable(store.AddSource({.path = "metrics.csv", .format = "metrics-csv"}), "metrics-csv");
    for (int i = 1; i <= 400; ++i) {
      table.AddRow({.step = i, .offset = static_cast<std::uint64_t>(i), .length = 1});
      table.Set(table.Column("loss"), 3.0 / i);
    }
    return Ids(Conclude(kRule, store), kRule);
  };
  EXPECT_EQ(with(""), "log-stopped");
  EXPECT_EQ(with("3000 of 3000 steps, checkpoint written to last.pt\neval loss 1.1312\n"), "");
  EXPECT_EQ(with("quiet from here on\n400 of 400 steps, written to last.pt\n"), "");
}

TEST(WrittenResults, TwoWritersOnOneAxis) {
  std::string log;
  for (int i = 0; i < 30; ++i) log += fmt::format("step {} loss 2.0\nstep {} loss 1.0\n", 1000 + 10 * i, 10 + 10 * i);
  EXPECT_EQ(Ids(ConcludeFromText(kRule, "step 1 loss 3.0\n" + log), kRule), "step-axis-off");
  // A loop that counts anew in each epoch.
  std::string epochs;
  for (int e = 0; e < 6; ++e) {
    for (int i = 0; i < 20; ++i) epochs += fmt::format("iter {} loss 2.0\n", 20 * i);
  }
  EXPECT_EQ(Ids(ConcludeFromText(kRule, epochs), kRule), "");
}

TEST(WrittenResults, TheWorstKeptAsTheBest) {
  EXPECT_EQ(Ids(ConcludeFromText(kRule,
                                 "Epoch 00002: val_accuracy improved from 0.71000 to 0.64000, saving model to best.h5\n"
                                 "Epoch 00005: val_accuracy improved from 0.64000 to 0.52000, saving model to best.h5\n"),
                kRule),
            "selection-mode-wrong");
  EXPECT_EQ(Ids(ConcludeFromText(kRule,
                                 "Epoch 00002: val_loss improved from 0.71000 to 0.64000, saving model to best.h5\n"
                                 "Epoch 00005: val_loss improved from 0.64000 to 0.52000, saving model to best.h5\n"),
                kRule),
            "");
  EXPECT_EQ(Ids(ConcludeFromText(kRule,
                                 "Epoch 2: val_score improved from 0.71 to 0.64, saving model to best.h5\n"
                                 "Epoch 5: val_score improved from 0.64 to 0.52, saving model to best.h5\n"),
                kRule),
            "");
}

TEST(WrittenResults, BodyOfTheModelNotInTheCheckpoint) {
  EXPECT_EQ(
      Ids(ConcludeFromText(
              kRule,
              "Some weights of BertModel were not initialized from the model checkpoint at out/best and are newly initialized: "
              "['encoder.layer.0.attention.self.query.weight', 'encoder.layer.0.attention.self.key.weight', "
              "'encoder.layer.1.output.dense.bias']\n"),
          kRule),
      "weights-evaluated-other");
  EXPECT_EQ(Ids(ConcludeFromText(kRule,
                                 "Some weights of BertForSequenceClassification were not initialized from the model checkpoint "
                                 "at bert-base and are newly "
                                 "initialized: ['classifier.bias', 'classifier.weight']\n"),
                kRule),
            "");
}

}  // namespace
}  // namespace assay
