// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/statistics.h"
#include "base/text.h"
#include "reasoning/rules/rule.h"
#include "reasoning/series.h"

// The share of the step in which the trainer waits for its batch, as the run itself logged it.
namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 4> kYields{"wait-share-high", "wait-share-low", "epoch-start-gap", "stall-every-k"};

constexpr double kHigh = 0.25;
constexpr double kLow = 0.10;
constexpr double kShortest = 0.005;  // seconds: a tiny model waits half of its 5 ms and nothing is wrong

struct Wait {
  std::size_t row;
  double wait;  // seconds
  double share;
};

// Writers whose step time holds the wait; others may print the two side by side.
bool StepHoldsWait(std::string_view writer) {
  constexpr std::array<std::string_view, 6> kWriters{"timm", "mmengine", "detectron2", "paddle", "timing-table", "train-epoch"};
  return std::find(kWriters.begin(), kWriters.end(), writer) != kWriters.end();
}

bool IsTraining(const MetricTable& table, std::size_t row) {
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    const Metric metric = table.columns()[c].metric;
    if ((metric == Metric::kLoss || metric == Metric::kLearningRate || metric == Metric::kGradNorm) && table.At(row, c))
      return true;
  }
  return false;
}

std::vector<Wait> Waits(const MetricTable& table) {
  std::vector<Wait> waits;
  const auto step = table.Find(Metric::kStepTime);
  const auto data = table.Find(Metric::kDataTime);
  if (!step || !data) return waits;
  for (std::size_t i = 0; i < table.row_count(); ++i) {
    const auto t = table.At(i, *step);
    const auto w = table.At(i, *data);
    if (!t || !w || !(*t > 0) || !(*w >= 0) || !std::isfinite(*t) || !IsTraining(table, i)) continue;
    const bool inside = StepHoldsWait(table.writer) && *w <= *t;
    waits.push_back({.row = i, .wait = *w, .share = *w / (inside ? *t : *t + *w)});
  }
  return waits;
}

// Tables of average times print each part of the step on a line of its own: "data_time" in seconds beside "<part>_ms".
struct Parts {
  double wait = 0;
  double rest = 0;
  std::size_t waits = 0;
  std::size_t first_row = 0;
};
Parts SumOfParts(const MetricTable& table) {
  Parts parts;
  const auto data = table.Find(Metric::kDataTime);
  if (!data) return parts;
  for (std::size_t i = 0; i < table.row_count(); ++i) {
    if (const auto w = table.At(i, *data); w && std::isfinite(*w)) {
      if (parts.waits++ == 0) {
        parts.first_row = i;
        continue;  // the first average holds the start
      }
      parts.wait += *w;
    } else if (parts.waits > 1) {
      for (std::size_t c = 0; c < table.columns().size(); ++c) {
        const std::string& name = table.columns()[c].name;
        if (!name.ends_with("_ms") || name.ends_with("_std_ms")) continue;
        if (const auto v = table.At(i, c); v && std::isfinite(*v)) parts.rest += *v / 1e3;
      }
    }
  }
  return parts;
}

std::vector<double> Shares(std::span<const Wait> waits) {
  std::vector<double> shares;
  for (const Wait& w : waits) shares.push_back(w.share);
  return shares;
}

void LookAtShare(const MetricTable& table, std::span<const Wait> steady, Findings& out) {
  const double share = Median(Shares(steady));
  const double late = Median(Shares(steady.subspan(steady.size() * 2 / 3)));
  std::vector<double> seconds;
  for (const Wait& w : steady) seconds.push_back(w.wait);
  const double wait = Median(seconds);
  const std::vector<Citation> cites{table.Cite(steady.front().row), table.Cite(steady[steady.size() / 2].row),
                                    table.Cite(steady.back().row)};
  if (share >= kHigh && late >= kHigh && wait >= kShortest) {
    Finding& finding =
        out.Add("data-wait", "wait-share-high",
                fmt::format("The trainer waits for data in {:.0f} % of the step ({:.3g} s), median of {} logged values.",
                            share * 100, wait, steady.size()),
                cites);
    if (const MetricRow& row = table.row(steady.front().row); row.step != kNoStep) finding.step = row.step;
  } else if (share < kLow && late < kLow) {
    out.Add("data-wait", "wait-share-low",
            fmt::format("The trainer waits for data in {:.1f} % of the step, median of {} logged values.", share * 100,
                        steady.size()),
            cites);
  }
}

// Seconds that the steps of an epoch take without its first; 0 where the log does not tell how many there are.
double EpochSeconds(const MetricTable& table, std::span<const Wait> waits) {
  const auto step = table.Find(Metric::kStepTime);
  if (!step) return 0;
  std::vector<double> seconds;
  std::int64_t last = 0;
  double epochs = 0;
  for (const Wait& w : waits) {
    if (table.row(w.row).step == kNoStep) return 0;
    last = std::max(last, table.row(w.row).step);
    epochs = std::max(epochs, table.row(w.row).epoch + 1);
    seconds.push_back(table.At(w.row, *step).value_or(0));
  }
  if (seconds.empty() || !(epochs >= 1)) return 0;
  // Steps count from the start of the epoch, or from that of the run.
  const double steps = static_cast<double>(last) / (table.step_is_position ? 1 : epochs);
  return Median(std::move(seconds)) * steps;
}

