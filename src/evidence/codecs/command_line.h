// SPDX-License-Identifier: Apache-2.0
#pragma once

// Command lines as job scripts, configurations and metadata write them: words, and the options among them. Nothing is expanded:
// "$LR" stays "$LR", and a reader of the facts sees that the value is not known.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

struct CommandWord {
  std::string text;       // quotes and backslashes taken off
  std::size_t begin = 0;  // bytes of the line
  std::size_t end = 0;
  bool operator_sign = false;  // | & ; && || > < and their kin: the command ends or is redirected
};

// Splits as a POSIX shell would, comments left out. An unclosed quote reaches to the end. At most 4096 words.
std::vector<CommandWord> SplitCommand(std::string_view line);

struct CommandOption {
  std::string name;       // without dashes, as written: "learning_rate", "nproc_per_node", "trainer.max_steps"
  std::string value;      // empty: a flag
  std::size_t begin = 0;  // bytes of the line
  std::size_t end = 0;
};

// Options among the words: "--name value", "--name=value", "-n value" with a number or word behind it, and hydra's "name=value"
// and
// "+name=value". Words in front of an option that are none are left out.
std::vector<CommandOption> OptionsOf(std::span<const CommandWord> words);

// The part of the words that starts a training process: from "python", "torchrun", "accelerate", "deepspeed", "srun" and the
// like, behind variable assignments and wrappers such as nohup, to the next operator. Empty when there is none.
std::span<const CommandWord> LaunchPart(std::span<const CommandWord> words);

}  // namespace assay
