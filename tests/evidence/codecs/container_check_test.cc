// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/container_check.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/proto_bytes.h"
#include "tests/support/reading.h"

namespace assay {
namespace {

using testing::Fixture;
using testing::LittleEndian;
using Wholeness = ContainerState::Wholeness;

ContainerState Check(const std::string& bytes) {
  MemoryFileSystem files;
  files.Add("/f", bytes);
  const auto file = files.Open("/f");
  const auto state = CheckContainer(SniffContainer(std::as_bytes(std::span(bytes))), **file);
  EXPECT_TRUE(state.has_value());
  return state.value();
}

constexpr std::string_view kWholeFixtures[] = {
    "torch_checkpoint/tiny/tiny.pt",
    "torch_checkpoint/tiny/mixed.pt",
    "numpy/tiny/arrays.npz",
    "numpy/tiny/losses.npy",
    "numpy/tiny/fortran.npy",
    "safetensors/tiny/model.safetensors",
    "safetensors/tiny/mixed.safetensors",
    "hdf5/tiny/model.weights.h5",
    "hdf5/tiny/latest.weights.h5",
};

TEST(ContainerCheck, KnowsWhatIsWhole) {
  for (const std::string_view name : kWholeFixtures) {
    const ContainerState state = Check(Fixture(name));
    EXPECT_EQ(state.wholeness, Wholeness::kWhole) << name << ": " << state.why;
    EXPECT_EQ(state.why, "");
  }
}

TEST(ContainerCheck, NothingThatIsCutIsCalledWhole) {
  for (const std::string_view name : kWholeFixtures) {
    const std::string bytes = Fixture(name);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      const ContainerState state = Check(bytes.substr(0, length));
      ASSERT_NE(state.wholeness, Wholeness::kWhole) << name << " cut at " << length;
      // Of the very first bytes not even the kind of file is known.
      ASSERT_TRUE(length < 9 || state.wholeness == Wholeness::kCut) << name << " cut at " << length;
      EXPECT_LE(state.at, length);
      EXPECT_FALSE(state.why.empty());
    }
  }
}

TEST(ContainerCheck, NothingWithBytesBehindItsEndIsCalledCut) {
  for (const std::string_view name : kWholeFixtures) {
    EXPECT_NE(Check(Fixture(name) + "x").wholeness, Wholeness::kCut) << name;
  }
}

TEST(ContainerCheck, BearsEveryFlippedByte) {
  for (const std::string_view name : kWholeFixtures) {
    std::string bytes = Fixture(name);
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      for (const char pattern : {'\x01', '\x80', '\xff'}) {
        bytes[at] = static_cast<char>(bytes[at] ^ pattern);
        EXPECT_LE(Check(bytes).at, bytes.size()) << name;
        bytes[at] = static_cast<char>(bytes[at] ^ pattern);
      }
    }
  }
}

TEST(ContainerCheck, SaysWhyAndFromWhere) {
  const std::string zip = Fixture("torch_checkpoint/tiny/tiny.pt");
  EXPECT_EQ(Check(zip.substr(0, 5000)).why, "the zip directory is missing");
  EXPECT_EQ(Check(zip.substr(0, 5000)).at, 5000U);
  const std::string tensors = Fixture("safetensors/tiny/model.safetensors");
  EXPECT_EQ(Check(tensors.substr(0, tensors.size() - 1)).why, "1 byte is missing at its end");
  EXPECT_EQ(Check(tensors.substr(0, tensors.size() - 20)).why, "20 bytes are missing at its end");
  EXPECT_EQ(Check(tensors.substr(0, 100)).why, "its header is cut");
  EXPECT_EQ(Check(tensors + "xx").why, "2 bytes follow where it should end");
  EXPECT_EQ(Check(Fixture("numpy/tiny/losses.npy").substr(0, 140)).why, "4 bytes are missing at its end");
  EXPECT_EQ(Check(Fixture("hdf5/tiny/model.weights.h5").substr(0, 4000)).why, "520 bytes are missing at its end");
  EXPECT_EQ(Check(Fixture("hdf5/tiny/latest.weights.h5").substr(0, 20)).why, "its superblock is cut");
}