// The first wait of an epoch against the usual one; each epoch must show it.
void LookAtEpochStarts(const MetricTable& table, std::span<const Wait> waits, Findings& out) {
  std::vector<double> all;
  for (const Wait& w : waits) all.push_back(w.wait);
  const double usual = Median(all);
  std::vector<Citation> cites;
  std::size_t starts = 0;
  std::size_t slow = 0;
  std::vector<double> gaps;
  for (std::size_t i = 1; i < waits.size(); ++i) {
    const double before = table.row(waits[i - 1].row).epoch;
    const double after = table.row(waits[i].row).epoch;
    if (!(after >= before + 1) || after != std::floor(after)) continue;
    ++starts;
    if (waits[i].wait < 10 * usual || waits[i].wait < 1) continue;
    ++slow;
    gaps.push_back(waits[i].wait);
    cites.push_back(table.Cite(waits[i].row));
  }
  if (starts < 2 || slow < starts) return;
  const double gap = Median(gaps);
  // A gap that is small beside the epoch is a price that nobody notices; how small is known where the steps of an epoch are.
  const double rest = EpochSeconds(table, waits);
  const double share = rest > 0 ? gap / (gap + rest) : 0;
  Finding& finding =
      out.Add("data-wait", "epoch-start-gap",
              fmt::format("The first batch of each of {} later epochs is waited for {:.3g} s, while {:.3g} s are usual{}.",
                          starts, gap, usual, share > 0 ? fmt::format(": {:.0f} % of the epoch", share * 100) : ""),
              std::move(cites));
  finding.survived = share < kHigh;
}

// Long waits at steps of one residue: only where each step is logged.
void LookAtPeriod(const MetricTable& table, std::span<const Wait> steady, Findings& out) {
  if (steady.size() < 40) return;
  for (std::size_t i = 1; i < steady.size(); ++i) {
    const std::int64_t a = table.row(steady[i - 1].row).step;
    const std::int64_t b = table.row(steady[i].row).step;
    if (a == kNoStep || b != a + 1) return;
  }
  std::vector<double> all;
  for (const Wait& w : steady) all.push_back(w.wait);
  const double usual = Median(all);
  std::vector<std::size_t> stalls;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] > std::max(5 * usual, kShortest)) stalls.push_back(i);
  }
  if (stalls.size() < 5) return;
  const std::size_t period = stalls[1] - stalls[0];
  for (std::size_t i = 1; i < stalls.size(); ++i) {
    if (period < 2 || period > 64 || stalls[i] - stalls[i - 1] != period) return;
  }
  out.Add("data-wait", "stall-every-k",
          fmt::format("Every {}-th step waits more than five times as long for its batch as the others ({} times).", period,
                      stalls.size()),
          {table.Cite(steady[stalls[0]].row), table.Cite(steady[stalls[1]].row), table.Cite(steady[stalls[2]].row)});
}

// A profiler's table at the end of the run: mean times of the fetch and of the batch, each of them over many calls.
bool LookAtProfile(const FactView& facts, Findings& out) {
  constexpr double kEnoughCalls = 20;
  const SignatureHit* fetch = nullptr;
  const SignatureHit* batch = nullptr;
  for (const SignatureHit* hit : facts.Hits("profiled-fetch")) {
    if (hit->origin != Origin::kRunLog || ParseNumber(hit->Capture("call_count")).value_or(0) < kEnoughCalls) continue;
    (hit->Capture("batch").empty() ? fetch : batch) = hit;
  }
  if (fetch == nullptr || batch == nullptr) return false;
  const double wait = ParseNumber(fetch->Capture("mean_seconds")).value_or(0);
  const double work = ParseNumber(batch->Capture("mean_seconds")).value_or(0);
  if (!(wait >= 0) || !(work > 0)) return false;
  const double share = wait / (wait + work);
  const std::vector<Citation> cites{fetch->cite, batch->cite};
  if (share >= kHigh && wait >= kShortest) {
    out.Add("data-wait", "wait-share-high",
            fmt::format("The trainer waits for data in {:.0f} % of the step ({:.3g} s on average) by the profiler's table.",
                        share * 100, wait),
            cites);
  } else if (share < kLow) {
    out.Add("data-wait", "wait-share-low",
            fmt::format("The trainer waits for data in {:.1f} % of the step by the profiler's table.", share * 100), cites);
  }
  return true;
}

void Evaluate(const FactView& facts, Findings& out) {
  bool looked = LookAtProfile(facts, out);
  for (const MetricTable& table : facts.tables()) {
    const std::vector<Wait> waits = Waits(table);
    if (waits.size() >= 6) {
      const std::size_t drop = std::clamp<std::size_t>(waits.size() / 10, 1, 10);
      const std::span<const Wait> steady = std::span(waits).subspan(drop);
      looked = true;
      LookAtShare(table, steady, out);
      LookAtEpochStarts(table, waits, out);
      LookAtPeriod(table, steady, out);
      continue;
    }
    const Parts parts = SumOfParts(table);
    if (parts.waits < 3 || parts.rest <= 0) continue;
    looked = true;
    const double share = parts.wait / (parts.wait + parts.rest);
    const double each = parts.wait / static_cast<double>(parts.waits - 1);
    if (share >= kHigh && each >= kShortest) {
      out.Add("data-wait", "wait-share-high",
              fmt::format("The trainer waits for data in {:.0f} % of the step ({:.3g} s on average) by its own table of times.",
                          share * 100, each),
              {table.Cite(parts.first_row)});
    } else if (share < kLow) {
      out.Add("data-wait", "wait-share-low",
              fmt::format("The trainer waits for data in {:.1f} % of the step by its own table of times.", share * 100),
              {table.Cite(parts.first_row)});
    }
  }
  if (looked) return;
  for (const std::string_view id : kYields) out.NotChecked(id, "the run does not log how long it waits for data");
}

}  // namespace

extern const Rule data_wait;
constinit const Rule data_wait{
    .id = "data-wait",
    .title = "How long the trainer waits for its batches",
    .looks_at = "step times beside data times in logs and metric files",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
