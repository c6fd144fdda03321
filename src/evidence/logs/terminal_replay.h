// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a terminal would have made of one physical line: a carriage return starts the line again, a run of backspaces does the
// same for the bars of Keras, colours and cursor movements vanish. Every state between two restarts is a segment of its own,
// because the values of a progress bar live there.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

struct LineSegment {
  std::string_view text;  // into `storage` of the replay, or into the line itself where nothing had to be removed
  std::size_t begin = 0;  // bytes of the physical line
  std::size_t end = 0;
};

class TerminalReplay {
 public:
  // Segments of `line` (without its newline) that are not blank, in order. Valid until the next call; borrows `line`.
  const std::vector<LineSegment>& Replay(std::string_view line);

 private:
  std::vector<std::string> storage_;
  std::vector<LineSegment> segments_;
};

}  // namespace assay
