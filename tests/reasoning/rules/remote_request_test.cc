// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/findings_of.h"

namespace assay {
namespace {

using testing::FindingsOfLog;
using testing::Steps;
using testing::Trace;

TEST(RemoteRequest, NamesTheHostOfARequestThatEndedTheRun) {
  const Findings found =
      FindingsOfLog("loading model\n" + Trace("requests.exceptions.HTTPError: 401 Client Error: Unauthorized for url: "
                                              "https://huggingface.co/meta-llama/L/resolve/main/config.json"));
  ASSERT_NE(found.Find("remote-error-fatal"), nullptr);
  EXPECT_NE(found.Find("remote-error-fatal")->statement.find("huggingface.co"), std::string::npos);
}

TEST(RemoteRequest, StaysSilentWhereTheRunGoesOn) {
  EXPECT_FALSE(
      FindingsOfLog(
          Trace("requests.exceptions.ConnectionError: HTTPSConnectionPool(host='api.wandb.ai', port=443): Max retries exceeded") +
          Steps(5))
          .Has("remote-error-fatal"));
}

TEST(RemoteRequest, LeavesLocalPathsAndOwnRanksOut) {
  EXPECT_FALSE(FindingsOfLog(Trace("OSError: ./models/llama is not a local folder and is not a valid model identifier listed on "
                                   "'https://huggingface.co/models'"))
                   .Has("remote-error-fatal"));
  EXPECT_FALSE(
      FindingsOfLog(
          Trace("requests.exceptions.ConnectionError: HTTPConnectionPool(host='10.0.0.3', port=29500): Max retries exceeded"))
          .Has("remote-error-fatal"));
}

}  // namespace
}  // namespace assay
