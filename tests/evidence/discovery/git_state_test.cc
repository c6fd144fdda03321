// SPDX-License-Identifier: Apache-2.0
#include "evidence/discovery/git_state.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "platform/process.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// A real repository, made by git.
class GitStateTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              ("assay-git-" + std::to_string(getpid()) + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_ / "src");
    Write("train.py", "print(1)\n");
    Write("src/model.py", "x = 1\n");
    Git({"init", "-q", "-b", "main"});
    Git({"add", "."});
    Git({"-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "first"});
  }
  void TearDown() override { fs::remove_all(folder_); }
  void Write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name, std::ios::binary) << text; }
  std::string Git(std::vector<std::string> words) {
    words.insert(words.begin(), {"git", "-C", folder_.string()});
    const auto result = RunCommand(words, 30);
    EXPECT_TRUE(result.has_value() && result->exit_status == 0);
    return result.has_value() ? result->output : std::string();
  }
  GitState Read() {
    FactStore facts;
    ReadGitState(RealFileSystem(), (folder_ / "src").string(), facts);
    const auto states = FactView(facts).All<GitState>();
    EXPECT_EQ(states.size(), 1U);
    return states.empty() ? GitState{} : states[0];
  }
  fs::path folder_;
};

TEST_F(GitStateTest, ReadsCommitBranchAndACleanTree) {
  const GitState state = Read();
  EXPECT_EQ(state.commit + "\n", Git({"rev-parse", "HEAD"}));
  EXPECT_EQ(state.branch, "main");
  EXPECT_EQ(state.dirty, false);
}

TEST_F(GitStateTest, ReadsPackedReferencesDetachedHeadsAndTheOtherIndexVersion) {
  Git({"pack-refs", "--all"});
  Git({"update-index", "--index-version", "4"});
  EXPECT_EQ(Read().commit + "\n", Git({"rev-parse", "HEAD"}));
  EXPECT_EQ(Read().dirty, false);
  Git({"checkout", "-q", "--detach"});
  EXPECT_EQ(Read().commit + "\n", Git({"rev-parse", "HEAD"}));
}

TEST_F(GitStateTest, SeesAChangedAndAMissingFile) {
  Write("train.py", "print(2)\n");
  EXPECT_EQ(Read().dirty, true);
  Git({"checkout", "-q", "train.py"});
  EXPECT_EQ(Read().dirty, false);
  fs::remove(folder_ / "src/model.py");
  EXPECT_EQ(Read().dirty, true);
}

TEST_F(GitStateTest, ATouchedFileWithTheSameContentIsClean) {
  fs::last_write_time(folder_ / "train.py", fs::file_time_type::clock::now() - std::chrono::hours(5));
  EXPECT_EQ(Read().dirty, false);
}

TEST_F(GitStateTest, ADamagedIndexIsNotChecked) {
  const std::string path = (folder_ / ".git/index").string();
  std::ifstream in(path, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  for (std::size_t length = 0; length < whole.size(); length += 5) {
    std::ofstream(path, std::ios::binary) << whole.substr(0, length);
    (void)Read();
  }
  Write(".git/index", "DIRC");
  EXPECT_EQ(Read().dirty, std::nullopt);
}

TEST(GitState, SaysNothingWhereThereIsNoRepository) {
  MemoryFileSystem files;
  files.Add("/p/train.log", "x");
  FactStore facts;
  ReadGitState(files, "/p", facts);
  EXPECT_TRUE(FactView(facts).All<GitState>().empty());
}

}  // namespace
}  // namespace assay
