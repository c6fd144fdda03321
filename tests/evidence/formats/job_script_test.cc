// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tests/support/shrinking.h"

namespace assay {
namespace formats {
extern const Format job_script;
}
namespace {

using namespace assay::testing;  // NOLINT(google-build-using-namespace): every helper of this file
using formats::job_script;

constexpr std::string_view kPath = "jobs/train.sbatch";

TEST(JobScript, ReadsWhatWasAskedAndWhatIsLaunched) {
  const std::string bytes = Fixture("slurm_script/train/train.sbatch");
  const FactStore facts = ReadAs(job_script, kPath, bytes);
  EXPECT_EQ(ConfigText(facts, "SBATCH.job-name"), "seg");
  EXPECT_EQ(ConfigText(facts, "SBATCH.time"), "3-00:00:00");
  EXPECT_EQ(ConfigText(facts, "SBATCH.mem"), "120G");
  EXPECT_EQ(ConfigText(facts, "ulimit"), "-v 33554432");
  EXPECT_EQ(ConfigText(facts, "timeout"), "47h");
  EXPECT_EQ(ConfigText(facts, "env.NCCL_DEBUG"), "INFO");
  EXPECT_EQ(ConfigText(facts, "env.OMP_NUM_THREADS"), "8");
  EXPECT_EQ(ConfigText(facts, "argv.lr"), "3e-4");
  EXPECT_EQ(ConfigText(facts, "argv.precision"), "16-mixed");
  EXPECT_EQ(ConfigText(facts, "argv.config"), "configs/seg.yaml");
  EXPECT_EQ(ConfigText(facts, "argv.hub_token"), "(not recorded)");
  const Citation cite = FactView(facts).Config("lr").at(0)->cite;
  EXPECT_TRUE(bytes.substr(cite.begin).starts_with("timeout -k"));
  EXPECT_EQ(cite.line, 17U);
  EXPECT_EQ(FactView(facts).Config("lr").at(0)->origin, ConfigValue::Origin::kArguments);
  EXPECT_TRUE(FactView(facts).anomalies().empty());
}

TEST(JobScript, NeverRecordsPrivateValues) {
  const FactStore facts = ReadAs(job_script, kPath, Fixture("slurm_script/train/train.sbatch"));
  EXPECT_FALSE(FactView(facts).All<ConfigValue>().empty());
  for (const ConfigValue& v : FactView(facts).All<ConfigValue>()) {
    EXPECT_EQ(v.value.find("0123456789abcdef"), std::string::npos) << v.key;
    EXPECT_EQ(v.value.find("abcd12345"), std::string::npos) << v.key;
    EXPECT_EQ(v.value.find("private"), std::string::npos) << v.key;
  }
}

TEST(JobScript, ReadsOtherSchedulersAndPlainLaunchScripts) {
  const FactStore pbs = ReadAs(job_script, "a.pbs", "#!/bin/bash\n#PBS -l select=1:ncpus=8,walltime=24:00:00\n#BSUB -W 24:00\n");
  EXPECT_EQ(ConfigText(pbs, "PBS.walltime"), "24:00:00");
  EXPECT_EQ(ConfigText(pbs, "BSUB.W"), "24:00");
  const FactStore plain =
      ReadAs(job_script, "run.sh", "CUDA_VISIBLE_DEVICES=0 python -u tune.py --config c.yaml 2>&1 | tee log\n");
  EXPECT_EQ(ConfigText(plain, "env.CUDA_VISIBLE_DEVICES"), "0");
  EXPECT_EQ(ConfigText(plain, "argv.config"), "c.yaml");
  EXPECT_EQ(ConfigText(plain, "command"), "python -u tune.py --config c.yaml");
}

TEST(JobScript, IsClaimedByThisFormatAlone) {
  ExpectOnlyClaim(job_script);
  EXPECT_EQ(Sniffed(job_script, "run", "#!/usr/bin/env bash\necho\n"), Match::kYes);
  EXPECT_EQ(Sniffed(job_script, "train.py", "#!/usr/bin/env python\n"), Match::kNo);
  EXPECT_EQ(Sniffed(job_script, "train.log", "#SBATCH quoted in a log\n"), Match::kNo);
}

TEST(JobScript, BearsDamageAndHostileInput) {
  const std::string bytes = Fixture("slurm_script/train/train.sbatch");
  ExpectFactsShrink(job_script, kPath, bytes);
  FlipEverywhere(job_script, kPath, bytes);
  EXPECT_EQ(AnomalyCount(ReadAs(job_script, kPath, ""), AnomalyKind::kEmpty), 1U);
  EXPECT_EQ(AnomalyCount(ReadAs(job_script, kPath, "python a.py --lr 0.00"), AnomalyKind::kTruncated), 1U);
  std::string many;
  for (int i = 0; i < 20000; ++i) many += "ulimit -v 1\n";
  EXPECT_LE(FactView(ReadAs(job_script, kPath, many)).All<ConfigValue>().size(), 4096U);
  ReadAs(job_script, kPath, std::string(100000, '\\') + "\n");
}

}  // namespace
}  // namespace assay
