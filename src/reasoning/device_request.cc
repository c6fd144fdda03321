// SPDX-License-Identifier: Apache-2.0
#include "reasoning/device_request.h"

#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "reasoning/run_end.h"

namespace assay {
namespace {

std::optional<double> Size(const SignatureHit& hit, std::string_view name) {
  const std::string_view text = hit.Capture(name);
  return text.empty() ? std::nullopt : ParseByteSize(text);
}

// " Process 90 has 18.11 GiB memory in use. Process 91 has …", perhaps cut at its end.
void ReadOthers(std::string_view text, std::vector<DeviceRequest::Other>& out) {
  constexpr std::string_view kBegin = "Process ";
  constexpr std::string_view kHas = " has ";
  for (std::size_t at = text.find(kBegin); at != std::string_view::npos; at = text.find(kBegin, at + 1)) {
    const std::size_t pid = at + kBegin.size();
    const std::size_t has = text.find(kHas, pid);
    const std::size_t end = text.find(" memory in use", pid);
    if (has == std::string_view::npos || end == std::string_view::npos || has > end) return;
    const auto number = ParseInteger(text.substr(pid, has - pid));
    const auto bytes = ParseByteSize(text.substr(has + kHas.size(), end - has - kHas.size()));
    if (number && bytes) out.push_back({*number, *bytes});
  }
}

// The driver's own allocator prints its sizes on the lines below.
void ReadSizesBelow(const FactView& facts, DeviceRequest& request) {
  constexpr std::uint64_t kRightBelow = 1000;
  for (const SignatureHit* line : facts.Hits("torch-async-allocator-sizes")) {
    const Citation& at = request.hit->cite;
    if (line->cite.source != at.source || line->cite.begin < at.end || line->cite.begin > at.end + kRightBelow) continue;
    if (!request.allocated) request.allocated = Size(*line, "allocated_size");
    if (!request.asked) request.asked = Size(*line, "asked_size");
    if (!request.capacity) request.capacity = Size(*line, "capacity_size");
    if (!request.free) request.free = Size(*line, "free_size");
  }
}

DeviceRequest TakeApart(const FactView& facts, const SignatureHit& hit) {
  DeviceRequest request{.hit = &hit,
                        .asked = Size(hit, "asked_size"),
                        .capacity = Size(hit, "capacity_size"),
                        .free = Size(hit, "free_size"),
                        .allocated = Size(hit, "allocated_size"),
                        .reserved = Size(hit, "reserved_size"),
                        .pools = Size(hit, "pool_size"),
                        .own = Size(hit, "own_size"),
                        .allowed = Size(hit, "allowed_size")};
  if (const auto device = ParseInteger(hit.Capture("device"))) request.device = static_cast<int>(*device);
  // Before 1.4 "cached" counted what was reserved and not allocated.
  if (request.allocated && request.reserved && hit.quote.find(" cached)") != std::string::npos)
    *request.reserved += *request.allocated;
  if (const auto unallocated = Size(hit, "unallocated_size"); unallocated && request.allocated)
    request.reserved = *request.allocated + *unallocated;
  if (hit.signature->id == "mps-oom") request.capacity = std::exchange(request.allowed, std::nullopt);
  // What a compiled program needs in all is no single request.
  if (hit.signature->id == "xla-hbm-compile-oom") request.asked.reset();
  if (hit.signature->id == "torch-async-allocator-oom") ReadSizesBelow(facts, request);
  ReadOthers(hit.Capture("others"), request.others);
  ReadOthers(hit.Capture("next_others"), request.others);
  if (request.capacity && request.free && request.own) {
    request.others_bytes = std::max(0.0, *request.capacity - *request.free - *request.own);
  }
  if (!request.others.empty()) {
    const double named = std::accumulate(request.others.begin(), request.others.end(), 0.0,
                                         [](double sum, const DeviceRequest::Other& other) { return sum + other.bytes; });
    request.others_bytes = std::max(named, request.others_bytes.value_or(0));
  }
  return request;
}

}  // namespace

std::vector<DeviceRequest> FatalDeviceRequests(const FactView& facts) {
  std::vector<DeviceRequest> all;
  const RunEnd end(facts);
  for (const SignatureHit* hit : facts.HitsFor("device-oom")) {
    if (hit->origin == Origin::kRunLog && end.Of(*hit) == Standing::kEnd) all.push_back(TakeApart(facts, *hit));
  }
  std::stable_sort(all.begin(), all.end(), [](const DeviceRequest& a, const DeviceRequest& b) {
    return a.capacity.has_value() > b.capacity.has_value();
  });
  return all;
}

}  // namespace assay
