// SPDX-License-Identifier: Apache-2.0
#include "evidence/logs/user_signatures.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "evidence/codecs/byte_stream.h"
#include "evidence/logs/log_reader.h"
#include "tests/support/exact_file.h"

namespace assay {
namespace {

constexpr std::string_view kSound = R"toml(
[[signature]]
id = "our-cache-full"
finding = "storage-errors"
role = "failure"
literals = ["feature cache"]
pattern = '''feature cache on (?P<path>\S+) is full'''
meaning = "the feature cache of our cluster is full"
samples = ["E0314 feature cache on /nvme0 is full"]
counter_samples = ["feature cache on /nvme0 is half full"]
)toml";

UserSignatures LoadText(std::string text) {
  MemoryFileSystem files;
  files.Add("/run/.assay/signatures/ours.toml", std::move(text));
  UserSignatures signatures;
  signatures.Load(files, "/run/.assay/signatures", ".assay/signatures");
  return signatures;
}

std::string WithLine(std::string_view from, std::string_view to) {
  std::string text(kSound);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, text.find('\n', at) - at, to);
}

std::string WhyRefused(const std::string& text) {
  const UserSignatures signatures = LoadText(text);
  EXPECT_TRUE(signatures.all().empty());
  return signatures.refused().size() == 1 ? signatures.refused().front().path + ", " + signatures.refused().front().why : "";
}

TEST(UserSignatures, AreFoundInALogBesideTheShippedOnes) {
  const UserSignatures signatures = LoadText(std::string(kSound));
  ASSERT_EQ(signatures.all().size(), 1U);
  EXPECT_TRUE(signatures.refused().empty());
  EXPECT_TRUE(signatures.all()[0].IsUsers());
  LogReader reader(signatures.all());
  const testing::ExactFile file("E0314 feature cache on /nvme1 is full\nRuntimeError: CUDA error: out of memory\n");
  FactStore facts;
  const SourceId source = facts.AddSource({.path = "train.log", .format = "text-log", .size = 80});
  reader.Read(*OpenStream(file), source, {}, facts);
  const FactView view(facts);
  ASSERT_EQ(view.Hits("our-cache-full").size(), 1U);
  EXPECT_EQ(view.Hits("our-cache-full")[0]->Capture("path"), "/nvme1");
  EXPECT_FALSE(view.HitsFor("device-oom").empty());
}

TEST(UserSignatures, AreTriedOnlyWhereALineHoldsWhatTheyAlsoAskFor) {
  const UserSignatures signatures = LoadText(WithLine("literals", "literals = [\"feature cache\"]\nalso = [\"E0314\", \"->\"]"));
  ASSERT_EQ(signatures.all().size(), 1U);
  LogReader reader(signatures.all());
  const testing::ExactFile file(
      "feature cache on /a is full\nE0314 feature cache on /b is full\nfeature cache on /c is full -> gone\n");
  FactStore facts;
  const SourceId source = facts.AddSource({.path = "train.log", .format = "text-log", .size = 100});
  reader.Read(*OpenStream(file), source, {}, facts);
  EXPECT_EQ(FactView(facts).Hits("our-cache-full").size(), 2U);
  EXPECT_NE(WhyRefused(WithLine("literals", "literals = [\"feature cache\"]\nalso = [\"\"]")).find("also holds an empty text"),
            std::string::npos);
}

// The shipped ones are compiled into tables by a tool of their own: read as a user's they must be the same.
TEST(UserSignatures, AreReadAsTheShippedOnesAreCompiled) {
  const RealFileSystem files;
  std::vector<std::string> names;
  ASSERT_TRUE(files
                  .List(ASSAY_SOURCE_DIR "/knowledge/signatures",
                        [&](const DirectoryEntry& entry) {
                          names.push_back(entry.name);
                          return true;
                        })
                  .has_value());
  std::size_t seen = 0;
  for (const std::string& name : names) {
    const auto text = ReadWholeFile(files, JoinPath(ASSAY_SOURCE_DIR "/knowledge/signatures", name), std::uint64_t{1} << 20U);
    ASSERT_TRUE(text.has_value()) << name;
    std::string renamed;  // an id that is taken is refused
    for (std::size_t at = 0; at < text->size();) {
      const std::size_t end = std::min(text->find('\n', at), text->size() - 1) + 1;
      const std::string_view line(text->data() + at, end - at);
      renamed += line.starts_with("id = \"") ? "id = \"our-" + std::string(line.substr(6)) : std::string(line);
      at = end;
    }
    const UserSignatures read = LoadText(renamed);
    for (const auto& refused : read.refused()) ADD_FAILURE() << name << ": " << refused.why;
    for (const Signature& own : read.all()) {
      const Signature* shipped = knowledge::FindSignature(own.id.substr(4));
      ASSERT_NE(shipped, nullptr) << own.id;
      const auto same = [](Texts a, Texts b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); };
      EXPECT_TRUE(own.finding == shipped->finding && own.role == shipped->role && own.pattern == shipped->pattern &&
                  own.meaning == shipped->meaning && own.versions == shipped->versions && same(own.literals, shipped->literals) &&
                  same(own.also, shipped->also) && same(own.frameworks, shipped->frameworks) &&
                  same(own.samples, shipped->samples) && same(own.counter_samples, shipped->counter_samples))
          << own.id;
      ++seen;
    }
  }
  EXPECT_EQ(seen, knowledge::Signatures().size());
}

