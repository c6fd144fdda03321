// SPDX-License-Identifier: Apache-2.0
// Whole runs: each folder of tests/cases/ is a run as somebody met it, and expected.toml says what may be said of it.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <toml++/toml.h>

#include "platform/file_system.h"
#include "surfaces/post_mortem.h"

namespace assay {
namespace {

const std::string kFolder = ASSAY_SOURCE_DIR "/tests/cases";

std::vector<std::string> CaseIds() {
  std::vector<std::string> ids;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (std::filesystem::exists(entry.path() / "expected.toml")) ids.push_back(entry.path().filename().string());
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::set<std::string> Strings(const toml::table& table, std::string_view key) {
  std::set<std::string> out;
  if (const toml::array* array = table[key].as_array()) {
    for (const toml::node& node : *array) out.insert(node.value_or(std::string()));
  }
  return out;
}

Report Examined(const std::string& id, const std::string& run) {
  const RealFileSystem files;
  const Session session{.files = files, .out = stdout, .err = stderr, .probe_machine = false};
  auto result = Examine(session, {.project = kFolder + "/" + id + "/run", .run = run});
  EXPECT_TRUE(result.has_value()) << (result.has_value() ? "" : result.error().message);
  return result.has_value() ? std::move(result->report) : Report{};
}

class Case : public ::testing::TestWithParam<std::string> {};

// What the report says against the expectation, one line each; empty: all is well.
std::vector<std::string> Objections(const Report& report, const toml::table& expected) {
  std::vector<std::string> objections;
  const std::set<std::string> classes = Strings(expected, "classes_ok");
  const std::set<std::string> verdicts = Strings(expected, "verdicts_ok");
  const std::set<std::string> causes = Strings(expected, "cause_ids");
  const std::set<std::string> forbidden = Strings(expected, "forbidden_cause_ids");
  const bool nothing_seen = verdicts.contains("no_failure_found") && report.classes.empty();
  if (!verdicts.contains(report.verdict) && (!nothing_seen || classes.empty()))
    objections.push_back("the verdict is " + report.verdict);
  if (report.classes.empty()) {
    if (!classes.empty() && !nothing_seen) objections.push_back("no class was named");
  } else if (!classes.contains(report.classes.front().id)) {
    objections.push_back("the first class is " + report.classes.front().id);
  }
  std::size_t place = 0;
  std::size_t best = 1000;
  for (const ReportHypothesis& h : report.hypotheses) {
    if (h.status == "refuted") continue;
    ++place;
    if (causes.contains(h.cause)) best = std::min(best, place);
    if (h.status == "open") continue;
    if (forbidden.contains(h.cause) || !causes.contains(h.cause)) objections.push_back(h.cause + " is " + h.status);
  }
  const auto top = expected["top"].value_or(std::int64_t{0});
  if (top > 0 && best > static_cast<std::size_t>(top))
    objections.push_back("the true cause is not among the first " + std::to_string(top));
  return objections;
}

TEST_P(Case, SaysNothingThatItsExpectationForbids) {
  const toml::table expected = toml::parse_file(kFolder + "/" + GetParam() + "/expected.toml");
  const toml::table pending = toml::parse_file(kFolder + "/pending.toml");
  const std::vector<std::string> objections = Objections(Examined(GetParam(), expected["run"].value_or(std::string())), expected);
  if (pending.contains(GetParam())) {
    EXPECT_FALSE(objections.empty()) << "it passes now: take it off tests/cases/pending.toml";
    // Pending excuses a fault that is missed, never a cause that is wrong.
    for (const std::string& o : objections) EXPECT_FALSE(o.ends_with("is confirmed") || o.ends_with("is supported")) << o;
    return;
  }
  for (const std::string& o : objections) ADD_FAILURE() << o;
}

// Two readings of one folder give one case and one report, byte for byte.
TEST_P(Case, IsTheSameWhenReadAgain) {
  const toml::table expected = toml::parse_file(kFolder + "/" + GetParam() + "/expected.toml");
  const std::string run = expected["run"].value_or(std::string());
  EXPECT_EQ(ReportToJson(Examined(GetParam(), run)), ReportToJson(Examined(GetParam(), run)));
}

std::string Name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(All, Case, ::testing::ValuesIn(CaseIds()), Name);

}  // namespace
}  // namespace assay
