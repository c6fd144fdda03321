// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "base/whole_number.h"
#include "reasoning/device_request.h"
#include "reasoning/own_ids.h"
#include "reasoning/rules/rule.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 12> kYields{
    "ask-small",           "ask-large",        "ask-impossible",          "frag-unallocated",
    "others-on-device",    "would-fit-alone",  "own-ranks-on-one-device", "outside-allocator-large",
    "device-held-outside", "second-framework", "alone-on-device",         "workspace-error"};

constexpr double kMiB = 1024.0 * 1024.0;
constexpr double kGiB = 1024.0 * kMiB;
constexpr double kSmall = 64 * kMiB;
constexpr double kFull = 0.9;             // of what the allocator has or could still get
constexpr double kLarge = 0.1;            // of the capacity
constexpr double kOthers = 0.05;          // of the capacity
constexpr double kRoomForContext = 0.02;  // of the capacity, kept free for contexts
constexpr double kPlainContext = 0.6 * kGiB;
constexpr double kHeldOutside = 0.2;  // of the capacity: far above the contexts of one process
constexpr double kAlike = 0.03;       // relative difference of ranks that do the same

// The last line of a log that ends without a newline may be cut, and what it would say of reserved memory with it.
bool MayBeCut(const FactView& facts, const DeviceRequest& r) {
  // An escaped byte in the quotation is no text of any allocator: what it hit may be the words that are looked for.
  if (!r.reserved && r.hit->quote.find("\\x") != std::string::npos) return true;
  // torch that says what "this process has" says what of that is reserved in the same breath.
  if (!r.reserved && r.hit->quote.find("this process has ") != std::string::npos) return true;
  return !r.reserved && std::any_of(facts.All<LogShape>().begin(), facts.All<LogShape>().end(), [&](const LogShape& shape) {
    return shape.source == r.hit->cite.source && !shape.ends_with_newline && shape.last_line.begin <= r.hit->cite.begin;
  });
}

void LookAtSize(const FactView& facts, const DeviceRequest& r, Findings& out) {
  if (!r.asked) return;
  if (r.capacity && *r.asked > *r.capacity) {
    out.Add("device-request-numbers", "ask-impossible",
            fmt::format("The refused request asked for {}, more than the whole device of {}.", FormatBytes(*r.asked),
                        FormatBytes(*r.capacity)),
            {r.hit->cite});
  }
  if (MayBeCut(facts, r)) {
    out.NotChecked("ask-large",
                   "the line about the refused request is cut or damaged before it says how much was reserved and unused");
  } else if (r.capacity && *r.asked >= kLarge * *r.capacity) {
    out.Add("device-request-numbers", "ask-large",
            fmt::format("The refused request asked for {}, {:.0f} % of the device's {}.", FormatBytes(*r.asked),
                        100 * *r.asked / *r.capacity, FormatBytes(*r.capacity)),
            {r.hit->cite});
  }
  if (r.allocated && r.reserved && r.free && *r.asked <= kSmall && *r.allocated >= kFull * (*r.reserved + *r.free)) {
    out.Add(
        "device-request-numbers", "ask-small",
        fmt::format("The refused request asked for only {} while {} were allocated and {} free: it is the drop that overflows.",
                    FormatBytes(*r.asked), FormatBytes(*r.allocated), FormatBytes(*r.free)),
        {r.hit->cite});
  }
  if (r.allocated && r.reserved && r.capacity) {
    const double unallocated = *r.reserved - *r.allocated - r.pools.value_or(0);
    if (unallocated >= *r.asked && unallocated >= kLarge * *r.capacity) {
      out.Add("device-request-numbers", "frag-unallocated",
              fmt::format("{} were reserved and not allocated, although only {} were asked.", FormatBytes(unallocated),
                          FormatBytes(*r.asked)),
              {r.hit->cite});
    }
  }
}

// How many other processes there are: those named, or as many as the sum holds where the kept text is cut.
std::size_t CountOthers(const DeviceRequest& r) {
  if (r.others.empty() || !r.others_bytes || r.others.front().bytes <= 0) return r.others.size();
  return std::max(r.others.size(),
                  static_cast<std::size_t>(NearestWhole(std::clamp(*r.others_bytes / r.others.front().bytes, 0.0, 1e6))));
}

// The other processes on the device are ranks of this run: their ids say so, or as many processes as there are other ranks hold
// the same amount and the device is not the failing rank's own. One sign alone could be a tenant.
std::string OwnRanks(const FactView& facts, const DeviceRequest& r) {
  if (r.others.empty()) return {};
  const auto own = OwnPids(facts);
  const auto is_own =
      std::count_if(r.others.begin(), r.others.end(), [&](const DeviceRequest::Other& other) { return own.contains(other.pid); });
  if (is_own > 0) return fmt::format("{} of the other processes on the device are named in this run's own output", is_own);
  const double size = r.others.front().bytes;
  const bool alike = std::all_of(r.others.begin(), r.others.end(), [&](const DeviceRequest::Other& other) {
    return std::abs(other.bytes - size) <= kAlike * size;
  });
  const std::size_t count = CountOthers(r);
  if (!alike || count < 2) return {};
  const int ranks = RanksPerNode(facts);
  const std::optional<int> rank = r.hit->rank;
  const bool elsewhere = rank && r.device && *rank != *r.device && (ranks <= 1 || *rank % ranks != *r.device);
  const bool all_of_them = ranks > 1 && count + 1 == static_cast<std::size_t>(ranks);
  if (!elsewhere && !all_of_them) return {};
  std::string said = fmt::format("{} other processes hold {} each", count, FormatBytes(size));
  if (elsewhere) said += fmt::format(", and rank {} ran out on device {}", *rank, *r.device);
  if (all_of_them) said += fmt::format("; the run has {} ranks here", ranks);
  return said;
}

