// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/reading.h"

namespace assay {
namespace formats {
extern const Format checkpoint_file;
}
namespace {

using testing::CutEverywhere;
using testing::Fixture;
using testing::FlipEverywhere;
using testing::ReadAs;
using State = CheckpointFile::State;

FactStore Read(std::string_view path, std::string_view bytes) { return ReadAs(formats::checkpoint_file, path, bytes); }

Match Sniff(std::string_view path, std::string_view bytes) {
  return formats::checkpoint_file.sniff({.path = path, .bytes = std::as_bytes(std::span(bytes)), .size = bytes.size()});
}

TEST(CheckpointFile, ClaimsCheckpointsByNameAndContent) {
  const std::string zip = Fixture("torch_checkpoint/tiny/tiny.pt").substr(0, 4096);
  for (const char* path : {"a/x.pt", "a/epoch=3.ckpt", "a/pytorch_model.bin", "a/x.keras", "a/arrays.npz", "training_args.bin"}) {
    EXPECT_EQ(Sniff(path, zip), Match::kYes) << path;
  }
  EXPECT_EQ(Sniff("a/model.zip", zip), Match::kNo);
  EXPECT_EQ(Sniff("a/model.pt", Fixture("torch_checkpoint/tiny/legacy.pt").substr(0, 4096)), Match::kYes);
  EXPECT_EQ(Sniff("a/model.safetensors", Fixture("safetensors/tiny/model.safetensors")), Match::kYes);
  EXPECT_EQ(Sniff("a/model.pt", ""), Match::kYes);
  EXPECT_EQ(Sniff("a/model.pt", std::string(4096, '\0')), Match::kYes);
  EXPECT_EQ(Sniff("a/model.pt", "\x01\x02\x03"), Match::kMaybe);
  EXPECT_EQ(Sniff("a/notes.pt", "Olá, isto é texto.\n"), Match::kNo);
  EXPECT_EQ(Sniff("a/model.safetensors", "version https://git-lfs.github.com/spec/v1\n"), Match::kYes);
  EXPECT_EQ(Sniff("data/openwebtext/train.bin", std::string("\x64\0\x65\0\x80\x02", 6)), Match::kNo);
  EXPECT_EQ(Sniff("data/openwebtext/train.bin", std::string(4096, '\0')), Match::kNo);
}

TEST(CheckpointFile, ReadsStepAndGroupFromThePath) {
  struct Case {
    const char* path;
    std::optional<std::int64_t> step;
    const char* group;
  };
  for (const Case& c :
       {Case{"out/checkpoint-500/model.safetensors", 500, "out/checkpoint-*/model.safetensors"},
        Case{"out/checkpoint-500/model-1-of-2.safetensors", 500, "out/checkpoint-*/model-*-of-*.safetensors"},
        Case{"lightning_logs/version_0/checkpoints/epoch=3-step=500.ckpt", 500,
             "lightning_logs/version_*/checkpoints/epoch=*-step=*.ckpt"},
        Case{"ckpt/step_500.pt", 500, "ckpt/step_*.pt"}, Case{"ckpt/global_step500/mp_rank_00_model_states.pt", 500, nullptr},
        Case{"ckpt/iter_0000500/mp_rank_00/model_optim_rng.pt", 500, nullptr}, Case{"logs/state_step009536.pt", 9536, nullptr},
        Case{"a/model.ckpt-500.index", 500, nullptr}, Case{"a/step-120/__0_0.distcp", 120, nullptr},
        Case{"a/500-steps.pt", std::nullopt, nullptr}, Case{"a/epoch_3.pth", std::nullopt, nullptr},
        Case{"a/ckpt-3.pt", std::nullopt, nullptr}, Case{"a/checkpoint_3.pt", std::nullopt, nullptr},
        Case{"a/timestep=5.pt", std::nullopt, nullptr}, Case{"a/step_5k.pt", std::nullopt, nullptr},
        Case{"a/step_99999999999999999999.pt", std::nullopt, nullptr}, Case{"last.pt", std::nullopt, "last.pt"}}) {
    const FactStore facts = Read(c.path, "\x01");
    const auto files = FactView(facts).All<CheckpointFile>();
    ASSERT_EQ(files.size(), 1U) << c.path;
    EXPECT_EQ(files[0].step, c.step) << c.path;
    if (c.group != nullptr) {
      EXPECT_EQ(files[0].group, c.group);
    }
  }
}

TEST(CheckpointFile, TellsWholeCutEmptyAndUnknownApart) {
  const std::string zip = Fixture("torch_checkpoint/tiny/tiny.pt");
  const auto read = [](std::string_view path, std::string_view bytes) {
    const FactStore facts = Read(path, bytes);
    return FactView(facts).All<CheckpointFile>()[0];
  };
  EXPECT_EQ(read("a/x.pt", zip).state, State::kWhole);
  EXPECT_EQ(read("a/x.pt", zip).size, zip.size());
  EXPECT_EQ(read("a/x.pt", zip).cite.end, zip.size());
  EXPECT_EQ(read("a/x.pt", zip.substr(0, 9000)).state, State::kCut);
  EXPECT_EQ(read("a/x.pt", zip.substr(0, 9000)).why, "the zip directory is missing");
  EXPECT_EQ(read("a/x.pt", "").state, State::kEmpty);
  EXPECT_EQ(read("a/x.pt", Fixture("torch_checkpoint/tiny/legacy.pt")).state, State::kUnknown);
  EXPECT_EQ(read("a/x.safetensors", "\x05").state, State::kCut);
  EXPECT_EQ(read("a/__0_0.distcp", Fixture("distributed_checkpoint/tiny/step-120/__0_0.distcp")).state, State::kUnknown);
  EXPECT_EQ(read("a/model.ckpt-5.index", std::string(60, 'x') + "\x57\xfb\x80\x8b\x24\x75\x47\xdb").state, State::kWhole);
  EXPECT_EQ(read("a/model.ckpt-5.index", std::string(60, 'x')).state, State::kCut);
  EXPECT_EQ(read("a/model.ckpt-5.data-00000-of-00001", std::string(60, 'x')).state, State::kUnknown);
}

TEST(CheckpointFile, DamageIsAnAnomalyToo) {
  const std::string zip = Fixture("torch_checkpoint/tiny/tiny.pt");
  const FactStore cut = Read("a/x.pt", zip.substr(0, 9000));
  ASSERT_EQ(FactView(cut).anomalies().size(), 1U);
  EXPECT_EQ(FactView(cut).anomalies()[0].kind, AnomalyKind::kTruncated);
  EXPECT_EQ(FactView(cut).anomalies()[0].cite.begin, 9000U);
  EXPECT_EQ(FactView(cut).anomalies()[0].statement, "x.pt is not whole: the zip directory is missing.");
  EXPECT_EQ(FactView(Read("a/x.pt", "")).anomalies()[0].kind, AnomalyKind::kEmpty);
  EXPECT_TRUE(FactView(Read("a/x.pt", zip)).anomalies().empty());
}

TEST(CheckpointFile, DatasetsAndArgumentsAreNoCheckpointsButTheirDamageIsTold) {
  const std::string npy = Fixture("numpy/tiny/losses.npy");
  EXPECT_TRUE(FactView(Read("data/train.npy", npy)).All<CheckpointFile>().empty());
  EXPECT_TRUE(FactView(Read("data/united_statements.npy", npy)).All<CheckpointFile>().empty());
  EXPECT_EQ(FactView(Read("out/weights_5.npy", npy)).All<CheckpointFile>().size(), 1U);
  const FactStore cut = Read("data/train.npy", npy.substr(0, 140));
  EXPECT_TRUE(FactView(cut).All<CheckpointFile>().empty());
  EXPECT_EQ(FactView(cut).anomalies().size(), 1U);
  EXPECT_TRUE(FactView(Read("out/training_args.bin", Fixture("torch_checkpoint/tiny/tiny.pt"))).All<CheckpointFile>().empty());
}

TEST(CheckpointFile, BearsEveryCutAndEveryFlippedByte) {
  for (const char* name : {"torch_checkpoint/tiny/mixed.pt", "safetensors/tiny/model.safetensors", "hdf5/tiny/latest.weights.h5",
                           "numpy/tiny/arrays.npz", "numpy/tiny/losses.npy"}) {
    const std::string bytes = Fixture(name);
    const std::string path = "weights/" + std::string(BaseName(name));
    CutEverywhere(formats::checkpoint_file, path, bytes, [&](std::size_t length, const FactStore& facts) {
      const auto files = FactView(facts).All<CheckpointFile>();
      EXPECT_EQ(length == bytes.size(), !files.empty() && files[0].state == State::kWhole);
    });
    FlipEverywhere(formats::checkpoint_file, path, bytes);
  }
}

}  // namespace
}  // namespace assay
