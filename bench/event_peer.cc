// SPDX-License-Identifier: Apache-2.0
// event_peer FILE: the same job as event_scan done with protobuf's lite runtime, as one would write it: a window of 1 MiB, both
// checksums of every frame checked with the same function as ours, one message that is parsed into again and again, the points of
// each tag kept in blocks that never move. Prints what event_scan prints.

#include <cstdio>
#include <cstring>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "event.pb.h"
#include "event_frames.h"

namespace {

struct Point {
  std::int64_t step;
  double time;
  double value;
};

template <class T>
T Load(const std::byte* from) {
  T value{};
  std::memcpy(&value, from, sizeof(T));
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fputs("usage: event_peer FILE\n", stderr), 2;
  std::FILE* file = std::fopen(argv[1], "rb");
  if (file == nullptr) return std::perror(argv[1]), 1;
  std::setvbuf(file, nullptr, _IONBF, 0);
  std::vector<std::byte> window(1U << 20U);
  std::size_t begin = 0;
  std::size_t filled = 0;
  // Makes `count` bytes stand at `begin`.
  const auto ensure = [&](std::size_t count) {
    if (filled - begin >= count) return true;
    std::memmove(window.data(), window.data() + begin, filled - begin);
    filled -= begin;
    begin = 0;
    if (count > window.size()) window.resize(count);
    filled += std::fread(window.data() + filled, 1, window.size() - filled, file);
    return filled >= count;
  };
  std::map<std::string, std::deque<Point>, std::less<>> series;
  assay_bench::Event event;
  std::size_t bad = 0;
  while (ensure(12)) {
    const auto length = static_cast<std::size_t>(Load<std::uint64_t>(window.data() + begin));
    if (assay::bench::MaskedCrc(std::span(window).subspan(begin, 8)) != Load<std::uint32_t>(window.data() + begin + 8)) break;
    if (!ensure(length + 16)) break;
    const std::span<const std::byte> data = std::span(window).subspan(begin + 12, length);
    const bool good = assay::bench::MaskedCrc(data) == Load<std::uint32_t>(data.data() + length);
    begin += length + 16;
    if (!good || !event.ParseFromArray(data.data(), static_cast<int>(length))) {
      ++bad;
      continue;
    }
    for (const assay_bench::Value& value : event.summary().value()) {
      auto found = series.find(value.tag());
      if (found == series.end()) found = series.emplace(value.tag(), std::deque<Point>()).first;
      found->second.push_back({event.step(), event.wall_time(), value.simple_value()});
    }
  }
  std::fclose(file);
  std::map<std::string, assay::bench::TagSummary, std::less<>> tags;
  for (const auto& [name, points] : series) {
    for (const Point& point : points) tags[name].Add(point.value, point.step);
  }
  assay::bench::Print(tags);
  std::printf("anomalies %zu\n", bad);
  return 0;
}
