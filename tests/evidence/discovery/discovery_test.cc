// SPDX-License-Identifier: Apache-2.0
#include "evidence/discovery/discovery.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace assay {
namespace {

ProjectScan Scan(const std::vector<std::pair<std::string, double>>& paths) {
  MemoryFileSystem files;
  for (const auto& [path, modified] : paths) files.Add("/p/" + path, "x", modified);
  auto scan = ScanProject(files, "/p");
  EXPECT_TRUE(scan.has_value());
  return std::move(scan).value();
}

std::set<std::string> Ids(const ProjectScan& scan) {
  std::set<std::string> ids;
  for (const FoundRun& run : scan.runs) ids.insert(run.id);
  return ids;
}

TEST(Discovery, TakesALogItsCheckpointsAndItsListingsForOneRun) {
  const ProjectScan scan = Scan({{"runs/exp7/train.log", 1},
                                 {"runs/exp7/checkpoint-500/model.safetensors", 1},
                                 {"runs/exp7/tb/events.out.tfevents.1.h.2.0", 1},
                                 {"runs/exp7/nvidia-smi.txt", 1}});
  ASSERT_EQ(scan.runs.size(), 1U);
  EXPECT_EQ(scan.runs[0].id, "runs-exp7");
  EXPECT_EQ(scan.runs[0].files.size(), 4U);
}

TEST(Discovery, NamesRunsAsTheirWritersDo) {
  EXPECT_EQ(Ids(Scan({{"wandb/run-20260101_120000-abc123/run-abc123.wandb", 1},
                      {"mlruns/0/0f1e/metrics/loss", 1},
                      {"slurm-4410982.out", 1}})),
            (std::set<std::string>{"abc123", "0f1e", "4410982"}));
}

TEST(Discovery, MeansTheNewestRunAndEvaluationsLast) {
  const ProjectScan scan = Scan({{"runs/a/train.log", 100}, {"runs/b/train.log", 200}, {"runs/c/eval.log", 300}});
  const auto chosen = ChooseRun(scan, "");
  ASSERT_TRUE(chosen.has_value());
  EXPECT_EQ(chosen->run->id, "runs-b");
  EXPECT_NE(chosen->why.find("of 3 runs"), std::string::npos);
}

TEST(Discovery, TakesAnIdAPrefixOrAPath) {
  const ProjectScan scan = Scan({{"runs/alpha/train.log", 1}, {"runs/beta/train.log", 2}});
  for (const char* wanted : {"runs-alpha", "runs-al", "runs/alpha", "runs/alpha/", "runs/alpha/train.log"}) {
    const auto chosen = ChooseRun(scan, wanted);
    ASSERT_TRUE(chosen.has_value()) << wanted;
    EXPECT_EQ(chosen->run->id, "runs-alpha") << wanted;
  }
  EXPECT_EQ(ChooseRun(scan, "runs-").error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(ChooseRun(scan, "zeta").error().kind, ErrorKind::kNotFound);
}

TEST(Discovery, LeavesDataSetsOutAndSaysSo) {
  std::vector<std::pair<std::string, double>> paths{{"train.log", 1}, {"datasets/labels/1.txt", 1}};
  for (int i = 0; i < 4100; ++i) paths.emplace_back("frames/" + std::to_string(i) + ".txt", 1);
  const ProjectScan scan = Scan(paths);
  ASSERT_EQ(scan.runs.size(), 1U);
  EXPECT_EQ(scan.runs[0].files.size(), 1U);
  std::set<std::string> left;
  for (const LeftOut& out : scan.left_out) left.insert(out.path);
  EXPECT_EQ(left, (std::set<std::string>{"datasets", "frames"}));
}

TEST(Discovery, DoesNotTakeSourceOrEnvironmentsForArtifacts) {
  EXPECT_TRUE(
      Scan({{"train.py", 1}, {".venv/lib/x.txt", 1}, {".git/config.txt", 1}, {".assay/cases/1/ledger.jsonl", 1}}).runs.empty());
}

TEST(Discovery, KeepsRunsOfOneFolderApartByTheirNumbers) {
  EXPECT_EQ(Ids(Scan({{"run1.log", 1}, {"run2.log", 1}})).size(), 2U);
  EXPECT_EQ(Scan({{"train.log", 1}, {"train.log.1", 1}, {"train_rank0.log", 1}}).runs.size(), 1U);
}

TEST(Discovery, SaysWhatItLookedForWhenThereIsNothing) {
  const auto none = ChooseRun(Scan({{"README", 1}}), "");
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().kind, ErrorKind::kNotFound);
  EXPECT_FALSE(none.error().notes.empty());
}

}  // namespace
}  // namespace assay
