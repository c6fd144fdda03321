// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "reasoning/progress.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_end.h"
#include "reasoning/steps_before.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 3> kYields{"peer-of-this-run", "hang-first-collective", "prepares-while-peers-wait"};
constexpr std::array<std::string_view, 9> kAsks{"sched-node-fail",     "sched-preempt", "sched-cancel",
                                                "sched-timeout",       "sched-oom",     "oom-kill-own",
                                                "sigkill-unexplained", "xid-hardware",  "host-oom"};

// Addresses and names by which the run's own logs and configuration call its hosts.
bool IsHostOfRun(const FactView& facts, std::string_view peer) {
  for (const SignatureHit* hit : facts.Hits("nccl-own-address")) {
    if (hit->Capture("host") == peer) return true;
  }
  for (const SignatureHit* hit : facts.Hits("rank-on-host")) {
    if (hit->Capture("host") == peer || hit->Capture("address") == peer) return true;
  }
  constexpr std::array<std::string_view, 5> kNames{"main_process_ip", "MASTER_ADDR", "master_addr", "rdzv_endpoint",
                                                   "head_node_ip"};
  for (const std::string_view name : kNames) {
    for (const ConfigValue* value : facts.Config(name)) {
      const std::string_view host = std::string_view(value->value).substr(0, value->value.find(':'));
      if (host == peer) return true;
    }
  }
  return false;
}

// A peer that had failed, or was taken away, explains its own silence.
bool SomebodyEndedFirst(const FactView& facts, const RunEnd& end, const Findings& out) {
  if (out.Has("device-oom") || std::any_of(kAsks.begin(), kAsks.end(), [&](std::string_view id) { return out.Has(id); }))
    return true;
  return std::any_of(facts.All<Traceback>().begin(), facts.All<Traceback>().end(), [&](const Traceback& t) {
    return end.Of(t) == Standing::kEnd && KindOf(t) == ExceptionKind::kOwn && t.innermost_user &&
           t.message.find("NCCL") == std::string::npos && t.message.find("ocket") == std::string::npos &&
           t.message.find("imeout") == std::string::npos;
  });
}

// A node that lost its power looks from its peers like a broken link, until its own ranks are heard again. Before the first step
// the ranks that came up have just been heard.
bool IsHeardAfter(const FactView& facts, std::string_view peer, const Citation& error) {
  if (TrainingStepsBefore(facts, error.source, error.begin).completed == 0) return true;
  std::set<int> ranks;
  for (const SignatureHit* hit : facts.Hits("rank-on-host")) {
    if (hit->Capture("host") != peer && hit->Capture("address") != peer) continue;
    if (const auto rank = ParseInteger(hit->Capture("rank"))) ranks.insert(static_cast<int>(*rank));
  }
  const auto heard = [&](const auto& fact) {
    return fact.rank && ranks.contains(*fact.rank) && fact.cite.source == error.source && fact.cite.begin > error.end;
  };
  return std::any_of(facts.All<SignatureHit>().begin(), facts.All<SignatureHit>().end(), heard) ||
         std::any_of(facts.All<Traceback>().begin(), facts.All<Traceback>().end(), heard);
}

void LookAtPeer(const FactView& facts, const RunEnd& end, Findings& out) {
  for (const SignatureHit* hit : facts.HitsFor("net-error")) {
    const std::string_view peer = hit->Capture("peer");
    // "Refused" and "closed" are said of a peer that is not there yet, or no longer.
    if (peer.empty() || hit->Capture("error") == "Connection refused" || end.Of(*hit) != Standing::kEnd) continue;
    if (!IsHostOfRun(facts, peer)) {
      out.NotChecked("peer-of-this-run",
                     fmt::format("nothing that was read says whether {} is a host of this run", Printable(peer, 80)));
    } else if (!IsHeardAfter(facts, peer, hit->cite)) {
      out.NotChecked(
          "peer-of-this-run",
          fmt::format("nothing is heard of {} after the error, and a host that went down looks the same", Printable(peer, 80)));
    } else if (!SomebodyEndedFirst(facts, end, out)) {
      out.Add("transport", "peer-of-this-run",
              fmt::format("The peer {} of the transport error is a host of this run, and no rank had ended before.",
                          Printable(peer, 80)),
              {hit->cite});
    }
  }
}

