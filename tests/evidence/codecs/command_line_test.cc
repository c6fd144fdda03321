// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/command_line.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

// "name=value" of every option of the launched command, joined by blanks.
std::string Launched(std::string_view line) {
  const std::vector<CommandWord> words = SplitCommand(line);
  std::string out;
  for (const CommandOption& o : OptionsOf(LaunchPart(words))) out += (out.empty() ? "" : " | ") + o.name + "=" + o.value;
  return out;
}

TEST(CommandLine, SplitsLikeAShell) {
  const std::vector<CommandWord> words = SplitCommand("a 'b c' \"d \\\"e\" f\\ g 2>&1 | tee x # note");
  std::vector<std::string> texts;
  for (const CommandWord& w : words) texts.push_back(w.text);
  EXPECT_EQ(texts, (std::vector<std::string>{"a", "b c", "d \"e", "f g", "2", ">&", "1", "|", "tee", "x"}));
  EXPECT_EQ(words[1].begin, 2U);
  EXPECT_EQ(words[1].end, 7U);
  EXPECT_TRUE(words[4].operator_sign);
}

TEST(CommandLine, FindsTheOptionsOfTheLaunchedProgram) {
  EXPECT_EQ(Launched("nohup python -u train.py --lr 3e-4 --fp16 --betas 0.9 0.999 --name=x -n 4 > log 2>&1 &"),
            "u= | lr=3e-4 | fp16= | betas=0.9 0.999 | name=x | n=4");
  EXPECT_EQ(Launched("CUDA_VISIBLE_DEVICES=0 python3.11 fit.py +trainer=conf/t.yaml trainer.max_steps=10"),
            "trainer=conf/t.yaml | trainer.max_steps=10");
  EXPECT_EQ(Launched("torchrun --standalone --nproc_per_node=8 train.py --config c.yaml"),
            "standalone= | nproc_per_node=8 | config=c.yaml");
  EXPECT_EQ(Launched("python -m pifpose.train --profile 60"), "m=pifpose.train | profile=60");
  EXPECT_EQ(Launched("python a.py --temperature -1 --lr $LR"), "temperature=-1 | lr=$LR");
}

TEST(CommandLine, LeavesOtherCommandsAlone) {
  EXPECT_EQ(Launched("echo --lr 0.1"), "");
  EXPECT_EQ(Launched("pip install --upgrade transformers"), "");
  EXPECT_EQ(Launched("python -c 'print(1)' --lr 1"), "");
  EXPECT_EQ(Launched("nvidia-smi -L; date"), "");
}

TEST(CommandLine, BearsOddText) {
  EXPECT_EQ(SplitCommand("'never closed \\").size(), 1U);
  EXPECT_EQ(SplitCommand(std::string(100000, 'x')).size(), 1U);
  std::string many;
  for (int i = 0; i < 10000; ++i) many += "a ";
  EXPECT_EQ(SplitCommand(many).size(), 4096U);
  EXPECT_TRUE(SplitCommand("").empty());
}

}  // namespace
}  // namespace assay
