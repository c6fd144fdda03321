// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/text.h"
#include "evidence/codecs/command_line.h"
#include "evidence/codecs/line_reader.h"
#include "evidence/codecs/secret_filter.h"
#include "evidence/codecs/whole_text.h"
#include "evidence/formats/format.h"

// Job and launch scripts of shells: what the scheduler was asked for (#SBATCH, #PBS, #BSUB), the limits that the script sets, the
// variables that change how a run behaves, and the command that starts it with its options. Nothing is executed or expanded.
namespace assay::formats {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 20U;
constexpr std::size_t kMaxFacts = 4096;

constexpr std::array<std::string_view, 3> kDirectives{"#SBATCH", "#PBS", "#BSUB"};

// Values of these variables are recorded; of any other only a person should decide.
bool MayRecord(std::string_view name) {
  constexpr std::array<std::string_view, 22> kPrefixes{
      "NCCL_", "CUDA_",       "CUBLAS_",     "CUDNN_", "TORCH_",  "PYTORCH_",      "OMP_", "MKL_",
      "GLOO_", "UCX_",        "FI_",         "XLA_",   "JAX_",    "TF_",           "HIP_", "ROCR_",
      "KMP_",  "TOKENIZERS_", "ACCELERATE_", "DS_",    "NVIDIA_", "TORCHINDUCTOR_"};
  constexpr std::array<std::string_view, 18> kNames{
      "MASTER_ADDR",      "MASTER_PORT",       "WORLD_SIZE",     "RANK",
      "LOCAL_RANK",       "PYTHONHASHSEED",    "WANDB_MODE",     "WANDB_DISABLED",
      "HF_HOME",          "HF_DATASETS_CACHE", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE",
      "TMPDIR",           "MALLOC_ARENA_MAX",  "LD_PRELOAD",     "SLURM_CPU_BIND",
      "PYTHONUNBUFFERED", "PYTHONFAULTHANDLER"};
  if (IsSecretName(name)) return false;
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end() ||
         std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](std::string_view p) { return name.starts_with(p); });
}

Match Sniff(const ArtifactHead& head) {
  const std::string_view text = head.text();
  const std::string_view name = BaseName(head.path);
  for (const std::string_view directive : kDirectives) {
    const std::string line = "\n" + std::string(directive) + " ";
    if (text.starts_with("#!") && text.find(line) != std::string_view::npos) return Match::kYes;
  }
  const bool shell_name = name.ends_with(".sh") || name.ends_with(".bash") || name.ends_with(".sbatch") ||
                          name.ends_with(".slurm") || name.ends_with(".pbs") || name.ends_with(".lsf");
  if (shell_name) return text.find('\0') == std::string_view::npos ? Match::kYes : Match::kNo;
  const std::string_view first = text.substr(0, text.find('\n'));
  const bool shell = first.starts_with("#!") && (first.ends_with("/sh") || first.find("bash") != std::string_view::npos ||
                                                 first.ends_with("zsh") || first.ends_with("env sh"));
  return shell ? Match::kYes : Match::kNo;
}

// One command of the script: continuation lines joined, with the place of the first.
struct Command {
  std::string text;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t line = 0;
  bool complete = true;
};

class ScriptReader {
 public:
  ScriptReader(SourceId source, FactStore& facts) : source_(source), facts_(facts) {}

  void Take(const Command& command) {
    const std::string_view text = Trim(command.text);
    for (const std::string_view directive : kDirectives) {
      if (text.starts_with(directive) && text.size() > directive.size() && IsSpace(text[directive.size()])) {
        return Directive(directive.substr(1), text.substr(directive.size()), command);
      }
    }
    if (text.empty() || text[0] == '#') return;
    const std::vector<CommandWord> words = SplitCommand(text);
    // "a=1 b=2 program …": words up to the first that is no assignment.
    std::size_t first = 0;
    while (first < words.size() && (words[first].text == "export" || IsAssignment(words[first].text))) {
      Variable(words[first].text, command);
      ++first;
    }
    for (std::size_t i = first; i < words.size(); ++i) {
      if (words[i].text == "ulimit" && i + 1 < words.size()) {
        const std::string value =
            words[i + 1].text + (i + 2 < words.size() && !words[i + 2].operator_sign ? " " + words[i + 2].text : "");
        Push("ulimit", value, ConfigValue::Origin::kJobScript, command);
      }
      if (words[i].text == "timeout") Timeout(words, i + 1, command);
      if (words[i].text == "env") {
        for (std::size_t k = i + 1; k < words.size() && IsAssignment(words[k].text); ++k) Variable(words[k].text, command);
      }
    }
    const std::span<const CommandWord> launch = LaunchPart(words);
    if (launch.empty()) return;
    Push("command", text.substr(launch.front().begin, launch.back().end - launch.front().begin), ConfigValue::Origin::kJobScript,
         command);
    // The launcher's own options and the script's are told apart by nobody here; names hardly ever meet.
    for (const CommandOption& option : OptionsOf(launch)) {
      Push("argv." + option.name, option.value, ConfigValue::Origin::kArguments, command);
    }
  }

