// SPDX-License-Identifier: Apache-2.0
#pragma once

// The page of everything that has an id: `assay explain` prints it, docs/reference/ is made of it. Markdown that reads well as
// plain text.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/tables.h"

namespace assay {

struct CatalogueEntry {
  std::string_view id;
  std::string_view title;
  std::string_view group;  // class of a cause or finding, family of a signature; empty for the rest
};

struct Catalogue {
  std::string_view name;  // word of `assay list`
  std::string_view one;   // "a cause"
  std::vector<CatalogueEntry> (*entries)();
  std::string (*page)(std::string_view id);  // for an id of entries()
};

// classes, causes, findings, rules, signatures, probes, axes, smokes, formats, dialects, reports; in the order in which ids are
// looked up.
const std::vector<Catalogue>& Catalogues();

// The page of the first catalogue that has this id.
std::optional<std::string> PageOf(std::string_view id);
// The page of a signature, shipped or a user's own.
std::string SignaturePage(const Signature& signature);
// Ids close to this one, for "did you mean"; at most three.
std::vector<std::string> SimilarIds(std::string_view id);

}  // namespace assay
