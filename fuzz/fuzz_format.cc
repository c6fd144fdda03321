// SPDX-License-Identifier: Apache-2.0

// Any bytes, read as one format: nothing may crash, hang, grow without bound or cite bytes that are not there. Built once per
// format; ASSAY_FUZZ_FORMAT is the symbol of the format.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "evidence/codecs/byte_stream.h"
#include "evidence/formats/format.h"
#include "evidence/logs/log_reader.h"
#include "tests/support/exact_file.h"

namespace assay::formats {
extern const Format ASSAY_FUZZ_FORMAT;
}

namespace assay {
namespace {

const Format& FormatUnderTest() { return formats::ASSAY_FUZZ_FORMAT; }

// Offsets of compressed files count bytes that this file does not have.
void CheckCitations(const FactStore& facts, std::uint64_t size) {
  const FactView view(facts);
  const auto inside = [&](const Citation& c) { ASSAY_CHECK(c.begin <= c.end && c.end <= size); };
  for (const Anomaly& anomaly : view.anomalies()) inside(anomaly.cite);
  for (const SignatureHit& hit : view.All<SignatureHit>()) inside(hit.cite);
  for (const ConfigValue& value : view.All<ConfigValue>()) inside(value.cite);
  for (const MetricTable& table : view.tables()) {
    for (std::size_t i = 0; i < table.row_count(); ++i) inside(table.Cite(i));
  }
}

void ReadOnce(std::string_view bytes) {
  const Format& format = FormatUnderTest();
  const std::string_view head = bytes.substr(0, 4096);
  (void)format.sniff({.path = format.sample, .bytes = std::as_bytes(std::span(head)), .size = bytes.size()});
  FactStore facts;
  const SourceId source =
      facts.AddSource({.path = std::string(format.sample), .format = std::string(format.id), .size = bytes.size()});
  const testing::ExactFile file(bytes);
  format.read({.source = source, .path = format.sample, .file = file, .logs = LogReader::Shared()}, facts);
  if (SniffCompression(std::as_bytes(std::span(bytes))) == Compression::kNone) CheckCitations(facts, bytes.size());
}

}  // namespace
}  // namespace assay

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  assay::ReadOnce({reinterpret_cast<const char*>(data), size});
  return 0;
}
