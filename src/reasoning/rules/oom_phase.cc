// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_end.h"
#include "reasoning/steps_before.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 9> kYields{"oom-at-init",     "oom-at-load",      "oom-at-forward",
                                                  "oom-at-backward", "oom-at-opt-first", "oom-at-eval",
                                                  "oom-in-gather",   "oom-step-first",   "oom-step-late"};
constexpr std::array<std::string_view, 2> kAsks{"workspace-error", "host-oom"};

constexpr double kLate = 100;      // completed steps
constexpr double kLateEpochs = 3;  // whole epochs, where nothing counts steps

enum class Place { kUnknown, kInit, kLoad, kForward, kBackward, kOptimizer, kEvaluation };

bool AnyOf(std::string_view text, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

bool HasToken(std::string_view name, std::span<const std::string_view> tokens) {
  for (const std::string_view part : Split(name, '_')) {
    for (const std::string_view token : tokens) {
      if (EqualsIgnoreCase(part, token)) return true;
    }
  }
  return false;
}

bool IsEvaluation(const TracebackFrame& frame) {
  static constexpr std::array<std::string_view, 13> kWords{"eval",       "evaluate", "evaluation", "valid",   "validate",
                                                           "validation", "val",      "test",       "predict", "prediction",
                                                           "sanity",     "infer",    "inference"};
  // "train_and_evaluate" holds both, "validate_args" looks at something else than the model's outputs.
  static constexpr std::array<std::string_view, 14> kNot{"train", "fit",    "args",  "kwargs", "config", "inputs", "input",
                                                         "shape", "params", "model", "dtype",  "device", "mask",   "type"};
  return HasToken(frame.function, kWords) && !HasToken(frame.function, kNot);
}

bool IsBackward(const TracebackFrame& frame) {
  return frame.function == "backward" || frame.function.ends_with("run_backward") ||
         frame.code.find(".backward(") != std::string::npos || frame.code.find("accelerator.backward(") != std::string::npos;
}

bool IsOptimizer(const TracebackFrame& frame) {
  static constexpr std::array<std::string_view, 5> kFiles{"/optim/", "optimizer", "/optimizers/", "torch/optim", "bitsandbytes"};
  static constexpr std::array<std::string_view, 5> kSteps{"optimizer.step(", "optim.step(", "opt.step(", "scaler.step(",
                                                          "apply_gradients("};
  return (frame.library && AnyOf(frame.file, kFiles) && frame.function != "zero_grad") || AnyOf(frame.code, kSteps);
}

bool IsLoad(const TracebackFrame& frame) {
  static constexpr std::array<std::string_view, 5> kWords{"load", "restore", "resume", "unpickle", "from"};
  static constexpr std::array<std::string_view, 10> kNot{"data",  "dataset", "loader", "dataloader", "batch",
                                                         "image", "images",  "sample", "audio",      "tokenizer"};
  if (HasToken(frame.function, kNot)) return false;
  if (frame.function == "from_pretrained" || frame.file.find("torch/serialization.py") != std::string::npos) return true;
  return HasToken(frame.function, std::span(kWords).first(4)) || frame.code.find("load_state_dict(") != std::string::npos ||
         frame.code.find("torch.load(") != std::string::npos;
}

bool IsForward(const TracebackFrame& frame) {
  static constexpr std::array<std::string_view, 9> kNames{
      "forward", "_call_impl", "_wrapped_call_impl", "__call__", "call", "compute_loss", "training_step", "loss_fn", "apply_fn"};
  if (std::find(kNames.begin(), kNames.end(), frame.function) != kNames.end()) return true;
  return frame.file.find("torch/nn/functional.py") != std::string::npos;
}

bool IsInit(const TracebackFrame& frame) {
  static constexpr std::array<std::string_view, 13> kNames{
      "__init__",           "_lazy_init",       "build_model",   "create_model", "setup",         "initialize",     "prepare",
      "init_process_group", "reset_parameters", "_init_weights", "init_weights", "prepare_model", "configure_model"};
  static constexpr std::array<std::string_view, 4> kMoves{"to", "cuda", "_apply", "convert"};  // of a whole module
  if (std::find(kNames.begin(), kNames.end(), frame.function) != kNames.end()) return true;
  return frame.file.find("nn/modules/module.py") != std::string::npos &&
         std::find(kMoves.begin(), kMoves.end(), frame.function) != kMoves.end();
}

// The innermost frame that decides wins, except that recomputation runs forward frames inside the backward pass, and that an
// evaluation runs forward frames of its own.
Place PlaceOf(const Traceback& t) {
  if (std::any_of(t.frames.begin(), t.frames.end(), IsBackward)) return Place::kBackward;
  if (std::any_of(t.frames.begin(), t.frames.end(), IsEvaluation)) return Place::kEvaluation;
  for (auto frame = t.frames.rbegin(); frame != t.frames.rend(); ++frame) {
    if (IsOptimizer(*frame)) return Place::kOptimizer;
    if (IsLoad(*frame)) return Place::kLoad;
    if (IsForward(*frame)) return Place::kForward;
    if (IsInit(*frame)) return Place::kInit;
  }
  return Place::kUnknown;
}

// Outputs of earlier batches are being joined: the tensor that is asked for grows with the samples seen.
const TracebackFrame* Gathering(const Traceback& t) {
  static constexpr std::array<std::string_view, 9> kJoins{"torch.cat(", "torch.stack(",     "concatenate(",
                                                          "tf.concat(", "jnp.concatenate(", "nested_concat",
                                                          "vstack(",    ".append(",         "np.stack("};
  static constexpr std::array<std::string_view, 14> kKept{"pred", "logit", "output", "label",  "prob", "score",  "result",
                                                          "feat", "embed", "all_",   "losses", "host", "target", "nested_concat"};
  static constexpr std::array<std::string_view, 5> kFunctions{"nested_concat", "dim_zero_cat", "torch_pad_and_concatenate",
                                                              "_cat", "gather_for_metrics"};
  const std::size_t count = t.frames.size();
  for (std::size_t i = count; i-- > 0 && count - i <= 4;) {
    const TracebackFrame& frame = t.frames[i];
    if (IsForward(frame)) return nullptr;  // a model that joins its own feature maps
    if (std::find(kFunctions.begin(), kFunctions.end(), frame.function) != kFunctions.end()) return &frame;
    if (AnyOf(frame.code, kJoins) && AnyOf(ToLower(frame.code), kKept)) return &frame;
  }
  return nullptr;
}

const Traceback* TracebackOf(const FactView& facts, const SignatureHit& hit) {
  const Traceback* found = nullptr;
  for (const Traceback& t : facts.All<Traceback>()) {
    if (t.cite.source != hit.cite.source || t.frames.empty()) continue;
    const bool holds = hit.cite.begin >= t.cite.begin && hit.cite.begin < t.cite.end;
    // The text of some libraries stands right above or below the block.
    constexpr std::uint64_t kNear = 2000;
    const bool near = hit.cite.begin >= t.cite.end ? hit.cite.begin - t.cite.end < kNear : t.cite.begin - hit.cite.end < kNear;
    if (holds) return &t;
    if (near && found == nullptr && (!t.rank || !hit.rank || t.rank == hit.rank)) found = &t;
  }
  return found;
}

struct Failure {
  const SignatureHit* hit = nullptr;
  const Traceback* traceback = nullptr;
};

// The first refusal that the run did not survive; one with frames is worth more than one without.
Failure FirstFailure(const FactView& facts) {
  Failure best;
  const RunEnd end(facts);
  for (const std::string_view finding : {"device-oom", "workspace-error", "host-oom"}) {
    for (const SignatureHit* hit : facts.HitsFor(finding)) {
      if (hit->origin != Origin::kRunLog || end.Of(*hit) != Standing::kEnd) continue;
      const Traceback* traceback = TracebackOf(facts, *hit);
      // A signal of a loader worker is raised wherever the main thread happened to be.
      if (traceback != nullptr && std::any_of(traceback->frames.begin(), traceback->frames.end(), [](const TracebackFrame& f) {
            return f.file.find("signal_handling.py") != std::string::npos;
          })) {
        traceback = nullptr;
      }
      if (best.hit == nullptr || (best.traceback == nullptr && traceback != nullptr)) best = {hit, traceback};
    }
    if (best.hit != nullptr) return best;
  }
  return best;
}

std::string UserPlace(const Traceback& t) {
  if (!t.innermost_user) return {};
  const TracebackFrame& frame = t.frames[*t.innermost_user];
  return fmt::format(" ({}:{})", Printable(frame.file.substr(frame.file.rfind('/') + 1), 80), frame.line);
}

void AddPhase(const Failure& failure, std::string_view id, std::string statement, Findings& out) {
  std::vector<Citation> cites{failure.hit->cite};
  if (failure.traceback != nullptr) {
    const Traceback& t = *failure.traceback;
    cites.push_back(t.frames[t.innermost_user.value_or(t.frames.size() - 1)].cite);
  }
  Finding& finding = out.Add("oom-phase", id, std::move(statement), std::move(cites));
  finding.rank = failure.hit->rank;
  finding.time = failure.hit->time;
}

// The state of an optimizer is made in its first step, whatever the log counts.
bool MakesOptimizerState(const Traceback& t) {
  static constexpr std::array<std::string_view, 3> kNames{"_init_group", "_init_state", "init_state"};
  static constexpr std::array<std::string_view, 5> kState{"exp_avg", "momentum_buffer", "state[", "zeros_like(",
                                                          "optimizer_state"};
  return std::any_of(t.frames.begin(), t.frames.end(), [&](const TracebackFrame& f) {
    return f.library && (std::find(kNames.begin(), kNames.end(), f.function) != kNames.end() || AnyOf(f.code, kState));
  });
}

void Evaluate(const FactView& facts, Findings& out) {
  const Failure failure = FirstFailure(facts);
  if (failure.hit == nullptr) return;
  const SignatureHit& hit = *failure.hit;
  const Place place = failure.traceback == nullptr ? Place::kUnknown : PlaceOf(*failure.traceback);
  const std::string where = failure.traceback == nullptr ? std::string() : UserPlace(*failure.traceback);
  const StepsBefore steps = place == Place::kEvaluation ? EvaluationStepsBefore(facts, hit.cite.source, hit.cite.begin)
                                                        : TrainingStepsBefore(facts, hit.cite.source, hit.cite.begin);
  const bool compiling = hit.signature->id == "xla-hbm-compile-oom";

  switch (place) {
    case Place::kInit:
      // Modules are also moved and made in the middle of a run.
      if (steps.completed == 0)
        AddPhase(failure, "oom-at-init", fmt::format("Memory ran out while the run was set up{}.", where), out);
      break;
    case Place::kLoad:
      AddPhase(failure, "oom-at-load", fmt::format("Memory ran out while weights or state were loaded{}.", where), out);
      break;
    case Place::kForward:
      AddPhase(failure, "oom-at-forward", fmt::format("Memory ran out in the forward pass{}.", where), out);
      break;
    case Place::kBackward:
      AddPhase(failure, "oom-at-backward", fmt::format("Memory ran out in the backward pass{}.", where), out);
      break;
    case Place::kOptimizer:
      if (steps.completed == 0 && (steps.counted || MakesOptimizerState(*failure.traceback))) {
        AddPhase(failure, "oom-at-opt-first", fmt::format("Memory ran out in the first optimizer step{}.", where), out);
      }
      break;
    case Place::kEvaluation: {
      AddPhase(failure, "oom-at-eval", fmt::format("Memory ran out in an evaluation or prediction{}.", where), out);
      if (const TracebackFrame* frame = Gathering(*failure.traceback)) {
        Finding& finding = out.Add(
            "oom-phase", "oom-in-gather",
            fmt::format("Memory ran out where the outputs of earlier batches are joined{}: {}.",
                        steps.counted && steps.completed > 0 ? fmt::format(", after {:.0f} batches", steps.completed) : "",
                        Printable(frame->code.empty() ? frame->function : frame->code, 100)),
            {frame->cite, hit.cite});
        finding.rank = hit.rank;
      }
      break;
    }
    case Place::kUnknown: break;
  }
  if (place == Place::kInit || place == Place::kLoad) return;
  const std::string_view unit = place == Place::kEvaluation ? "batches of this evaluation" : "steps";
  const bool opt_state = place == Place::kOptimizer && failure.traceback != nullptr && MakesOptimizerState(*failure.traceback);
  if (steps.completed >= kLate || steps.epochs >= kLateEpochs) {
    std::vector<Citation> cites{hit.cite};
    if (steps.last) cites.push_back(*steps.last);
    out.Add("oom-phase", "oom-step-late",
            steps.completed >= kLate ? fmt::format("Memory ran out after at least {:.0f} completed {}.", steps.completed, unit)
                                     : fmt::format("Memory ran out after {:.0f} whole epochs.", steps.epochs),
            std::move(cites));
  } else if (compiling || opt_state || (steps.counted && steps.completed == 0 && steps.epochs == 0)) {
    if (out.Has("resumed-run")) return;  // the first step of this process, and a later one of the run
    std::vector<Citation> cites{hit.cite};
    if (steps.last) cites.push_back(*steps.last);
    out.Add("oom-phase", "oom-step-first",
            compiling ? std::string("The compiled program of the step did not fit before it ran once.")
                      : fmt::format("Memory ran out before the first of the {} was complete.", unit),
            std::move(cites));
  } else if (!steps.counted) {
    out.NotChecked("oom-step-first", "nothing in the log counted steps before the failure");
    out.NotChecked("oom-step-late", "nothing in the log counted steps before the failure");
  }
}

}  // namespace

extern const Rule oom_phase;
constinit const Rule oom_phase{
    .id = "oom-phase",
    .title = "In which phase and after how many steps memory ran out",
    .looks_at = "frames of the failing traceback, steps and progress bars before it",
    .yields = kYields,
    .asks = kAsks,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
