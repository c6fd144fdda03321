// SPDX-License-Identifier: Apache-2.0
#pragma once

// What people save of nvidia-smi: the table with its process list, `-L`, `--query-gpu=… --format=csv` (also repeated by -l),
// `dmon`. Facts, N the index of the GPU: gpu.N.name, .bus (text), .utilisation (percent), .memory_utilisation (percent),
// .memory_used, .memory_total, .memory_free (bytes), .temperature (celsius), .power, .power_limit, .power_default_limit (watts),
// .clock_sm, .clock_memory (megahertz), .ecc_uncorrected (count), .remap_pending, .remap_failed, .throttle.REASON (1 or 0),
// .mig.M (text: the profile), .process.PID (bytes; the text is its name), gpu.driver_version, gpu.cuda_version (text). A value
// that the tool gives as N/A is no fact. Where a query did not ask for the index, the rows of one GPU are index 0, and rows of
// several GPUs are told apart by uuid or bus id, in order of appearance; without either they give nothing.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "evidence/listings/listing_context.h"

namespace assay {

// The boxed table, its process list, and -L.
class SmiTable {
 public:
  bool Take(const ListingLine& line, ListingContext& context);

 private:
  void FirstRow(std::string_view device, std::string_view bus, std::string_view ecc, const ListingLine& line,
                ListingContext& context);
  void SecondRow(std::string_view power, std::string_view memory, std::string_view use, const ListingLine& line,
                 ListingContext& context) const;
  bool ProcessRow(const ListingLine& line, ListingContext& context) const;
  bool ListRow(const ListingLine& line, ListingContext& context);

  enum class Part { kNone, kDevices, kProcesses } part_ = Part::kNone;
  std::string gpu_;  // index in the row above, or of the -L line above
};

// Rows of samples: CSV of a query, and dmon. Thinned evenly to kKeptSamples rows, whatever their number; rows in which the driver
// slowed a clock down for heat or power supply are kept as far as another kKeptSamples.
class SmiSamples {
 public:
  static constexpr std::size_t kKeptSamples = 1000;

  bool Take(const ListingLine& line, ListingContext& context);
  void Finish(ListingContext& context);

 private:
  struct Sample {
    std::uint64_t number = 0;  // of the row
    std::uint64_t turn = 0;    // of the row among those of its GPU
    std::optional<Time> time;
    std::vector<std::pair<std::string, double>> values;  // name with its unit behind '|'
    std::vector<std::pair<std::string, std::string>> texts;
    Citation cite;
  };
  bool Header(std::string_view text);
  bool DmonHeader(std::string_view text);
  std::string IndexOf(const std::vector<std::string_view>& cells);

  std::vector<std::string> columns_;  // lower case, units cut off
  std::vector<std::string> units_;
  bool csv_ = false;
  bool dmon_ = false;
  std::vector<std::string> devices_;  // uuids or bus ids seen, in order
  std::vector<Sample> kept_;
  std::vector<Sample> slowed_;
  std::uint64_t rows_ = 0;
  std::map<std::string, std::uint64_t> turns_;
  std::uint64_t stride_ = 1;
};

}  // namespace assay
