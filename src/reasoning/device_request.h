// SPDX-License-Identifier: Apache-2.0
#pragma once

// A refused request for device memory, taken apart. All sizes are bytes; what the text does not say is absent, never 0.

#include <cstdint>
#include <optional>
#include <vector>

#include "evidence/facts/fact_store.h"

namespace assay {

struct DeviceRequest {
  const SignatureHit* hit = nullptr;
  std::optional<double> asked;
  std::optional<double> capacity;
  std::optional<double> free;
  std::optional<double> allocated;  // live tensors of this process
  std::optional<double> reserved;   // held by its allocator, live or not
  std::optional<double> pools;      // of the allocated bytes those in private pools
  std::optional<double> own;        // of the process, memory outside its allocator included
  std::optional<double> allowed;    // a share of the device that the program set for itself
  std::optional<int> device;
  struct Other {
    std::int64_t pid = 0;
    double bytes = 0;
  };
  std::vector<Other> others;           // other processes, as far as the kept text names them
  std::optional<double> others_bytes;  // all of them
};

// The requests that the run did not survive, in order of the store; those whose text carries numbers first.
std::vector<DeviceRequest> FatalDeviceRequests(const FactView& facts);

}  // namespace assay
