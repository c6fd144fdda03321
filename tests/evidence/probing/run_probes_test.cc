// SPDX-License-Identifier: Apache-2.0
#include "evidence/probing/run_probes.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <set>

namespace assay {
namespace {

TEST(RunProbes, EveryProbeSaysWhatItIs) {
  std::set<std::string_view> ids;
  for (const Probe* probe : probes::All()) {
    EXPECT_TRUE(ids.insert(probe->id).second) << probe->id;
    for (const std::string_view text : {probe->id, probe->title, probe->reads, probe->cost, probe->privileges})
      EXPECT_FALSE(text.empty()) << probe->id;
  }
}

TEST(RunProbes, LooksAtThisMachineWithinTheDeadline) {
  const RealFileSystem files;
  FactStore facts;
  const auto started = std::chrono::steady_clock::now();
  RunProbes({.files = files, .project = "/"}, facts);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  EXPECT_LT(seconds, 6.0);
  const FactView view(facts);
  EXPECT_FALSE(view.sources().empty());
  for (const Source& source : view.sources()) {
    EXPECT_EQ(source.kind, SourceKind::kReading);
    EXPECT_FALSE(source.captured.empty());
  }
  for (const Reading& reading : view.All<Reading>()) {
    EXPECT_TRUE(reading.live) << reading.name;
    EXPECT_LE(reading.cite.end, view.source(reading.cite.source).captured.size()) << reading.name;
  }
}

TEST(RunProbes, TwoProbesOfOnePlaceKeepTheirOwnText) {
  constexpr Probe kProbe{.id = "place",
                         .title = "",
                         .reads = "/proc",
                         .cost = "",
                         .privileges = "",
                         .collect = nullptr,
                         .interpret = [](const CapturedText& captured, const RunTies&, FactStore& facts) {
                           facts.Add<Reading>({.name = "text", .cite = {.source = captured.source, .end = captured.text.size()}});
                         }};
  FactStore facts;
  InterpretProbe(kProbe, {.text = "T00000005short", .finished = true}, {}, facts);
  InterpretProbe(kProbe, {.text = "T00000010a text of 16 byte", .finished = true}, {}, facts);
  const FactView view(facts);
  ASSERT_EQ(view.All<Reading>().size(), 2U);
  for (const Reading& reading : view.All<Reading>())
    EXPECT_EQ(view.source(reading.cite.source).captured.size(), reading.cite.end);
}

TEST(RunProbes, AHangIsNamedAndWhatCameBeforeIsKept) {
  constexpr Probe kHangs{
      .id = "hangs",
      .title = "A probe that hangs",
      .reads = "/mnt",
      .cost = "",
      .privileges = "",
      .collect =
          [](const ProbeContext&, ProbeOutput& output) {
            output.Text("seen");
            output.Looking("/mnt/dead");
            pause();
          },
      .interpret =
          [](const CapturedText& captured, const RunTies&, FactStore& facts) {
            facts.Add<Reading>({.name = "text", .text = std::string(captured.text), .live = true});
          },
  };
  const RealFileSystem files;
  const ProbeContext context{.files = files};
  const auto outputs = RunInChildren({[&](const ChildWriter& write) {
                                        ProbeOutput output(write);
                                        kHangs.collect(context, output);
                                      },
                                      [](const ChildWriter& write) { write("done"); }},
                                     1.0);
  ASSERT_EQ(outputs.size(), 2U);
  EXPECT_FALSE(outputs[0].finished);
  EXPECT_TRUE(outputs[1].finished);
  EXPECT_EQ(outputs[1].text, "done");
  FactStore facts;
  InterpretProbe(kHangs, outputs[0], {}, facts);
  ASSERT_EQ(FactView(facts).not_checked().size(), 1U);
  EXPECT_EQ(FactView(facts).not_checked()[0].why.substr(0, 24), "/mnt/dead did not answer");
  ASSERT_EQ(FactView(facts).All<Reading>().size(), 1U);
  EXPECT_EQ(FactView(facts).All<Reading>()[0].text, "seen");
}

TEST(RunProbes, FramesThatWereCutAreLeftOut) {
  constexpr Probe kEcho{.id = "echo",
                        .title = "t",
                        .reads = "r",
                        .cost = "c",
                        .privileges = "p",
                        .collect = [](const ProbeContext&, ProbeOutput&) {},
                        .interpret = [](const CapturedText& captured, const RunTies&,
                                        FactStore& facts) { facts.Add<Reading>({.name = std::string(captured.text)}); }};
  std::string whole;
  ProbeOutput output([&](std::string_view text) { whole += text; });
  output.Text("abc");
  output.NotChecked("x", "y");
  output.Text("def");
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    FactStore facts;
    InterpretProbe(kEcho, {.text = whole.substr(0, length), .finished = true}, {}, facts);
    const std::string text = FactView(facts).All<Reading>().empty() ? "" : FactView(facts).All<Reading>()[0].name;
    EXPECT_TRUE(text.empty() || text == "abc" || text == "abcdef") << text;
  }
  FactStore odd;
  InterpretProbe(kEcho, {.text = "Tzzzzzzzzx", .finished = true}, {}, odd);
  InterpretProbe(kEcho, {.text = "TffffffffX", .finished = true}, {}, odd);
}

}  // namespace
}  // namespace assay
