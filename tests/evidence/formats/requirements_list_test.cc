// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tests/support/shrinking.h"

namespace assay {
namespace formats {
extern const Format requirements_list;
}
namespace {

using namespace assay::testing;  // NOLINT(google-build-using-namespace): every helper of this file
using formats::requirements_list;

TEST(RequirementsList, ReadsARealFreeze) {
  const std::string bytes = Fixture("wandb/finished/wandb/offline-run-20260101_000000-finished/files/requirements.txt");
  const FactStore facts = ReadAs(requirements_list, "requirements.txt", bytes);
  EXPECT_EQ(ConfigText(facts, "package.GitPython"), "3.2.1");
  const ConfigValue& first = FactView(facts).All<ConfigValue>()[0];
  EXPECT_EQ(bytes.substr(first.cite.begin, first.cite.end - first.cite.begin), "Flask==3.1.3");
}

TEST(RequirementsList, ReadsEveryShape) {
  const FactStore facts =
      ReadAs(requirements_list, "requirements.txt",
             "# note\n--index-url https://me:pw@host/simple\ntorch>=2.0,<3\nnumpy\nlib[extra]==1.0 ; python_version > '3.8'\n"
             "own @ https://me:pw12@host/own.whl\nfirst second third\n");
  EXPECT_EQ(ConfigText(facts, "package.torch"), ">=2.0,<3");
  EXPECT_EQ(ConfigText(facts, "package.numpy"), "");
  EXPECT_EQ(ConfigText(facts, "package.lib"), "1.0");
  EXPECT_EQ(ConfigText(facts, "package.own"), "https://me:(not recorded)@host/own.whl");
  EXPECT_EQ(ConfigText(facts, "package.first"), "(none)");
  const FactStore columns =
      ReadAs(requirements_list, "env.txt",
             "# packages in environment at /x:\n#\n# Name  Version  Build\nnumpy    1.26.4   py311_0  conda-forge\n");
  EXPECT_EQ(ConfigText(columns, "package.numpy"), "1.26.4");
  const FactStore conda = ReadAs(requirements_list, "environment.yml", Fixture("conda/environment/environment.yml"));
  EXPECT_EQ(ConfigText(conda, "package.python"), "3.11.7");
  EXPECT_EQ(ConfigText(conda, "package.numpy"), ">=1.26");
  EXPECT_EQ(ConfigText(conda, "package.torch"), "2.15.0");
  EXPECT_EQ(ConfigText(conda, "package.conda-forge"), "(none)");
}

TEST(RequirementsList, IsClaimedByThisFormatAlone) {
  ExpectOnlyClaim(requirements_list);
  EXPECT_EQ(Sniffed(requirements_list, "pip-freeze.txt", "numpy==1\nscipy==2\n"), Match::kYes);
  EXPECT_EQ(Sniffed(requirements_list, "notes.txt", "numpy is fine\nloss=3\nso what\n"), Match::kNo);
  EXPECT_EQ(Sniffed(requirements_list, "params.txt", "batch_size: 32\nlr: 1\n"), Match::kNo);
}

TEST(RequirementsList, BearsDamage) {
  const std::string bytes =
      Fixture("wandb/finished/wandb/offline-run-20260101_000000-finished/files/requirements.txt").substr(0, 600);
  ExpectFactsShrink(requirements_list, "requirements.txt", bytes);
  ExpectFactsShrink(requirements_list, "environment.yml", Fixture("conda/environment/environment.yml"));
  FlipEverywhere(requirements_list, "requirements.txt", bytes);
  EXPECT_EQ(AnomalyCount(ReadAs(requirements_list, "requirements.txt", ""), AnomalyKind::kEmpty), 1U);
}

}  // namespace
}  // namespace assay
