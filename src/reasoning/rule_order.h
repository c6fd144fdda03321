// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reasoning/rules/rule.h"

namespace assay {

// Every rule after those that yield what it asks for, in the order of their names otherwise. Rules that ask for each other are a
// bug.
std::vector<const Rule*> RulesInOrder();

}  // namespace assay
