// SPDX-License-Identifier: Apache-2.0
#include "evidence/discovery/quote_reader.h"

#include <algorithm>
#include <numeric>

#include "evidence/codecs/byte_stream.h"

namespace assay {
namespace {

constexpr std::uint64_t kMaxQuote = 4096;
constexpr std::size_t kWindow = std::size_t{256} << 10U;

// Line numbers mean something only in text.
bool HasLines(const Source& source) {
  return source.format != "tensorboard-events" && source.format != "wandb-offline" && source.format != "checkpoint-file";
}

}  // namespace

std::vector<std::optional<QuotedBytes>> ReadQuotes(const FileSystem& files, const Source& source,
                                                   const std::vector<Citation>& cites) {
  std::vector<std::optional<QuotedBytes>> quotes(cites.size());
  if (source.kind == SourceKind::kReading) {
    for (std::size_t i = 0; i < cites.size(); ++i) {
      const std::uint64_t begin = std::min<std::uint64_t>(cites[i].begin, source.captured.size());
      const std::uint64_t end = std::min<std::uint64_t>({cites[i].end, source.captured.size(), begin + kMaxQuote});
      quotes[i] = QuotedBytes{.bytes = source.captured.substr(begin, end - begin), .line = cites[i].line};
    }
    return quotes;
  }
  const auto opened = files.Open(source.absolute_path);
  if (!opened.has_value()) return quotes;
  std::vector<std::size_t> order(cites.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return cites[a].begin < cites[b].begin; });

  const auto stream = OpenStream(**opened);
  const bool lines = HasLines(source);
  std::vector<std::byte> buffer(kWindow);
  std::uint64_t offset = 0;
  std::uint64_t newlines = 0;
  std::size_t next = 0;           // first citation that has not begun
  std::vector<std::size_t> open;  // citations that have begun and want more bytes
  while (next < order.size() || !open.empty()) {
    if (open.empty() && cites[order[next]].begin > offset) offset += stream->SkipHole(kWindow, cites[order[next]].begin - offset);
    const auto n = stream->Read(buffer);
    if (!n.has_value() || *n == 0) break;
    const std::string_view window(reinterpret_cast<const char*>(buffer.data()), *n);
    const auto take = [&](std::size_t index) {
      const Citation& cite = cites[index];
      const std::uint64_t end = std::min(cite.end, cite.begin + kMaxQuote);
      const std::uint64_t from = std::max(cite.begin, offset) - offset;
      const std::uint64_t to = std::min<std::uint64_t>(end, offset + window.size()) - offset;
      quotes[index]->bytes.append(window.substr(from, to - from));
      return end > offset + window.size();
    };
    std::erase_if(open, [&](std::size_t index) { return !take(index); });
    std::uint64_t counted_to = 0;
    while (next < order.size() && cites[order[next]].begin < offset + window.size()) {
      const std::size_t index = order[next++];
      const std::uint64_t at = cites[index].begin - offset;
      newlines += static_cast<std::uint64_t>(std::count(window.begin() + static_cast<std::ptrdiff_t>(counted_to),
                                                        window.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
      counted_to = at;
      quotes[index] = QuotedBytes{.bytes = {}, .line = lines ? newlines + 1 : 0};
      if (take(index)) open.push_back(index);
    }
    newlines +=
        static_cast<std::uint64_t>(std::count(window.begin() + static_cast<std::ptrdiff_t>(counted_to), window.end(), '\n'));
    offset += window.size();
  }
  // A citation at the very end of the artifact ("it stops here") has no bytes and is there all the same.
  for (std::size_t i = next; i < order.size(); ++i) {
    const Citation& cite = cites[order[i]];
    if (cite.begin == cite.end && cite.begin <= offset) quotes[order[i]] = QuotedBytes{.bytes = {}, .line = 0};
  }
  return quotes;
}

}  // namespace assay
