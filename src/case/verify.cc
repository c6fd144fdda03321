// SPDX-License-Identifier: Apache-2.0
#include "case/verify.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "base/hash.h"
#include "evidence/codecs/byte_stream.h"
#include "evidence/discovery/quote_reader.h"

namespace assay {
namespace {

constexpr std::size_t kWindow = std::size_t{1} << 20U;
constexpr std::uint64_t kMaxQuote = 4096;

// The offset of bytes of this length and digest. Without the bytes themselves every offset would have to be hashed, so the search
// goes by the beginning of lines, where citations of text begin.
std::optional<std::uint64_t> SearchMoved(const RandomAccessFile& file, std::uint64_t length, const std::string& digest) {
  if (length == 0) return std::nullopt;
  const auto stream = OpenStream(file);
  std::vector<std::byte> buffer(kWindow);
  std::size_t filled = 0;
  std::uint64_t offset = 0;
  for (;;) {
    if (const std::uint64_t hole = stream->SkipHole(kWindow, std::numeric_limits<std::uint64_t>::max()); hole > 0) {
      offset += filled + hole;
      filled = 0;
    }
    const auto n = stream->Read(std::span(buffer).subspan(filled));
    if (!n.has_value()) return std::nullopt;
    filled += *n;
    const bool ended = filled < buffer.size();
    const std::string_view window(reinterpret_cast<const char*>(buffer.data()), filled);
    std::size_t at = 0;
    while (at + length <= window.size()) {
      if (Sha256Hex(window.substr(at, length)) == digest) return offset + at;
      const std::size_t newline = window.find_first_of("\n\r", at);
      if (newline == std::string_view::npos) break;
      at = newline + 1;
    }
    if (ended) return std::nullopt;
    const std::size_t keep = std::min<std::size_t>(window.size(), length + 1);
    std::copy(buffer.end() - static_cast<std::ptrdiff_t>(keep), buffer.end(), buffer.begin());
    offset += filled - keep;
    filled = keep;
  }
}

}  // namespace

const char* CitationStateName(CitationState state) {
  switch (state) {
    case CitationState::kHolds: return "holds";
    case CitationState::kMoved: return "moved";
    case CitationState::kChanged: return "changed";
    case CitationState::kGone: return "gone";
    case CitationState::kCaptured: return "captured";
  }
  return "changed";
}

std::vector<CheckedCitation> VerifyCitations(const Report& report, const FileSystem& files) {
  std::vector<CheckedCitation> checked(report.evidence.size());
  std::map<std::string, std::vector<std::size_t>> by_path;
  for (std::size_t i = 0; i < report.evidence.size(); ++i) {
    const ReportEvidence& e = report.evidence[i];
    checked[i] = {.evidence = e.id, .source = e.source};
    if (e.absolute_path.empty()) {
      checked[i].state = CitationState::kCaptured;
    } else {
      by_path[e.absolute_path].push_back(i);
    }
  }
  for (const auto& [path, indices] : by_path) {
    const auto file = files.Open(path);
    if (!file.has_value()) {
      for (const std::size_t i : indices) checked[i].state = CitationState::kGone;
      continue;
    }
    std::vector<Citation> cites;
    for (const std::size_t i : indices)
      cites.push_back({.source = SourceId{0}, .begin = report.evidence[i].begin, .end = report.evidence[i].end});
    const auto quotes = ReadQuotes(files, Source{.path = path, .absolute_path = path}, cites);
    for (std::size_t n = 0; n < indices.size(); ++n) {
      const ReportEvidence& e = report.evidence[indices[n]];
      if (!e.has_range) continue;  // the file itself is the evidence, and it is there
      if (quotes[n] && Sha256Hex(quotes[n]->bytes) == e.digest) continue;
      const auto moved = SearchMoved(**file, std::min(e.end - e.begin, kMaxQuote), e.digest);
      checked[indices[n]].state = moved ? CitationState::kMoved : CitationState::kChanged;
      checked[indices[n]].moved_to = moved.value_or(0);
    }
  }
  return checked;
}

}  // namespace assay
