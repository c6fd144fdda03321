// SPDX-License-Identifier: Apache-2.0
#include "platform/mounts.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "platform/file_system.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

TEST(MountTable, ReadsPointsWithBlanks) {
  const auto mounts = ReadMountTable("proc /proc proc rw 0 0\nnas:/v /mnt/my\\040data nfs4 rw,hard 0 0\nbroken\n");
  ASSERT_EQ(mounts.size(), 2U);
  EXPECT_EQ(mounts[1].point, "/mnt/my data");
  EXPECT_EQ(mounts[1].type, "nfs4");
}

// A server that never answers, and how often it was asked.
class SilentServer : public ::testing::Test {
 protected:
  SilentServer() {
    fs::create_directories(home_ / "project/logs");
    fs::create_directories(home_ / "nas/runs");
    fs::create_directory_symlink(home_ / "nas/runs", home_ / "project/out");
    fs::create_symlink("../../nas/a.log", home_ / "project/logs/a.log");
    fs::create_symlink("circle", home_ / "project/circle");
  }
  ~SilentServer() override { fs::remove_all(home_); }
  std::string At(const std::string& path) const { return (home_ / path).string(); }

  const fs::path home_ = fs::canonical(fs::temp_directory_path()) / ("assay-mounts-" + std::to_string(getpid()));
  int asked_ = 0;
  RemoteMounts mounts_{{{(home_ / "nas").string(), "nfs4"}, {(home_ / "project").string(), "ext4"}}, [this](const std::string&) {
                         ++asked_;
                         return false;
                       }};
};

TEST_F(SilentServer, IsFoundHoweverAPathLeadsThere) {
  const std::string nas = At("nas");
  for (const char* path : {"nas", "nas/", "nas/runs/x.log", "project/out", "project/out/deep/er", "project/logs/a.log",
                           "project/../nas/x", "project/logs/../out/x", "project/./logs//a.log"}) {
    EXPECT_EQ(mounts_.SilentFor(At(path)), nas) << path;
    EXPECT_EQ(mounts_.SilentFor(At(path)), nas) << path << " again";
  }
  EXPECT_EQ(asked_, 1);
}

TEST_F(SilentServer, LeavesOtherPathsAlone) {
  for (const char* path : {"project", "project/logs/b.log", "nasty/x", "project/circle/x", "absent/x/y", "nas/../project/b"})
    EXPECT_EQ(mounts_.SilentFor(At(path)).has_value(), std::string_view(path).starts_with("nas/")) << path;
}

TEST_F(SilentServer, IsAnErrorAndNoHangForWhoReads) {
  const RealFileSystem files("", &mounts_);
  const auto opened = files.Open(At("project/logs/a.log"));
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().reason, "the mount " + At("nas") + " does not answer");
  EXPECT_FALSE(files.Stat(At("project/out")).has_value());
  std::vector<std::string> names;
  ASSERT_TRUE(files
                  .List(At("project"),
                        [&](const DirectoryEntry& entry) {
                          names.push_back(entry.name);
                          EXPECT_EQ(entry.kind == FileKind::kOther, entry.name != "logs") << entry.name;
                          return true;
                        })
                  .has_value());
  EXPECT_EQ(names.size(), 3U);
}

TEST(RemoteMounts, AMountThatAnswersIsRead) {
  const std::string home = fs::canonical(fs::temp_directory_path()).string();
  const RemoteMounts mounts({{home, "fuse.sshfs"}});
  EXPECT_FALSE(mounts.SilentFor(home + "/a.log").has_value());
}

}  // namespace
}  // namespace assay