// Every rank that the log announces, and where; empty unless they are all there.
std::vector<Citation> AllRanks(const FactView& facts) {
  std::set<std::string> ranks;
  std::vector<Citation> cites;
  std::int64_t world = 0;
  for (const SignatureHit* hit : facts.Hits("world-size")) {
    world = std::max(world, ParseInteger(hit->Capture("world_count")).value_or(0));
    if (!hit->Capture("rank").empty() && ranks.emplace(hit->Capture("rank")).second) cites.push_back(hit->cite);
  }
  if (world < 2 || ranks.size() != static_cast<std::size_t>(world)) cites.clear();
  return cites;
}

void LookAtFirstCollective(const FactView& facts, const RunEnd& end, Findings& out) {
  const Extent extent = ExtentOfRun(facts);
  if (extent.advanced || extent.rows > 0) return;
  for (const SignatureHit* hit : facts.HitsFor("watchdog-timeout")) {
    const auto sequence = ParseInteger(hit->Capture("sequence_count"));
    if (!sequence || *sequence > 2 || end.Of(*hit) != Standing::kEnd) continue;
    out.Add("transport", "hang-first-collective",
            fmt::format("Collective number {} never completed, and no step was made before it.", *sequence), {hit->cite});
    return;
  }
  std::vector<Citation> cites = AllRanks(facts);
  if (cites.empty() || !end.uncaught().empty()) return;
  const bool failed = std::any_of(
      facts.All<SignatureHit>().begin(), facts.All<SignatureHit>().end(),
      [&](const SignatureHit& hit) { return hit.signature->role == Role::kFailure && end.Of(hit) == Standing::kEnd; });
  if (failed) return;
  const std::size_t ranks = cites.size();
  std::size_t busy = 0;
  for (const Reading& reading : facts.All<Reading>()) {
    if (!reading.name.starts_with("gpu.") || !reading.name.ends_with(".utilisation") || !BelongsToRun(reading)) continue;
    constexpr double kSpinning = 95;  // percent: a waiting collective spins
    if (reading.value < kSpinning) return;
    ++busy;
    cites.push_back(reading.cite);
  }
  if (busy < 2 || busy < ranks) return;
  out.Add("transport", "hang-first-collective",
          fmt::format("All {} ranks came up and all {} devices were busy, but no step was ever logged.", ranks, busy),
          std::move(cites));
}

void LookAtPreparation(const FactView& facts, const RunEnd& end, Findings& out) {
  const auto timeouts = facts.HitsFor("watchdog-timeout");
  const auto first = std::min_element(timeouts.begin(), timeouts.end(), [](const SignatureHit* a, const SignatureHit* b) {
    return std::pair(a->cite.source, a->cite.begin) < std::pair(b->cite.source, b->cite.begin);
  });
  if (first == timeouts.end() || end.Of(**first) != Standing::kEnd || ExtentOfRun(facts).rows > 0) return;
  const auto limit = ParseNumber((*first)->Capture("limit_ms"));
  if (!limit || *limit <= 0) return;
  for (const ProgressBar& bar : facts.All<ProgressBar>()) {
    const bool open = bar.total > 0 && bar.last < bar.total && bar.last > bar.first;
    if (!bar.preparation || !open || bar.cite.source != (*first)->cite.source || bar.elapsed * 1000 < *limit / 2) continue;
    out.Add("transport", "prepares-while-peers-wait",
            fmt::format("\"{}\" stood at {} of {} after {}, when the other ranks gave up waiting after {}.",
                        Printable(bar.description, 60), FormatNumber(bar.last), FormatNumber(bar.total),
                        FormatSeconds(bar.elapsed), FormatSeconds(*limit / 1000)),
            {bar.cite, (*first)->cite});
    return;
  }
}

void Evaluate(const FactView& facts, Findings& out) {
  const RunEnd end(facts);
  LookAtPreparation(facts, end, out);
  LookAtPeer(facts, end, out);
  LookAtFirstCollective(facts, end, out);
}

}  // namespace

extern const Rule transport;
constinit const Rule transport{
    .id = "transport",
    .title = "Which peer a transport error names, and whether the first collective ever ended",
    .looks_at = "transport errors, addresses of the hosts, watchdog lines, bars and device readings of a run without steps",
    .yields = kYields,
    .asks = kAsks,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
