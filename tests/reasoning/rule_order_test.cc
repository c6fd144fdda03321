// SPDX-License-Identifier: Apache-2.0
#include "reasoning/rule_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "platform/file_system.h"

namespace assay {
namespace {

TEST(RuleOrder, EachRuleComesAfterThoseThatItAsks) {
  const std::vector<const Rule*> order = RulesInOrder();
  EXPECT_EQ(order.size(), rules::All().size());
  std::set<std::string_view> still_to_come;
  for (auto rule = order.rbegin(); rule != order.rend(); ++rule) {
    for (const std::string_view finding : (*rule)->asks)
      EXPECT_FALSE(still_to_come.contains(finding)) << (*rule)->id << ": " << finding;
    still_to_come.insert((*rule)->yields.begin(), (*rule)->yields.end());
  }
}

// A rule that reads what another one yields without declaring it would depend on the names of both.
TEST(RuleOrder, RulesDeclareWhatTheyAsk) {
  std::map<std::string_view, std::set<const Rule*>> producers;
  for (const Rule* rule : rules::All()) {
    for (const std::string_view finding : rule->yields) producers[finding].insert(rule);
  }
  const RealFileSystem files;
  for (const Rule* rule : rules::All()) {
    std::string name(rule->id);
    std::replace(name.begin(), name.end(), '-', '_');
    const auto source = ReadWholeFile(files, ASSAY_SOURCE_DIR "/src/reasoning/rules/" + name + ".cc", 1U << 20U);
    ASSERT_TRUE(source.has_value()) << name;
    for (const std::string call : {"out.Has(\"", "out.Find(\""}) {
      for (std::size_t at = source->find(call); at != std::string::npos; at = source->find(call, at + 1)) {
        const std::size_t begin = at + call.size();
        const std::string finding = source->substr(begin, source->find('"', begin) - begin);
        const bool asks = std::find(rule->asks.begin(), rule->asks.end(), finding) != rule->asks.end();
        const auto found = producers.find(finding);
        const bool others = found != producers.end() && found->second.size() > found->second.count(rule);
        EXPECT_TRUE(asks || !others) << rule->id << " reads " << finding << " and does not ask for it";
      }
    }
  }
}

}  // namespace
}  // namespace assay