TEST(UserSignatures, SayWhatIsWrongAndWhere) {
  const std::string at = ".assay/signatures/ours.toml, line 2: our-cache-full: ";
  EXPECT_EQ(WhyRefused(WithLine("role", "role = \"failing\"")), at + "no role is called 'failing'");
  EXPECT_EQ(WhyRefused(WithLine("role", "rule = \"failure\"")), at + "unknown key 'rule'");
  EXPECT_EQ(WhyRefused(WithLine("meaning", "")), at + "key 'meaning' is missing");
  EXPECT_EQ(WhyRefused(WithLine("meaning", "meaning = 3")), at + "meaning must be a text");
  EXPECT_EQ(WhyRefused(WithLine("literals", "literals = []")), at + "literals is empty");
  EXPECT_EQ(WhyRefused(WithLine("literals", "literals = [\"cac\"]")), at + "the literal 'cac' is shorter than 4 bytes");
  EXPECT_EQ(WhyRefused(WithLine("finding", "finding = \"disk-fall\"")),
            at + "no finding is called 'disk-fall'; `assay list findings` shows them");
  EXPECT_EQ(WhyRefused(WithLine("pattern", "pattern = '(full'")), at + "the pattern does not compile: missing ): (full");
  EXPECT_EQ(WhyRefused(WithLine("pattern", "pattern = 'empty'")),
            at + "the pattern or every literal misses the sample 'E0314 feature cache on /nvme0 is full'");
  EXPECT_EQ(WhyRefused(WithLine("pattern", "pattern = 'full'")),
            at + "the counter sample matches: 'feature cache on /nvme0 is half full'");
  EXPECT_EQ(WhyRefused(WithLine("id", "id = \"disk-full\"")),
            ".assay/signatures/ours.toml, line 2: disk-full: assay has a signature of this id itself");
  EXPECT_EQ(WhyRefused("[[signature]\n"),
            ".assay/signatures/ours.toml, line 1: Error while parsing table header: expected ']', saw '\\n'");
  EXPECT_EQ(WhyRefused("x = 1\n"), ".assay/signatures/ours.toml, it must hold [[signature]] tables and nothing else");
}

TEST(UserSignatures, OneThatIsUnsoundCostsNoOther) {
  const UserSignatures signatures = LoadText(WithLine("role", "role = \"failing\"") + std::string(kSound) + std::string(kSound));
  EXPECT_EQ(signatures.all().size(), 1U);
  ASSERT_EQ(signatures.refused().size(), 2U);
  EXPECT_NE(signatures.refused()[1].why.find("this id is taken by another entry"), std::string::npos);
}

TEST(UserSignatures, BearDamage) {
  for (std::size_t length = 0; length < kSound.size(); ++length) {
    EXPECT_TRUE(LoadText(std::string(kSound.substr(0, length))).all().empty() || length > kSound.find("half full"));
    std::string flipped(kSound);
    flipped[length] = static_cast<char>(static_cast<unsigned char>(flipped[length]) ^ 0x80U);
    (void)LoadText(flipped);
  }
  (void)LoadText("[[signature]]\nliterals = " + std::string(100'000, '['));
  (void)LoadText(std::string(200'000, '['));
}

TEST(UserSignatures, AFolderThatIsNotThereHoldsNone) {
  UserSignatures signatures;
  signatures.Load(MemoryFileSystem(), "/run/.assay/signatures", ".assay/signatures");
  EXPECT_TRUE(signatures.all().empty());
  EXPECT_TRUE(signatures.refused().empty());
}

}  // namespace
}  // namespace assay
