// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "base/text.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_end.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 2> kYields{"remote-error-fatal", "offline-node"};

// The host of "https://host/path" or of host='…', as printed.
std::string_view HostIn(std::string_view text) {
  for (const std::string_view mark : {"https://", "http://", "host='", "Failed to resolve '", "resolve host: "}) {
    const std::size_t at = text.find(mark);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = text.substr(at + mark.size());
    return rest.substr(0, rest.find_first_of("/'\":,) \t"));
  }
  return {};
}

// This machine, or a private address: perhaps a rank of this job.
bool IsOutside(std::string_view host) {
  if (host.empty() || host.find('.') == std::string_view::npos) return false;
  for (const std::string_view own : {"127.", "10.", "192.168.", "172.16.", "172.17.", "172.18.", "0.0.0.0", "169.254."}) {
    if (host.starts_with(own)) return false;
  }
  return true;
}

bool LooksLikePath(std::string_view name) {
  return name.starts_with('/') || name.starts_with('.') || name.starts_with('~') || name.ends_with('/');
}

void Evaluate(const FactView& facts, Findings& out) {
  const RunEnd end(facts);
  const Traceback* first = end.first();
  if (first == nullptr) return;
  std::string_view host;
  const SignatureHit* request = nullptr;
  const SignatureHit* offline = nullptr;
  for (const SignatureHit* hit : facts.HitsFor("remote-error")) {
    if (!end.InFirst(hit->cite) || LooksLikePath(hit->Capture("name"))) continue;
    if (hit->signature->id == "offline-mode" && hit->quote.find("ffline") != std::string::npos && offline == nullptr)
      offline = hit;
    if (request == nullptr) request = hit;
    if (!IsOutside(host)) host = HostIn(hit->quote);
  }
  if (request == nullptr) return;
  for (const Traceback* t : end.Chain(*first)) {
    if (!IsOutside(host)) host = HostIn(t->message);
  }
  if (offline != nullptr) {
    out.Add("remote-request", "offline-node",
            fmt::format("The run is set to work offline and its cache lacks the file: {}.",
                        Printable(WithoutStop(offline->quote), 200)),
            {offline->cite});
  }
  if (!IsOutside(host)) return;
  Finding& finding = out.Add("remote-request", "remote-error-fatal",
                             fmt::format("A request to {} failed and ended the run: {}.", Printable(host, 80),
                                         Printable(WithoutStop(request->quote), 160)),
                             {first->exception_cite, request->cite});
  finding.rank = first->rank;
}

}  // namespace

extern const Rule remote_request;
constinit const Rule remote_request{
    .id = "remote-request",
    .title = "A failed request to a service that ended the run",
    .looks_at = "the exception that ended the run, and those that led to it",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