void LookAtOthers(const FactView& facts, const DeviceRequest& r, Findings& out) {
  if (!r.capacity) return;
  if (const std::string own = OwnRanks(facts, r); !own.empty()) {
    out.Add("device-request-numbers", "own-ranks-on-one-device",
            fmt::format("Several processes of this run sit on one device: {}.", own), {r.hit->cite});
    return;
  }
  if (r.others_bytes && *r.others_bytes >= kOthers * *r.capacity) {
    const std::string who = r.others.size() == 1 ? fmt::format("Process {}", r.others.front().pid)
                            : r.others.empty()   ? std::string("Other processes")
                                                 : fmt::format("{} other processes", CountOthers(r));
    Finding& finding = out.Add("device-request-numbers", "others-on-device",
                               fmt::format("{} held {} of the device's {} when this run was refused memory.", who,
                                           FormatBytes(*r.others_bytes), FormatBytes(*r.capacity)),
                               {r.hit->cite});
    finding.rank = r.hit->rank;
    const double mine = r.own ? *r.own : r.reserved.value_or(*r.capacity) + kPlainContext;
    if (r.asked && mine + *r.asked <= (1 - kRoomForContext) * *r.capacity) {
      out.Add("device-request-numbers", "would-fit-alone",
              fmt::format("This process held {} and asked for {} more, which a device of {} serves when nobody else is on it.",
                          FormatBytes(mine), FormatBytes(*r.asked), FormatBytes(*r.capacity)),
              {r.hit->cite});
    }
    return;
  }
  if (r.own && r.others.empty() && r.others_bytes) {
    out.Add("device-request-numbers", "alone-on-device",
            fmt::format("This process held {} of the device's {} and {} were free: nobody else was on it.", FormatBytes(*r.own),
                        FormatBytes(*r.capacity), FormatBytes(*r.free)),
            {r.hit->cite});
  }
  if (r.own && r.reserved) {
    const double outside = *r.own - *r.reserved;
    if (outside >= kLarge * *r.capacity && outside >= 2 * kPlainContext) {
      out.Add("device-request-numbers", "outside-allocator-large",
              fmt::format("This process held {} of the device outside its allocator, which had reserved {}.",
                          FormatBytes(outside), FormatBytes(*r.reserved)),
              {r.hit->cite});
    }
    return;
  }
  if (!r.free || !r.reserved || r.own) return;
  // The older wording does not say who holds the rest: the driver, other processes, or this one outside its allocator.
  const double rest = *r.capacity - *r.free - *r.reserved;
  if (rest >= kHeldOutside * *r.capacity && rest >= 2 * kPlainContext) {
    out.Add("device-request-numbers", "device-held-outside",
            fmt::format(
                "{} of the device's {} were neither free nor reserved by this process; the message does not say who held them.",
                FormatBytes(rest), FormatBytes(*r.capacity)),
            {r.hit->cite});
  }
  if (rest <= kLarge * *r.capacity && rest <= 2 * kPlainContext) {
    out.Add("device-request-numbers", "alone-on-device",
            fmt::format("This process had reserved {} of the device's {} and {} were free: the rest is what a context takes.",
                        FormatBytes(*r.reserved), FormatBytes(*r.capacity), FormatBytes(*r.free)),
            {r.hit->cite});
    return;
  }
  for (const std::string_view id : {"others-on-device", "outside-allocator-large"}) {
    out.NotChecked(id, "this wording of the message does not name the processes on the device");
  }
}

// TensorFlow takes most of a device when it starts; beside a torch that runs out, the two share one process or at least one
// device.
void LookForSecondFramework(const FactView& facts, const DeviceRequest& r, Findings& out) {
  if (!r.hit->signature->id.starts_with("torch-")) return;
  for (const SignatureHit* pool : facts.Hits("tf-device-pool")) {
    if (pool->cite.source != r.hit->cite.source || pool->cite.begin > r.hit->cite.begin) continue;
    const auto device = ParseInteger(pool->Capture("device"));
    const auto bytes = ParseByteSize(pool->Capture("pool_size"));
    if (!device || !bytes || (r.device && *device != *r.device)) continue;
    out.Add("device-request-numbers", "second-framework",
            fmt::format("TensorFlow took {} of device {} in the same log before torch ran out of memory on it.",
                        FormatBytes(*bytes), *device),
            {pool->cite, r.hit->cite});
    return;
  }
}

void Evaluate(const FactView& facts, Findings& out) {
  const std::vector<DeviceRequest> requests = FatalDeviceRequests(facts);
  if (requests.empty()) return;
  // Ranks that fail after the first one are in the same state or follow it; their numbers are not added up.
  const DeviceRequest& first = requests.front();
  if (first.asked && !first.capacity) {
    for (const std::string_view id : {"ask-large", "ask-small", "frag-unallocated", "others-on-device"}) {
      out.NotChecked(id, "the message gives the size of the request and nothing about the device");
    }
  }
  LookAtSize(facts, first, out);
  LookAtOthers(facts, first, out);
  LookForSecondFramework(facts, first, out);
  for (const DeviceRequest& request : requests) {
    if (request.hit->signature->id != "cublas-alloc-failed") continue;
    out.Add("device-request-numbers", "workspace-error", "The matrix library could not allocate what it needs on the device.",
            {request.hit->cite});
  }
}

}  // namespace

extern const Rule device_request_numbers;
constinit const Rule device_request_numbers{
    .id = "device-request-numbers",
    .title = "What a refused request for device memory says: its size, and whose the bytes on the device were",
    .looks_at = "the numbers of out-of-memory messages, process ids named by the run",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