TEST(ContainerCheck, FindsAHoleWhereAMemberShouldBegin) {
  std::string zip = Fixture("torch_checkpoint/tiny/tiny.pt");
  zip.replace(0x40, 64, std::string(64, '\0'));  // inside the first member: not looked at
  EXPECT_EQ(Check(zip).wholeness, Wholeness::kWhole);
  const std::size_t second = zip.find("PK\x03\x04", 4);
  ASSERT_NE(second, std::string::npos);
  zip.replace(second, 64, std::string(64, '\0'));
  const ContainerState state = Check(zip);
  EXPECT_EQ(state.wholeness, Wholeness::kCut);
  EXPECT_EQ(state.damage, AnomalyKind::kLostBytes);
  EXPECT_EQ(state.at, second);
}

TEST(ContainerCheck, BytesInTheMiddleThatWentMissingAreSeen) {
  std::string zip = Fixture("torch_checkpoint/tiny/tiny.pt");
  zip.erase(2000, 500);
  EXPECT_EQ(Check(zip).wholeness, Wholeness::kCut);
  EXPECT_EQ(Check(zip).damage, AnomalyKind::kCorrupt);
}

TEST(ContainerCheck, KnowsFilesThatHoldNoData) {
  EXPECT_EQ(Check(std::string(5000, '\0')).damage, AnomalyKind::kLostBytes);
  EXPECT_EQ(Check(std::string(5000, '\0')).wholeness, Wholeness::kCut);
  const ContainerState pointer = Check("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345\n");
  EXPECT_EQ(pointer.wholeness, Wholeness::kCut);
  EXPECT_NE(pointer.why.find("Git LFS"), std::string::npos);
}

TEST(ContainerCheck, ClaimsNothingOfPickles) {
  EXPECT_EQ(Check(Fixture("torch_checkpoint/tiny/legacy.pt")).wholeness, Wholeness::kUnknown);
  EXPECT_EQ(Check("\x80\x04N.").wholeness, Wholeness::kUnknown);
  EXPECT_EQ(Check("anything else").wholeness, Wholeness::kUnknown);
}

std::string Safetensors(std::string_view header, std::size_t data = 0) {
  return LittleEndian(header.size(), 8) + std::string(header) + std::string(data, 'x');
}

