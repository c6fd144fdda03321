// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/container_check.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "base/byte_reader.h"
#include "base/text.h"

namespace assay {
namespace {

using Wholeness = ContainerState::Wholeness;

constexpr std::size_t kWindow = std::size_t{64} << 10U;
constexpr std::uint64_t kMaxZipDirectory = std::uint64_t{64} << 20U;
constexpr std::uint64_t kMaxSafetensorsHeader = 100'000'000;  // what the library itself accepts
constexpr std::uint64_t kMaxNpyHeader = kWindow;
constexpr std::uint64_t kMembersLookedAt = 1024;
constexpr std::string_view kNoLength = "its kind of file does not say how long it should be";

ContainerState Whole() { return {.wholeness = Wholeness::kWhole}; }
ContainerState Unknown(std::string_view why) { return {.wholeness = Wholeness::kUnknown, .why = std::string(why)}; }
ContainerState Cut(std::string_view why, std::uint64_t at, AnomalyKind damage = AnomalyKind::kTruncated) {
  return {.wholeness = Wholeness::kCut, .why = std::string(why), .damage = damage, .at = at};
}
ContainerState Missing(std::uint64_t bytes, std::uint64_t size) {
  return Cut(Plural(bytes, "byte") + (bytes == 1 ? " is" : " are") + " missing at its end", size);
}
ContainerState Surplus(std::uint64_t bytes) {
  return Unknown(Plural(bytes, "byte") + (bytes == 1 ? " follows" : " follow") + " where it should end");
}

// The bytes [offset, offset + count), fewer where the file ends.
Result<std::vector<std::byte>> Load(const RandomAccessFile& file, std::uint64_t offset, std::uint64_t count) {
  const std::uint64_t size = file.size();
  std::vector<std::byte> bytes(static_cast<std::size_t>(offset >= size ? 0 : std::min(count, size - offset)));
  ASSAY_TRY(const std::size_t got, file.ReadAt(offset, bytes));
  bytes.resize(got);
  return bytes;
}

std::string_view AsText(std::span<const std::byte> bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

bool AllNul(std::span<const std::byte> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

// ---- zip ----

constexpr std::uint32_t kLocalHeader = 0x04034B50;
constexpr std::uint32_t kDirectoryEntry = 0x02014B50;
constexpr std::uint32_t kDirectoryEnd = 0x06054B50;
constexpr std::uint32_t kZip64DirectoryEnd = 0x06064B50;
constexpr std::uint32_t kZip64Locator = 0x07064B50;
constexpr std::uint64_t kDirectoryEndSize = 22;
constexpr std::uint64_t kLocatorSize = 20;
constexpr std::uint64_t kEntrySize = 46;

struct ZipDirectory {
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
  std::uint64_t end = 0;  // where the end records start
  std::uint64_t entries = 0;
};

struct ZipEnd {
  std::optional<ZipDirectory> directory;
  ContainerState state;  // meaningful without a directory
};

Result<ZipEnd> FindZipDirectory(const RandomAccessFile& file) {
  const std::uint64_t size = file.size();
  const std::uint64_t tail_size = std::min<std::uint64_t>(size, kDirectoryEndSize + 0xFFFF);
  ASSAY_TRY(const std::vector<std::byte> tail, Load(file, size - tail_size, tail_size));
  const std::uint64_t base = size - tail_size;
  for (std::size_t i = tail.size() < kDirectoryEndSize ? 0 : tail.size() - kDirectoryEndSize + 1; i-- > 0;) {
    ByteReader r(std::span<const std::byte>(tail).subspan(i), base + i);
    if (r.U32("signature") != kDirectoryEnd) continue;
    r.Skip(6, "disks");
    ZipDirectory directory;
    directory.entries = r.U16("entries");
    directory.size = r.U32("directory size");
    directory.begin = r.U32("directory offset");
    const std::uint64_t comment = r.U16("comment length");
    if (comment > r.remaining()) continue;  // the signature stands in data by chance
    if (comment < r.remaining()) return ZipEnd{.state = Surplus(r.remaining() - comment)};
    directory.end = base + i;
    const bool zip64 = directory.entries == 0xFFFF || directory.size == 0xFFFFFFFF || directory.begin == 0xFFFFFFFF;
    // PyTorch writes the zip64 records always, others where a number does not fit.
    const std::uint64_t locator_at = directory.end - std::min(directory.end, kLocatorSize);
    ASSAY_TRY(const std::vector<std::byte> locator_bytes, Load(file, locator_at, kLocatorSize));
    ByteReader locator(locator_bytes, locator_at);
    const bool located = locator.U32("signature") == kZip64Locator;
    if (!located && !zip64) return ZipEnd{.directory = directory};
    locator.Skip(4, "disk");
    const std::uint64_t end_at = locator.U64("zip64 end offset");
    if (!located) return ZipEnd{.state = Cut("the zip64 end record is missing", locator_at)};
    std::vector<std::byte> end_bytes;
    if (end_at < locator_at) {
      ASSAY_TRY(end_bytes, Load(file, end_at, 56));
    }
    ByteReader end(end_bytes, end_at);
    const bool found = end.U32("signature") == kZip64DirectoryEnd;
    end.Skip(28, "record size, versions, disks, entries of this disk");
    directory.entries = end.U64("entries");
    directory.size = end.U64("directory size");
    directory.begin = end.U64("directory offset");
    if (!found || end.failed()) {
      return ZipEnd{.state = Cut("the zip64 end record is not where its locator says", locator_at, AnomalyKind::kCorrupt)};
    }
    directory.end = end_at;
    return ZipEnd{.directory = directory};
  }
  return ZipEnd{.state = Cut("the zip directory is missing", size)};
}

// The member that one directory entry describes must lie before the directory and begin with its own header.
struct ZipMember {
  std::uint64_t compressed = 0;
  std::uint64_t offset = 0;
};

ZipMember ReadZip64Fields(std::span<const std::byte> extra, std::uint64_t plain, ZipMember member) {
  ByteReader r(extra);
  while (r.remaining() >= 4) {
    const std::uint16_t id = r.U16("extra id");
    ByteReader field(r.Bytes(r.U16("extra size"), "extra"));
    if (id != 1) continue;
    if (plain == 0xFFFFFFFF) field.Skip(8, "uncompressed size");
    if (member.compressed == 0xFFFFFFFF) member.compressed = field.U64("compressed size");
    if (member.offset == 0xFFFFFFFF) member.offset = field.U64("local header offset");
    break;
  }
  return member;
}

Result<ContainerState> CheckZip(const RandomAccessFile& file) {
  ASSAY_TRY(const ZipEnd end, FindZipDirectory(file));
  if (!end.directory) return end.state;
  const ZipDirectory& directory = *end.directory;
  const auto corrupt = [](std::string_view why, std::uint64_t at) { return Cut(why, at, AnomalyKind::kCorrupt); };
  if (directory.begin > directory.end || directory.size != directory.end - directory.begin) {
    return corrupt("the zip directory is not where its end record says", directory.end);
  }
  if (directory.size > kMaxZipDirectory) return Unknown("its zip directory is larger than 64 MiB and was not walked");
  std::uint64_t at = directory.begin;
  std::uint64_t entries = 0;
  std::vector<std::byte> window;
  std::uint64_t window_at = at;
  while (at < directory.end) {
    // An entry takes 46 bytes and three texts of up to 64 KiB each.
    if (window_at + window.size() < std::min(directory.end, at + kEntrySize + std::uint64_t{3} * 0xFFFF)) {
      ASSAY_TRY(window, Load(file, at, std::min<std::uint64_t>(directory.end - at, kWindow * 4)));
      window_at = at;
    }
    ByteReader r(std::span<const std::byte>(window).subspan(static_cast<std::size_t>(at - window_at)), at);
    const bool right = r.U32("signature") == kDirectoryEntry;
    r.Skip(16, "versions, flags, method, time, checksum");
    ZipMember member{.compressed = r.U32("compressed size")};
    const std::uint64_t plain = r.U32("uncompressed size");
    const std::uint64_t name = r.U16("name length");
    const std::uint64_t extra = r.U16("extra length");
    const std::uint64_t comment = r.U16("comment length");
    r.Skip(8, "disk, attributes");
    member.offset = r.U32("local header offset");
    r.Skip(name, "name");
    member = ReadZip64Fields(r.Bytes(extra, "extra"), plain, member);
    r.Skip(comment, "comment");
    if (!right || r.failed()) return corrupt("the zip directory is damaged", at);
    if (member.offset > directory.begin || member.compressed > directory.begin - member.offset) {
      return corrupt("a member of the archive reaches beyond it", at);
    }
    if (entries < kMembersLookedAt) {
      ASSAY_TRY(const std::vector<std::byte> local, Load(file, member.offset, 4));
      ByteReader header(local);
      if (header.U32("signature") != kLocalHeader) {
        return Cut("a member of the archive is not where its directory says", member.offset,
                   AllNul(local) ? AnomalyKind::kLostBytes : AnomalyKind::kCorrupt);
      }
    }
    ++entries;
    at = r.offset();
  }
  if (entries != directory.entries) return corrupt("the zip directory does not hold as many members as it says", directory.begin);
  return Whole();
}

// ---- safetensors ----

// Follows the header byte by byte, however long it is, and keeps only what "data_offsets": [begin, end] say. The header is not
// checked beyond that: whether its tensors make sense is no question of wholeness.
class OffsetScanner {
 public:
  void Feed(std::string_view text) {
    for (const char c : text) Take(c);
  }
  bool sound() const { return depth_ == 0 && opened_ && !in_string_ && !failed_; }
  std::uint64_t data_end() const { return data_end_; }

 private:
  void Take(char c) {
    if (in_string_) return TakeInString(c);
    if (c == '"') {
      if (depth_ == 0) failed_ = true;
      in_string_ = true;
      length_ = 0;
      matches_ = true;
      return;
    }
    if (IsSpace(c) || c == ':') return;
    if (c == '{' || c == '[') {
      if (depth_ == 0 && (opened_ || c == '[')) failed_ = true;
      in_offsets_ = c == '[' && key_is_offsets_;
      number_ = 0;
      opened_ = true;
      ++depth_;
    } else if (c == '}' || c == ']') {
      if (depth_ == 0) {
        failed_ = true;
      } else {
        --depth_;
      }
      if (in_offsets_) data_end_ = std::max(data_end_, number_);
      in_offsets_ = false;
    } else if (depth_ == 0) {
      failed_ = true;
    } else if (in_offsets_ && IsDigit(c)) {
      const auto digit = static_cast<std::uint64_t>(c - '0');
      if (number_ > (std::uint64_t{1} << 60U) / 10) failed_ = true;  // no file is that long
      number_ = failed_ ? 0 : number_ * 10 + digit;
    } else if (in_offsets_ && c == ',') {
      number_ = 0;
    } else if (in_offsets_) {
      failed_ = true;
    }
    key_is_offsets_ = false;
  }
  void TakeInString(char c) {
    constexpr std::string_view kKey = "data_offsets";
    if (!escaped_ && c == '"') {
      in_string_ = false;
      key_is_offsets_ = matches_ && length_ == kKey.size();
      return;
    }
    escaped_ = !escaped_ && c == '\\';
    matches_ = matches_ && length_ < kKey.size() && kKey[length_] == c;
    ++length_;
  }

  std::uint64_t depth_ = 0;
  std::uint64_t number_ = 0;
  std::uint64_t data_end_ = 0;
  std::size_t length_ = 0;  // of the string so far
  bool opened_ = false;
  bool failed_ = false;
  bool in_string_ = false;
  bool escaped_ = false;
  bool matches_ = false;
  bool key_is_offsets_ = false;
  bool in_offsets_ = false;
};

Result<ContainerState> CheckSafetensors(const RandomAccessFile& file) {
  const std::uint64_t size = file.size();
  ASSAY_TRY(const std::vector<std::byte> head, Load(file, 0, 8));
  ByteReader r(head);
  const std::uint64_t length = r.U64("header length");
  if (r.failed()) return Cut("its header is cut", size);
  if (length > kMaxSafetensorsHeader) return Cut("its header length cannot be", 0, AnomalyKind::kCorrupt);
  if (size < 8 || length > size - 8) return Cut("its header is cut", size);
  OffsetScanner scanner;
  for (std::uint64_t done = 0; done < length;) {
    ASSAY_TRY(const std::vector<std::byte> window, Load(file, 8 + done, std::min<std::uint64_t>(kWindow, length - done)));
    if (window.empty()) return Cut("its header is cut", 8 + done);
    scanner.Feed(AsText(window));
    done += window.size();
  }
  if (!scanner.sound()) return Cut("its header is damaged", 8, AnomalyKind::kCorrupt);
  const std::uint64_t expected = 8 + length + scanner.data_end();
  if (size < expected) return Missing(expected - size, size);
  return size == expected ? Whole() : Surplus(size - expected);
}

// ---- HDF5 ----

Result<ContainerState> CheckHdf5(const RandomAccessFile& file) {
  const std::uint64_t size = file.size();
  ASSAY_TRY(const std::vector<std::byte> head, Load(file, 0, 128));
  ByteReader r(head);
  r.Skip(8, "signature");
  const std::uint8_t version = r.U8("superblock version");
  if (version > 3) return r.failed() ? Cut("its superblock is cut", size) : Unknown("its HDF5 version is not known");
  std::uint8_t width = 0;
  std::uint8_t flags = 0;
  if (version < 2) {
    r.Skip(4, "versions of other parts");
    width = r.U8("size of offsets");
    r.Skip(2, "size of lengths, reserved");
    r.Skip(version == 0 ? 8 : 12, "tree sizes, flags");
  } else {
    width = r.U8("size of offsets");
    r.Skip(1, "size of lengths");
    flags = r.U8("consistency flags");
  }
  if (!r.failed() && width != 4 && width != 8) return Unknown("its HDF5 offsets have an unusual width");
  const auto offset = [&](std::string_view field) { return width == 4 ? std::uint64_t{r.U32(field)} : r.U64(field); };
  const std::uint64_t base = offset("base address");
  (void)offset("free space or extension");
  const std::uint64_t end = offset("end of file");
  if (r.failed()) return Cut("its superblock is cut", size);
  if (base != 0 || end >= std::uint64_t{1} << 62U) return Unknown("its superblock has no plain end address");
  if (size < end) return Missing(end - size, size);
  constexpr std::uint8_t kOpenForWriting = 1;
  if ((flags & kOpenForWriting) != 0) return Unknown("its writer has not closed it");
  return Whole();  // bytes behind the end address are allowed: space that the library allocated in advance
}

// ---- npy ----

// The text behind `key` in the header, a literal of a Python dict: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
std::string_view Behind(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(key);
  return at == std::string_view::npos ? std::string_view() : Trim(header.substr(at + key.size()));
}

std::optional<std::uint64_t> NpyDataSize(std::string_view header) {
  std::string_view type = Behind(header, "'descr':");
  std::string_view shape = Behind(header, "'shape':");
  if (type.size() < 4 || type[0] != '\'' || !shape.starts_with('(')) return std::nullopt;
  type = type.substr(1, type.find('\'', 1) - 1);
  shape = shape.substr(1, shape.find(')') - 1);
  if (type.size() < 3 || std::string_view("fiubcSUVmM").find(type[1]) == std::string_view::npos) return std::nullopt;
  std::string_view width = type.substr(2);
  if (type[1] == 'm' || type[1] == 'M') width = width.substr(0, width.find('['));  // "<M8[ns]"
  const auto item = ParseInteger(width);
  if (!item || *item < 0 || *item > 1'000'000) return std::nullopt;
  std::uint64_t total = static_cast<std::uint64_t>(*item) * (type[1] == 'U' ? 4 : 1);
  for (std::string_view part : Split(shape, ',')) {
    part = Trim(part);
    if (part.ends_with('L')) part.remove_suffix(1);  // Python 2
    if (part.empty()) continue;
    const auto count = ParseInteger(part);
    if (!count || *count < 0) return std::nullopt;
    if (__builtin_mul_overflow(total, static_cast<std::uint64_t>(*count), &total)) return std::nullopt;
  }
  return total;
}

Result<ContainerState> CheckNpy(const RandomAccessFile& file) {
  const std::uint64_t size = file.size();
  ASSAY_TRY(const std::vector<std::byte> head, Load(file, 0, 12 + kMaxNpyHeader));
  ByteReader r(head);
  r.Skip(6, "magic");
  const std::uint8_t major = r.U8("version");
  r.Skip(1, "minor version");
  const std::uint64_t length = major == 1 ? r.U16("header length") : r.U32("header length");
  if (length > kMaxNpyHeader) return Unknown("its header is larger than 64 KiB");
  const std::string_view header = AsText(r.Bytes(length, "header"));
  if (r.failed()) return Cut("its header is cut", size);
  const auto data = NpyDataSize(header);
  if (!data || *data > std::uint64_t{1} << 62U) return Unknown(kNoLength);
  const std::uint64_t expected = r.offset() + *data;
  if (size < expected) return Missing(expected - size, size);
  return size == expected ? Whole() : Surplus(size - expected);
}

}  // namespace

Container SniffContainer(std::span<const std::byte> head) {
  const std::string_view text = AsText(head);
  ByteReader r(head);
  const std::uint64_t first = r.U64("first eight bytes");
  if (text.starts_with("PK\x03\x04") || text.starts_with("PK\x05\x06")) return Container::kZip;
  if (text.starts_with("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19")) return Container::kLegacyTorch;
  if (text.size() >= 2 && text[0] == '\x80' && text[1] >= 2 && text[1] <= 5) return Container::kPickle;
  if (text.starts_with("\x93NUMPY")) return Container::kNpy;
  if (text.starts_with("\x89HDF\r\n\x1a\n")) return Container::kHdf5;
  if (text.starts_with("version https://git-lfs")) return Container::kLfsPointer;
  if (text.size() >= 9 && first >= 2 && first <= kMaxSafetensorsHeader && text[8] == '{') return Container::kSafetensors;
  if (text.size() >= 8 && AllNul(head.first(std::min<std::size_t>(head.size(), 64)))) return Container::kNul;
  return Container::kNone;
}

Result<ContainerState> CheckContainer(Container container, const RandomAccessFile& file) {
  switch (container) {
    case Container::kZip: return CheckZip(file);
    case Container::kSafetensors: return CheckSafetensors(file);
    case Container::kHdf5: return CheckHdf5(file);
    case Container::kNpy: return CheckNpy(file);
    case Container::kNul:
      return Cut("it begins with NUL bytes: its length was written and its data was not", 0, AnomalyKind::kLostBytes);
    case Container::kLfsPointer: return Cut("it is a Git LFS pointer: the data itself was never fetched", file.size());
    case Container::kLegacyTorch:
    case Container::kPickle:
    case Container::kNone: break;
  }
  return Unknown(kNoLength);
}

}  // namespace assay
