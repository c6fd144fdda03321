// SPDX-License-Identifier: Apache-2.0
#include "evidence/logs/argument_dump.h"

#include "tests/support/shrinking.h"

namespace assay {
namespace {

using testing::ConfigText;
using testing::ReadLogText;

TEST(ArgumentDump, ReadsArgparse) {
  const std::string log =
      "starting\n"
      "INFO:root:Namespace(batch_size=64, data='./a, b', lr=0.0001, betas=(0.9, 0.999), no_cuda=True, hub_token='abcd12345')\n"
      "Epoch 1 loss 0.41\n";
  const FactStore facts = ReadLogText(log);
  EXPECT_EQ(ConfigText(facts, "args.batch_size"), "64");
  EXPECT_EQ(ConfigText(facts, "args.data"), "./a, b");
  EXPECT_EQ(ConfigText(facts, "args.lr"), "0.0001");
  EXPECT_EQ(ConfigText(facts, "args.betas"), "(0.9, 0.999)");
  EXPECT_EQ(ConfigText(facts, "args.hub_token"), "(not recorded)");
  const ConfigValue& value = *FactView(facts).Config("lr").at(0);
  EXPECT_EQ(value.origin, ConfigValue::Origin::kArguments);
  EXPECT_EQ(value.cite.line, 2U);
  EXPECT_TRUE(log.substr(value.cite.begin, value.cite.end - value.cite.begin).starts_with("INFO:root:Namespace("));
}

TEST(ArgumentDump, ReadsDictsAndNestedOnes) {
  const FactStore facts =
      ReadLogText("Args: {'lr': 0.1, 'opt': {'name': 'adam', \"eps\": 1e-8}, 'tags': ['a', 'b'], 'none': None}\n");
  EXPECT_EQ(ConfigText(facts, "args.lr"), "0.1");
  EXPECT_EQ(ConfigText(facts, "args.opt.name"), "adam");
  EXPECT_EQ(ConfigText(facts, "args.opt.eps"), "1e-8");
  EXPECT_EQ(ConfigText(facts, "args.tags"), "['a', 'b']");
  EXPECT_EQ(ConfigText(facts, "args.none"), "None");
}

TEST(ArgumentDump, ReadsTheLinesOfTrainingArguments) {
  const FactStore facts = ReadLogText(
      "Training/evaluation parameters TrainingArguments(\n"
      "_n_gpu=1,\n"
      "accelerator_config={'split_batches': False, 'even_batches': True},\n"
      "learning_rate=5e-05,\n"
      "fp16=False,\n"
      ")\n"
      "learning_rate=9,\n");
  EXPECT_EQ(ConfigText(facts, "args.learning_rate"), "5e-05");
  EXPECT_EQ(ConfigText(facts, "args.accelerator_config.split_batches"), "False");
  EXPECT_EQ(ConfigText(facts, "args._n_gpu"), "1");
}

TEST(ArgumentDump, ReadsTheTableOfMegatron) {
  const FactStore facts = ReadLogText(
      "------------------------ arguments ------------------------\n"
      "  adam_beta1 ...................................... 0.9\n"
      "  data_path ....................................... ['a', 'b']\n"
      "  lr .............................................. 0.0003\n"
      "-------------------- end of arguments ---------------------\n"
      "  lr .............................................. 7\n");
  EXPECT_EQ(ConfigText(facts, "args.lr"), "0.0003");
  EXPECT_EQ(ConfigText(facts, "args.data_path"), "['a', 'b']");
}

TEST(ArgumentDump, ReadsOptionsLineByLineAndLeavesHelpAlone) {
  const FactStore facts =
      ReadLogText("  --lr 0.1\n  --optimizer adam\n  --epochs EPOCHS\n  --seed SEED  the seed of all\n  -----------\n");
  EXPECT_EQ(ConfigText(facts, "args.lr"), "0.1");
  EXPECT_EQ(ConfigText(facts, "args.optimizer"), "adam");
  EXPECT_EQ(ConfigText(facts, "args.epochs"), "(none)");
  EXPECT_EQ(ConfigText(facts, "args.seed"), "(none)");
}

TEST(ArgumentDump, ADumpOfEveryRankIsToldOnce) {
  std::string log;
  for (int rank = 0; rank < 8; ++rank)
    log += "[rank" + std::to_string(rank) + "]: Namespace(lr=0.1, local_rank=" + std::to_string(rank) + ")\n";
  const FactStore facts = ReadLogText(log);
  EXPECT_EQ(ConfigText(facts, "args.lr"), "0.1");
  EXPECT_EQ(FactView(facts).Config("local_rank").size(), 8U);
}

TEST(ArgumentDump, AValueThatTouchesTheCutIsNoFact) {
  const std::string log =
      "Namespace(lr=0.25, name='x', path='a/b')\nargs: {'seed': 12, 'opt': {'b1': "
      "0.95}}\nTrainingArguments(\nsteps=1000,\nwarmup=25,\n)\n"
      "--- arguments ---\n  width ..... 1024\n--- end of arguments ---\n  --depth 24\n";
  const auto whole = testing::FactLines(ReadLogText(log));
  for (std::size_t length = 0; length < log.size(); ++length) {
    for (const std::string& line : testing::FactLines(ReadLogText(log.substr(0, length))))
      EXPECT_TRUE(whole.contains(line)) << length << " " << line;
  }
}

TEST(ArgumentDump, BearsHostileText) {
  EXPECT_TRUE(FactView(ReadLogText("Namespace(" + std::string(100000, '(') + "\n")).All<ConfigValue>().empty());
  std::string deep = "args: ";
  for (int i = 0; i < 20000; ++i) deep += "{'a': ";
  ReadLogText(deep + "\n");
  std::string closed = deep + "1";
  for (int i = 0; i < 20000; ++i) closed += "}";
  ReadLogText(closed + "\n");
  std::string many = "Namespace(";
  for (int i = 0; i < 60000; ++i) many += "k" + std::to_string(i) + "=1, ";
  EXPECT_LE(FactView(ReadLogText(many + ")\n")).All<ConfigValue>().size(), 4096U);
  std::string endless = "TrainingArguments(\n";
  for (int i = 0; i < 10000; ++i) endless += "a=1,\n";
  ReadLogText(endless);
}

// nanoGPT prints the Python file that its settings come from.
TEST(ArgumentDump, ASettingsFileThatIsPrinted) {
  const FactStore facts = ReadLogText(
      "Overriding config with config/train_owt.py:\n# settings\n\nmax_iters = 4000  # a day\nout_dir = 'out'\n"
      "step 0: train loss 10.9, val loss 10.9\nmax_iters = 7\n");
  std::string seen;
  for (const ConfigValue& value : FactView(facts).All<ConfigValue>()) seen += value.key + "=" + value.value + " ";
  EXPECT_EQ(seen, "args.max_iters=4000 args.out_dir=out ");
}

}  // namespace
}  // namespace assay