TEST(ContainerCheck, DoesNotTrustASafetensorsHeader) {
  EXPECT_EQ(Check(Safetensors(R"({"a":{"shape":[3],"data_offsets":[0,3]},"b":{"data_offsets" : [ 3 , 5 ]}})", 5)).why, "");
  EXPECT_EQ(Check(Safetensors(R"({"__metadata__":{"data_offsets":"[0,9]","x":"\"data_offsets"}})")).why, "");
  EXPECT_EQ(Check(Safetensors(R"({"a":{"data_offsets":[0,99999999999999999999999]}})", 5)).why, "its header is damaged");
  EXPECT_EQ(Check(Safetensors(R"({"a":{"data_offsets":[0,-3]}})", 5)).why, "its header is damaged");
  EXPECT_EQ(Check(Safetensors(R"({"a":{"data_offsets":[0,3]})", 3)).why, "its header is damaged");
  EXPECT_EQ(Check(Safetensors(R"({"a":"open)")).why, "its header is damaged");
  EXPECT_EQ(Check(Safetensors("{}{}")).why, "its header is damaged");
  EXPECT_EQ(Check(Safetensors("{" + std::string(300'000, '[') + "}")).why, "its header is damaged");
  EXPECT_EQ(Check(Safetensors("{}" + std::string(200'000, ' '))).why, "");
  EXPECT_EQ(Check(LittleEndian(90'000'000, 8) + "{\"a\"").why, "its header is cut");
}

std::string ZipEnd(std::uint64_t entries, std::uint64_t size, std::uint64_t offset) {
  return "PK\x05\x06" + LittleEndian(0, 4) + LittleEndian(entries, 2) + LittleEndian(entries, 2) + LittleEndian(size, 4) +
         LittleEndian(offset, 4) + LittleEndian(0, 2);
}

TEST(ContainerCheck, DoesNotTrustAZipDirectory) {
  EXPECT_EQ(Check(ZipEnd(0, 0, 0)).wholeness, Wholeness::kWhole);  // an archive without members
  const std::string start = "PK\x03\x04" + std::string(96, 'x');
  EXPECT_EQ(Check(start + ZipEnd(1, 50, 60)).wholeness, Wholeness::kCut);
  EXPECT_EQ(Check(start + ZipEnd(1, 40, 60)).why, "the zip directory is damaged");
  EXPECT_EQ(Check(start + ZipEnd(1, 0, 100)).why, "the zip directory does not hold as many members as it says");
  EXPECT_EQ(Check(start + ZipEnd(0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF)).why, "the zip64 end record is missing");
  const std::string locator = "PK\x06\x07" + LittleEndian(0, 4) + LittleEndian(~std::uint64_t{0}, 8) + LittleEndian(1, 4);
  EXPECT_EQ(Check(start + locator + ZipEnd(0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF)).why,
            "the zip64 end record is not where its locator says");
  const std::string entry = "PK\x01\x02" + std::string(16, '\0') + LittleEndian(0xFFFFFFFF, 4) + LittleEndian(0xFFFFFFFF, 4) +
                            LittleEndian(0, 2) + LittleEndian(20, 2) + std::string(10, '\0') + LittleEndian(0, 4) +
                            LittleEndian(1, 2) + LittleEndian(16, 2) + LittleEndian(60, 8) + LittleEndian(60, 8);
  EXPECT_EQ(Check(start + entry + ZipEnd(1, entry.size(), 100)).why, "");
  std::string huge = entry;
  huge[huge.size() - 1] = '\x7f';
  EXPECT_EQ(Check(start + huge + ZipEnd(1, entry.size(), 100)).why, "a member of the archive reaches beyond it");
}

TEST(ContainerCheck, ReadsAZip64EndRecord) {
  const std::string start = "PK\x03\x04" + std::string(96, 'x');
  const std::string entry = "PK\x01\x02" + std::string(42, '\0');
  const std::string end = "PK\x06\x06" + LittleEndian(44, 8) + std::string(12, '\0') + LittleEndian(1, 8) + LittleEndian(1, 8) +
                          LittleEndian(entry.size(), 8) + LittleEndian(100, 8);
  const std::string locator = "PK\x06\x07" + LittleEndian(0, 4) + LittleEndian(100 + entry.size(), 8) + LittleEndian(1, 4);
  EXPECT_EQ(Check(start + entry + end + locator + ZipEnd(0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF)).why, "");
}

TEST(ContainerCheck, WalksADirectoryOfManyWindows) {
  std::string directory;
  constexpr std::size_t kEntries = 20'000;
  for (std::size_t i = 0; i < kEntries; ++i) {
    directory += "PK\x01\x02" + std::string(24, '\0') + LittleEndian(30, 2) + std::string(16, '\0') + std::string(30, 'n');
  }
  const std::string start = "PK\x03\x04" + std::string(96, 'x');
  EXPECT_EQ(Check(start + directory + ZipEnd(kEntries, directory.size(), 100)).why, "");
  directory[directory.size() - 40] = 'x';
  EXPECT_EQ(Check(start + directory.substr(76) + ZipEnd(kEntries, directory.size() - 76, 100)).why,
            "the zip directory does not hold as many members as it says");
}

std::string Npy(std::string_view header, std::size_t data) {
  return "\x93NUMPY\x01" + std::string(1, '\0') + LittleEndian(header.size(), 2) + std::string(header) + std::string(data, 'x');
}

TEST(ContainerCheck, DoesNotTrustAnNpyHeader) {
  EXPECT_EQ(Check(Npy("{'descr': '<f8', 'fortran_order': False, 'shape': (), }", 8)).why, "");
  EXPECT_EQ(Check(Npy("{'descr': '<U5', 'fortran_order': False, 'shape': (2,), }", 40)).why, "");
  EXPECT_EQ(Check(Npy("{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (3L,), }", 24)).why, "");
  for (const char* header :
       {"{'descr': '|O', 'shape': (3,)}", "{'descr': [('a', '<f4')], 'shape': (3,)}", "{'descr': '<f4', 'shape': (-1,)}",
        "{'descr': '<f4', 'shape': (9999999999999, 9999999999999)}", "{'shape': (3,)}", "{'descr': '<f4'}", "",
        "{'descr': '<f4', 'shape': (", "{'descr': '", "'shape': (3,) 'descr': '<f"}) {
    EXPECT_EQ(Check(Npy(header, 12)).wholeness, Wholeness::kUnknown) << header;
  }
}

TEST(ContainerCheck, AnHdf5FileThatIsStillOpenIsNotCalledWhole) {
  std::string bytes = Fixture("hdf5/tiny/latest.weights.h5");
  bytes[11] = 1;
  EXPECT_EQ(Check(bytes).wholeness, Wholeness::kUnknown);
  EXPECT_EQ(Check(bytes).why, "its writer has not closed it");
}

}  // namespace
}  // namespace assay
