// SPDX-License-Identifier: Apache-2.0
#include "case/ledger.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "case/verify.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

class LedgerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              ("assay-ledger-" + std::to_string(getpid()) + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static Report Example() {
    Report report;
    report.run.id = "exp7";
    report.verdict = "supported";
    report.classes = {{.id = "oom", .title = "Out of memory", .because = {"F1"}}};
    report.findings = {{"F1", "signature", "device-oom", "It ran out.", {"E1"}}};
    report.evidence = {{.id = "E1",
                        .source = "train.log",
                        .absolute_path = "/p/train.log",
                        .has_range = true,
                        .begin = 3,
                        .end = 9,
                        .line = 2,
                        .quote = "hello",
                        .digest = "00"}};
    report.hypotheses = {{.id = "H1",
                          .cause = "oom-batch-too-large",
                          .statement = "s",
                          .status = "open",
                          .odds_bits = -2.5,
                          .evidence_for = {"F1"}}};
    report.not_checked = {{"a", "b"}};
    report.next = {{"do", "", "why"}, {"run", "assay x", "why"}};
    report.case_id = "0123456789ab";
    return report;
  }
  std::string Read(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  fs::path folder_;
};

TEST_F(LedgerTest, KeepsAReportThatReadsBackAsItWas) {
  const auto written = WriteCase(folder_.string(), Example());
  ASSERT_TRUE(written.has_value());
  const auto read = ReadCaseReport(*written);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(ReportToRecord(*read), ReportToRecord(Example()));
  EXPECT_EQ(Read((folder_ / ".gitignore").string()), "*\n");
}

TEST_F(LedgerTest, WritingTheSameCaseAgainChangesNoByte) {
  const auto written = WriteCase(folder_.string(), Example());
  const std::string before = Read(*written + "/ledger.jsonl");
  ASSERT_TRUE(WriteCase(folder_.string(), Example()).has_value());
  EXPECT_EQ(Read(*written + "/ledger.jsonl"), before);
}

TEST_F(LedgerTest, SeesEveryFlippedByte) {
  const auto written = WriteCase(folder_.string(), Example());
  const std::string path = *written + "/ledger.jsonl";
  const std::string whole = Read(path);
  for (std::size_t at = 0; at < whole.size(); at += 7) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    std::ofstream(path, std::ios::binary) << damaged;
    const auto ledger = ReadLedgerFile(path);
    ASSERT_TRUE(ledger.has_value());
    EXPECT_TRUE(!ledger->chain_holds || ledger->cut || damaged == whole)
        << "byte " << at << " " << whole.substr(at > 10 ? at - 10 : 0, 20);
  }
}

TEST_F(LedgerTest, ACutAtAnyByteLosesOnlyTheLineThatWasBeingWritten) {
  const auto written = WriteCase(folder_.string(), Example());
  const std::string path = *written + "/ledger.jsonl";
  const std::string whole = Read(path);
  const std::size_t entries = ReadLedgerFile(path)->entries.size();
  for (std::size_t length = 0; length <= whole.size(); length += 3) {
    std::ofstream(path, std::ios::binary) << whole.substr(0, length);
    const auto ledger = ReadLedgerFile(path);
    ASSERT_TRUE(ledger.has_value() && ledger->chain_holds);
    const auto lines =
        static_cast<std::size_t>(std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length), '\n'));
    EXPECT_EQ(ledger->entries.size(), lines);
  }
  // The next writing takes the half line off and goes on behind what is whole.
  const std::string half = whole.substr(0, whole.size() / 2);
  std::ofstream(path, std::ios::binary) << half;
  const std::size_t kept = ReadLedgerFile(path)->entries.size();
  ASSERT_TRUE(WriteCase(folder_.string(), Example()).has_value());
  EXPECT_EQ(ReadLedgerFile(path)->entries.size(), kept + entries);
  EXPECT_TRUE(ReadLedgerFile(path)->chain_holds);
  EXPECT_TRUE(Read(path).starts_with(half.substr(0, half.rfind('\n') + 1)));
}

TEST_F(LedgerTest, SetsABrokenChainAside) {
  const auto written = WriteCase(folder_.string(), Example());
  const std::string path = *written + "/ledger.jsonl";
  std::string damaged = Read(path);
  damaged[30] = '!';
  std::ofstream(path, std::ios::binary) << damaged;
  ASSERT_TRUE(WriteCase(folder_.string(), Example()).has_value());
  EXPECT_TRUE(ReadCaseReport(*written).has_value());
  EXPECT_EQ(Read(path + ".broken-1"), damaged);
}

TEST_F(LedgerTest, KeepsAPathThatIsNoText) {
  Report report = Example();
  report.evidence[0].absolute_path = "/p/\xff\xfe.log";
  const auto written = WriteCase(folder_.string(), report);
  EXPECT_EQ(ReadCaseReport(*written)->evidence[0].absolute_path, "/p/\xff\xfe.log");
}

TEST_F(LedgerTest, FindsACaseByPrefix) {
  const auto written = WriteCase((folder_ / ".assay").string(), Example());
  EXPECT_EQ(*FindCaseFolder(folder_.string(), "", "0123"), *written);
  EXPECT_EQ(FindCaseFolder(folder_.string(), "", "ffff").error().kind, ErrorKind::kNotFound);
}

}  // namespace
}  // namespace assay
