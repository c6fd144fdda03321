// SPDX-License-Identifier: Apache-2.0
#include "platform/file_system.h"

#include <gtest/gtest.h>

#include <set>

namespace assay {
namespace {

TEST(MemoryFileSystem, ListsFoldersAboveItsFiles) {
  MemoryFileSystem files;
  files.Add("/p/logs/train.log", "x");
  files.Add("/p/config.yaml", "y");
  std::set<std::string> names;
  ASSERT_TRUE(files.List("/p", [&](const DirectoryEntry& e) { return names.insert(e.name).second; }));
  EXPECT_EQ(names, (std::set<std::string>{"logs", "config.yaml"}));
  EXPECT_EQ(files.Stat("/p/logs")->kind, FileKind::kDirectory);
}

TEST(ReadWholeFile, RefusesMoreThanTheLimit) {
  MemoryFileSystem files;
  files.Add("/big", std::string(100, 'x'));
  EXPECT_EQ(ReadWholeFile(files, "/big", 100)->size(), 100U);
  EXPECT_EQ(ReadWholeFile(files, "/big", 99).error().kind, ErrorKind::kUnsupported);
}

TEST(RealFileSystem, SaysNotFoundAndReadsFilesOfUnknownSize) {
  const RealFileSystem files;
  EXPECT_EQ(files.Open("/no/such/file").error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(files.Open("/").error().kind, ErrorKind::kUnsupported);
  EXPECT_FALSE(ReadWholeFile(files, "/proc/self/status", 1 << 20)->empty());
}

TEST(Paths, SplitIntoFolderNameAndExtension) {
  EXPECT_EQ(BaseName("a/b.tar.gz"), "b.tar.gz");
  EXPECT_EQ(Extension("a/b.tar.gz"), ".gz");
  EXPECT_EQ(Extension(".gitignore"), "");
  EXPECT_EQ(ParentPath("a/b/c"), "a/b");
  EXPECT_EQ(JoinPath("a/", "b"), "a/b");
}

}  // namespace
}  // namespace assay
