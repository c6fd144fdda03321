// SPDX-License-Identifier: Apache-2.0
// What holds for every command, and for every page of every catalogue.

#include <gtest/gtest.h>

#include <set>

#include "base/text.h"
#include "surfaces/commands/command.h"
#include "surfaces/pages.h"
#include "surfaces/wrapping.h"
#include "tests/support/command_run.h"

namespace assay {
namespace {

TEST(Commands, HaveTextsAndExactlyOneIsTheDefault) {
  std::size_t defaults = 0;
  std::set<std::string_view> names;
  for (const Command* command : commands::All()) {
    EXPECT_FALSE(command->summary.empty() || command->details.empty() || command->examples.empty()) << command->name;
    EXPECT_FALSE(command->summary.ends_with('.')) << command->name;
    EXPECT_TRUE(names.insert(command->name).second) << command->name;
    for (const std::string_view example : command->examples) EXPECT_TRUE(example.starts_with("assay")) << example;
    if (command->is_default) ++defaults;
  }
  EXPECT_EQ(defaults, 1U);
}

TEST(Commands, PrintHelpThatFitsEightyColumns) {
  for (const Command* command : commands::All()) {
    for (const auto& words : {std::vector<std::string>{"--help"}, {std::string(command->name), "--help"}}) {
      const std::string text = testing::RunAssay(words).out;
      for (const std::string_view line : Split(text, '\n')) EXPECT_LE(DisplayWidth(line), 80U) << line;
    }
  }
}

TEST(Commands, AreNamedWhereAWordIsNone) {
  EXPECT_NE(testing::RunAssay({"diagnoze"}).err.find("did you mean `assay diagnose`?"), std::string::npos);
  EXPECT_NE(testing::RunAssay({"nonsense", "x"}).err.find("there is no command"), std::string::npos);
  EXPECT_NE(testing::RunAssay({"--formt", "json"}).err.find("did you mean `--format`?"), std::string::npos);
  EXPECT_NE(testing::RunAssay({"verify"}).err.find("for example `assay verify"), std::string::npos);
}

TEST(Pages, ExistForEveryEntryOfEveryCatalogue) {
  for (const Catalogue& catalogue : Catalogues()) {
    std::set<std::string_view> ids;
    EXPECT_FALSE(catalogue.entries().empty()) << catalogue.name;
    for (const CatalogueEntry& entry : catalogue.entries()) {
      EXPECT_TRUE(ids.insert(entry.id).second) << catalogue.name << " " << entry.id;
      EXPECT_FALSE(entry.title.empty()) << entry.id;
      const std::string page = catalogue.page(entry.id);
      EXPECT_TRUE(page.starts_with("# ") && page.ends_with('\n')) << entry.id;
    }
  }
}

TEST(Pages, OfSimilarIdsAreProposed) {
  EXPECT_FALSE(PageOf("nan-fp16"));
  EXPECT_EQ(SimilarIds("nan-fp16-rang").front(), "nan-fp16-range");
}

}  // namespace
}  // namespace assay