 private:
  static bool IsAssignment(std::string_view word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos || equals == 0 || IsDigit(word[0])) return false;
    return std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals), IsIdentifierChar);
  }

  void Variable(std::string_view word, const Command& command) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) return;
    const std::string_view name = word.substr(0, equals);
    if (MayRecord(name)) Push("env." + std::string(name), word.substr(equals + 1), ConfigValue::Origin::kEnvironment, command);
  }

  void Timeout(std::span<const CommandWord> words, std::size_t i, const Command& command) {
    // "timeout -k 10 5h command": options may come first, and -k and -s take a value.
    while (i < words.size() && words[i].text.starts_with('-')) i += words[i].text == "-k" || words[i].text == "-s" ? 2U : 1U;
    if (i < words.size() && !words[i].text.empty() && IsDigit(words[i].text[0])) {
      Push("timeout", words[i].text, ConfigValue::Origin::kJobScript, command);
    }
  }

  // "--mem=16G", "--time 1:00:00", "-l nodes=1:ppn=8,walltime=24:00:00", "-W 24:00".
  void Directive(std::string_view scheduler, std::string_view text, const Command& command) {
    const std::vector<CommandWord> words = SplitCommand(text);
    for (const CommandOption& option : OptionsOf(words)) {
      const std::string key = std::string(scheduler) + "." + LongName(scheduler, option.name);
      if (option.name == "l" && scheduler == "PBS") {
        for (const std::string_view part : Split(option.value, ',')) {
          const std::size_t equals = part.find('=');
          if (equals == std::string_view::npos) continue;
          Push("PBS." + std::string(part.substr(0, equals)), part.substr(equals + 1), ConfigValue::Origin::kJobScript, command);
        }
        continue;
      }
      Push(key, option.value, ConfigValue::Origin::kJobScript, command);
    }
  }

  // Slurm's short options under their long names, so that one key means one thing.
  static std::string LongName(std::string_view scheduler, std::string_view name) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kSlurm{{{"t", "time"},
                                                                                    {"J", "job-name"},
                                                                                    {"N", "nodes"},
                                                                                    {"n", "ntasks"},
                                                                                    {"c", "cpus-per-task"},
                                                                                    {"p", "partition"},
                                                                                    {"o", "output"},
                                                                                    {"e", "error"},
                                                                                    {"G", "gpus"},
                                                                                    {"a", "array"},
                                                                                    {"q", "qos"},
                                                                                    {"w", "nodelist"}}};
    if (scheduler == "SBATCH") {
      for (const auto& [brief, full] : kSlurm) {
        if (brief == name) return std::string(full);
      }
    }
    return std::string(name);
  }

  void Push(std::string key, std::string_view value, ConfigValue::Origin origin, const Command& command) {
    if (++pushed_ > kMaxFacts) return;
    std::string kept = WithoutSecrets(key, value.substr(0, 4096));
    facts_.Add(ConfigValue{.key = std::move(key),
                           .value = std::move(kept),
                           .origin = origin,
                           .cite = {.source = source_, .begin = command.begin, .end = command.end, .line = command.line}});
  }

  SourceId source_;
  FactStore& facts_;
  std::size_t pushed_ = 0;
};

void Read(const Artifact& artifact, FactStore& facts) {
  const WholeText whole = ReadWholeText(artifact.file, artifact.source, "the script", kMaxBytes, facts);
  ScriptReader reader(artifact.source, facts);
  Command command;
  bool continues = false;
  std::string here_document;  // the word that ends it
  std::uint64_t number = 0;
  std::size_t at = 0;
  while (at < whole.text.size()) {
    const std::size_t newline = whole.text.find('\n', at);
    const std::size_t end = std::min(newline, whole.text.size());
    std::string_view line = std::string_view(whole.text).substr(at, end - at);
    const std::uint64_t begin = whole.base + at;
    at = newline == std::string::npos ? end : newline + 1;
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!here_document.empty()) {
      if (Trim(line) == here_document) here_document.clear();
      continue;
    }
    if (!continues) command = {.begin = begin, .line = number};
    const bool comment = !continues && Trim(line).starts_with('#');
    continues = line.ends_with('\\') && !comment;
    command.text += continues ? line.substr(0, line.size() - 1) : line;
    command.end = begin + line.size();
    if (continues) continue;
    if (newline == std::string::npos) {
      // The last word may be the start of a longer one, and so may its option.
      facts.AddAnomaly({.kind = AnomalyKind::kTruncated,
                        .cite = {.source = artifact.source, .begin = command.begin, .end = command.end, .line = command.line},
                        .statement = "The script ends without a newline: its last command may be cut and was not used."});
      break;
    }
    reader.Take(command);
    if (const std::size_t document = command.text.find("<<"); document != std::string::npos && !comment) {
      std::string_view word = Trim(std::string_view(command.text).substr(document + 2));
      while (!word.empty() && (word[0] == '-' || word[0] == '\'' || word[0] == '"')) word.remove_prefix(1);
      std::size_t length = 0;
      while (length < word.size() && IsIdentifierChar(word[length])) ++length;
      here_document = std::string(word.substr(0, length));
    }
  }
}

}  // namespace

extern const Format job_script;
constinit const Format job_script{
    .id = "job-script",
    .title = "Job or launch script of a shell",
    .typical_names = "jobs/*.sbatch, *.slurm, *.sh, *.pbs",
    .sample = "slurm_script/train/train.sbatch",
    .sniff = Sniff,
    .read = Read,
};

}  // namespace assay::formats
