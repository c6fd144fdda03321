// SPDX-License-Identifier: Apache-2.0
#pragma once

// One state of a progress bar in the form of tqdm: "Epoch 3:  55%|█████     | 55/100 [00:01<00:00, 50.0it/s, loss=0.5]" and,
// without a total, "200it [05:16, 1.58s/it]". Views borrow from the text.

#include <optional>
#include <string_view>

namespace assay {

struct BarState {
  std::string_view description;  // trimmed, without its colon
  double position = 0;
  double total = 0;          // 0: unknown
  double elapsed = 0;        // seconds
  std::string_view rate;     // as printed: "50.0it/s"; empty where none is
  std::string_view postfix;  // what stands behind the rate, or behind the times where no rate is printed
};
std::optional<BarState> ParseBar(std::string_view text);

// What is counted, as the rate names it: "it", "examples", "MB"; empty where no rate is printed.
std::string_view UnitOf(const BarState& state);

// The bar counts bytes, files, shards or examples on the way to the training, and no steps of it.
bool CountsPreparation(const BarState& state);

}  // namespace assay
