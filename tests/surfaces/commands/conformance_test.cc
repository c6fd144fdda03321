// SPDX-License-Identifier: Apache-2.0
// What holds for every command, and for every page of every catalogue.

#include <gtest/gtest.h>

#include <set>

#include "surfaces/commands/command.h"
#include "surfaces/pages.h"

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
