// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reading.h"

#include <gtest/gtest.h>

#include "evidence/codecs/byte_stream.h"
#include "evidence/logs/log_reader.h"
#include "tests/support/exact_file.h"

namespace assay::testing {

std::string Fixture(std::string_view name) {
  const RealFileSystem files;
  auto content = ReadWholeFile(files, std::string(ASSAY_SOURCE_DIR "/tests/data/") + std::string(name), std::uint64_t{16} << 20U);
  EXPECT_TRUE(content.has_value()) << "tests/data/" << name;
  return content.has_value() ? *content : std::string();
}

FactStore ReadAs(const Format& format, std::string_view path, std::string_view bytes) {
  FactStore facts;
  const ExactFile file(bytes);
  const SourceId source = facts.AddSource({.path = std::string(path), .format = std::string(format.id), .size = bytes.size()});
  format.read({.source = source, .path = path, .file = file, .logs = LogReader::Shared()}, facts);
  return facts;
}

FactStore ReadLogText(std::string_view text) {
  FactStore facts;
  const ExactFile file(text);
  const SourceId source = facts.AddSource({.path = "train.log", .format = "text-log", .size = text.size()});
  const auto stream = OpenStream(file);
  LogReader::Shared().Read(*stream, source, {}, facts);
  return facts;
}

void ExpectCitationsInside(const FactStore& facts, std::uint64_t size) {
  const FactView view(facts);
  const auto inside = [&](const Citation& c) {
    EXPECT_LE(c.begin, c.end);
    EXPECT_LE(c.end, size);
  };
  for (const SignatureHit& f : view.All<SignatureHit>()) inside(f.cite);
  for (const Traceback& f : view.All<Traceback>()) inside(f.cite);
  for (const ConfigValue& f : view.All<ConfigValue>()) inside(f.cite);
  for (const ProgressBar& f : view.All<ProgressBar>()) inside(f.cite);
  for (const Anomaly& a : view.anomalies()) inside(a.cite);
  for (const MetricTable& t : view.tables()) {
    for (std::size_t i = 0; i < t.row_count(); ++i) inside(t.Cite(i));
  }
}

void CutEverywhere(const Format& format, std::string_view path, std::string_view bytes,
                   const std::function<void(std::size_t, const FactStore&)>& each, std::size_t step) {
  for (std::size_t length = 0; length <= bytes.size(); length += step) {
    SCOPED_TRACE("cut at byte " + std::to_string(length));
    const FactStore facts = ReadAs(format, path, bytes.substr(0, length));
    if (SniffCompression(std::as_bytes(std::span(bytes))) == Compression::kNone) ExpectCitationsInside(facts, length);
    if (each) each(length, facts);
    if (::testing::Test::HasFailure()) return;
  }
}

void FlipEverywhere(const Format& format, std::string_view path, std::string_view bytes, std::size_t step) {
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    for (const unsigned pattern : {0x01U, 0x80U, 0xFFU}) {
      SCOPED_TRACE("flipped byte " + std::to_string(at));
      std::string damaged(bytes);
      damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ pattern);
      const FactStore facts = ReadAs(format, path, damaged);
      if (SniffCompression(std::as_bytes(std::span(damaged))) == Compression::kNone) ExpectCitationsInside(facts, damaged.size());
      if (::testing::Test::HasFailure()) return;
    }
  }
}

std::vector<double> ColumnValues(const FactView& facts, std::string_view name) {
  std::vector<double> values;
  for (const MetricTable& table : facts.tables()) {
    const auto column = table.FindName(name);
    if (!column) continue;
    for (std::size_t i = 0; i < table.row_count(); ++i) {
      if (const auto value = table.At(i, *column)) values.push_back(*value);
    }
    return values;
  }
  return values;
}

}  // namespace assay::testing
