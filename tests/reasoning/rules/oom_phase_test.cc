// SPDX-License-Identifier: Apache-2.0
#include "tests/support/rule_check.h"

namespace assay {
namespace {

using testing::ConcludeFromText;
using testing::Ids;
using testing::IsNotChecked;

constexpr std::string_view kRule = "oom-phase";
constexpr std::string_view kMessage =
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 224.00 MiB. GPU 0 has a total capacity of 79.19 GiB of which "
    "141.06 MiB is free. "
    "Including non-PyTorch memory, this process has 79.04 GiB memory in use. Of the allocated memory 78.11 GiB is allocated by "
    "PyTorch, and 228.94 MiB "
    "is reserved by PyTorch but unallocated.\n";

struct Frame {
  std::string_view file;
  std::string_view function;
  std::string_view code;
};
std::string Trace(std::initializer_list<Frame> frames, std::string_view message = kMessage) {
  std::string text = "Traceback (most recent call last):\n";
  for (const Frame& f : frames) {
    text +=
        "  File \"" + std::string(f.file) + "\", line 10, in " + std::string(f.function) + "\n    " + std::string(f.code) + "\n";
  }
  return text + std::string(message);
}
std::string Concluded(const std::string& log) { return Ids(ConcludeFromText(kRule, log), kRule); }
std::string Rows(int from, int to, int by) {
  std::string text;
  for (int i = from; i <= to; i += by) text += "step " + std::to_string(i) + " loss 2.31 lr 1.0e-04\n";
  return text;
}

constexpr std::string_view kLib = "/venv/lib/python3.11/site-packages/torch/nn/modules/module.py";
constexpr std::string_view kAdam = "/venv/lib/python3.11/site-packages/torch/optim/adam.py";

TEST(OomPhase, FirstOptimizerStepUnderABarThatHasNotMoved) {
  EXPECT_EQ(
      Concluded("  0%|          | 0/51760 [00:00<?, ?it/s]\n" +
                Trace({{"train.py", "<module>", "trainer.train()"},
                       {"/venv/lib/python3.12/site-packages/accelerate/optimizer.py", "step", "self.optimizer.step(closure)"},
                       {kAdam, "_init_group", "state[\"exp_avg_sq\"] = torch.zeros_like("}})),
      "oom-at-opt-first oom-step-first");
}

TEST(OomPhase, ALaterOptimizerStepIsNotTheFirst) {
  EXPECT_EQ(Concluded(Rows(10, 5000, 10) +
                      Trace({{"train.py", "main", "optimizer.step()"}, {kAdam, "_multi_tensor_adam", "torch._foreach_sqrt(x)"}})),
            "oom-step-late");
}

TEST(OomPhase, ForwardInsideTheOptimizersClosureIsForward) {
  EXPECT_EQ(Concluded(Trace({{"/venv/lib/python3.11/site-packages/lightning/pytorch/core/module.py", "optimizer_step",
                              "optimizer.step(closure=closure)"},
                             {kAdam, "step", "loss = closure()"},
                             {"model.py", "training_step", "out = self(x)"},
                             {kLib, "_call_impl", "return forward_call(*args, **kwargs)"},
                             {"model.py", "forward", "return self.net(x)"}})),
            "oom-at-forward");
}

TEST(OomPhase, RecomputationInTheBackwardPassIsBackward) {
  EXPECT_EQ(Concluded(Rows(1, 3, 1) +
                      Trace({{"train.py", "main", "loss.backward()"},
                             {"/venv/lib/python3.11/site-packages/torch/_tensor.py", "backward", "torch.autograd.backward("},
                             {"/venv/lib/python3.11/site-packages/torch/utils/checkpoint.py", "unpack_hook",
                              "frame.recompute_fn(*args)"},
                             {kLib, "_call_impl", "return forward_call(*args, **kwargs)"},
                             {"model.py", "forward", "return self.mlp(x)"}})),
            "oom-at-backward");
}

TEST(OomPhase, LoadingACheckpoint) {
  EXPECT_EQ(
      Concluded("resuming from out/step_4000\n" +
                Trace({{"train.py", "main", "load_weights(model, args.resume)"},
                       {"checkpointing.py", "load_weights", "shard = load_file(path, device=\"cuda\")"},
                       {"/venv/lib/python3.11/site-packages/safetensors/torch.py", "load_file", "result[k] = f.get_tensor(k)"}})),
      "oom-at-load");
}

TEST(OomPhase, LoadingDataIsNoLoadingOfWeights) {
  EXPECT_EQ(Concluded(Trace({{"train.py", "main", "x = load_batch(path).cuda()"},
                             {"data.py", "load_data_batch", "return torch.stack(items).cuda()"}})),
            "");
}

TEST(OomPhase, MovingTheModelToTheDevice) {
  EXPECT_EQ(Concluded(Trace({{"train.py", "main", "model.to(device)"},
                             {kLib, "to", "return self._apply(convert)"},
                             {kLib, "convert", "return t.to("}})),
            "oom-at-init");
  // A module that is moved in the middle of a run.
  EXPECT_EQ(Concluded(Rows(1, 200, 1) +
                      Trace({{"train.py", "main", "teacher.to(device)"}, {kLib, "to", "return self._apply(convert)"}})),
            "");
}

TEST(OomPhase, JoiningTheOutputsOfAnEvaluation) {
  const std::string bar = "Evaluating:  31%|###1      | 18204/58692 [17:02<37:54, 17.80it/s]\n";
  EXPECT_EQ(Concluded("Evaluating:   0%|          | 0/58692 [00:00<?, ?it/s]\n" + bar +
                      Trace({{"run.py", "main", "trainer.predict(test)"},
                             {"/venv/lib/python3.8/site-packages/transformers/trainer.py", "prediction_loop",
                              "preds = logits if preds is None else torch.cat("}})),
            "oom-at-eval oom-in-gather oom-step-late");
}

TEST(OomPhase, AModelThatJoinsItsFeatureMapsInAnEvaluation) {
  EXPECT_EQ(Concluded(Trace({{"train.py", "validate", "out = net(img)"},
                             {kLib, "_call_impl", "return forward_call(*args, **kwargs)"},
                             {"unet.py", "forward", "d2 = self.dec2(torch.cat([self.up2(d3), features], dim=1))"}})),
            "oom-at-eval");
}

TEST(OomPhase, TrainAndEvaluateIsNoEvaluation) {
  EXPECT_EQ(
      Concluded(Trace({{"main.py", "train_and_evaluate", "loss = model(batch)"}, {"model.py", "forward", "return self.net(x)"}})),
      "oom-at-forward");
}

TEST(OomPhase, LateByRows) {
  const Findings findings = ConcludeFromText(
      kRule, Rows(20, 3200, 20) + Trace({{"train.py", "main", "out = net(img)"}, {"unet.py", "forward", "return x"}}));
  EXPECT_EQ(Ids(findings, kRule), "oom-at-forward oom-step-late");
}

TEST(OomPhase, NeitherFirstNorLateAfterAFewSteps) {
  EXPECT_EQ(Concluded(Rows(1, 40, 1) + Trace({{"train.py", "main", "out = net(img)"}, {"unet.py", "forward", "return x"}})),
            "oom-at-forward");
}

TEST(OomPhase, StepsOfAResumedRunCountFromItsStart) {
  EXPECT_EQ(Concluded("Resuming from checkpoint out/40000.pt\n" + Rows(40010, 40030, 10) +
                      Trace({{"train.py", "main", "out = net(img)"}, {"unet.py", "forward", "return x"}})),
            "oom-at-forward");
}

TEST(OomPhase, AnEpochBarAtZeroIsNoFirstStep) {
  const Findings findings =
      ConcludeFromText(kRule, "Epoch:   0%|          | 0/10 [00:00<?, ?it/s]\n" +
                                  Trace({{"train.py", "main", "out = net(img)"}, {"unet.py", "forward", "return x"}}));
  EXPECT_EQ(Ids(findings, kRule), "oom-at-forward");
  EXPECT_TRUE(IsNotChecked(findings, "oom-step-first"));
}

TEST(OomPhase, BarsOfPreparationCountNoSteps) {
  const Findings findings =
      ConcludeFromText(kRule, "Loading checkpoint shards: 100%|##########| 3/3 [00:09<00:00,  3.30s/it]\n" +
                                  Trace({{"train.py", "main", "out = net(img)"}, {"unet.py", "forward", "return x"}}));
  EXPECT_EQ(Ids(findings, kRule), "oom-at-forward");
}

TEST(OomPhase, ACompiledProgramThatDoesNotFit) {
  EXPECT_EQ(Concluded(Trace({{"train.py", "main", "state, metrics = train_step(state, batch)"}},
                            "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: XLA:TPU compile permanent error. Ran out "
                            "of memory in memory space "
                            "hbm. Used 20.12G of 15.48G hbm. Exceeded hbm capacity by 4.64G.\n")),
            "oom-step-first");
}

TEST(OomPhase, ASignalOfAWorkerSaysNothingOfThePhase) {
  EXPECT_EQ(Concluded(Trace({{"train.py", "train", "loss.backward()"},
                             {"/venv/lib/python3.8/site-packages/torch/autograd/__init__.py", "backward",
                              "Variable._execution_engine.run_backward("},
                             {"/venv/lib/python3.8/site-packages/torch/utils/data/_utils/signal_handling.py", "handler",
                              "_error_if_any_worker_fails()"}},
                            "RuntimeError: DataLoader worker (pid 4242) is killed by signal: Killed. \n")),
            "");
}

TEST(OomPhase, NoFailureNoPhase) { EXPECT_EQ(Concluded(Rows(1, 100, 1)), ""); }

}  // namespace
}  // namespace assay
