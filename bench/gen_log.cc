// SPDX-License-Identifier: Apache-2.0
// gen_log BYTES FILE [quiet]: writes a training log of about that size, the same for the same size: bars of tqdm between carriage
// returns (about 55 % of the bytes), dict lines of the Hugging Face Trainer, iteration lines of Megatron-LM, ordinary chatter,
// tracebacks that were survived, and twenty needle lines spread evenly. A quiet log holds no line of metrics, so that reading it
// leaves little.

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

constexpr std::array<std::string_view, 20> kNeedles{
    "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.50 GiB (GPU 2; 79.15 GiB total capacity; 76.02 GiB "
    "already "
    "allocated; 512.00 MiB free; 77.10 GiB reserved in total by PyTorch)",
    "RuntimeError: CUDA error: device-side assert triggered",
    "[rank3]:[E ProcessGroupNCCL.cpp:616] [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=808, "
    "OpType=ALLREDUCE, "
    "NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600021 milliseconds before timing out.",
    "RuntimeError: DataLoader worker (pid 4242) is killed by signal: Killed.",
    "OSError: [Errno 28] No space left on device",
    "slurmstepd: error: *** JOB 4711 ON node17 CANCELLED AT 2026-01-01T12:00:01 DUE TO TIME LIMIT ***",
    "RuntimeError: mat1 and mat2 shapes cannot be multiplied (8x512 and 768x512)",
    "RuntimeError: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`",
    "[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 65536, reducing to 32768",
    "RuntimeError: Function 'ExpBackward0' returned nan values in its 0th output.",
    "[123456.789012] NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, name=python, GPU has fallen off the bus.",
    "RuntimeError: Error(s) in loading state_dict for Net:",
    "UserWarning: Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should call "
    "them in the "
    "opposite order: `optimizer.step()` before `lr_scheduler.step()`.",
    "RuntimeError: received 0 items of ancdata",
    "ImportError: flash_attn_2_cuda.so: undefined symbol: _ZN2at4_ops5zeros4callEv",
    "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm).",
    "slurmstepd: error: Detected 1 oom-kill event(s) in step 4711.batch cgroup. Some of your processes may have been killed by "
    "the cgroup "
    "out-of-memory handler.",
    "RuntimeError: Socket Timeout",
    "Exception: Current loss scale already at minimum - cannot decrease scale anymore. Exiting run.",
    "Killed"};

class Random {
 public:
  std::uint64_t Next() {
    state_ ^= state_ << 13U;
    state_ ^= state_ >> 7U;
    state_ ^= state_ << 17U;
    return state_;
  }
  std::uint64_t Below(std::uint64_t limit) { return Next() % limit; }
  double Unit() { return static_cast<double>(Next() >> 11U) * 0x1p-53; }

 private:
  std::uint64_t state_ = 0x9E3779B97F4A7C15;
};

class Log {
 public:
  Log(std::uint64_t size, bool quiet) : size_(size), quiet_(quiet) {}

  // One block of ten steps into `out`.
  void Block(std::string& out) {
    const double loss = 1.9 + 7 * std::exp(-static_cast<double>(step_) / 2e5) + 0.3 * random_.Unit();
    for (int i = 0; i < 10; ++i) Bar(out);
    out += '\n';
    if (!quiet_) Metrics(out, loss);
    if (random_.Below(4) == 0) Chatter(out);
    if (needle_ < kNeedles.size() && written_ + out.size() >= size_ / (kNeedles.size() + 1) * (needle_ + 1)) {
      out += kNeedles[needle_++];
      out += '\n';
    }
    written_ += out.size();
  }
  bool done() const { return written_ >= size_ && needle_ == kNeedles.size(); }

 private:
  void Metrics(std::string& out, double loss) {
    fmt::format_to(std::back_inserter(out), "{{'loss': {:.4f}, 'grad_norm': {}, 'learning_rate': {}, 'epoch': {:.2f}}}\n", loss,
                   0.1 + random_.Unit(), 1e-5 * (4 + random_.Unit()), static_cast<double>(step_) / 1e5);
    for (std::uint64_t i = 0; i <= random_.Below(2); ++i) Iteration(out, loss);
  }
  void Bar(std::string& out) {
    constexpr std::uint64_t kTotal = 2'000'000;
    constexpr std::array<std::string_view, 8> kEighths{" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    ++step_;
    const std::uint64_t percent = step_ * 100 / kTotal % 100;
    std::string cells;
    for (std::uint64_t i = 0; i < percent / 10; ++i) cells += "█";
    cells += kEighths[percent % 8];
    cells.append(9 - percent / 10, ' ');
    fmt::format_to(std::back_inserter(out), "\r{:3}%|{}| {}/{} [{}:{:02}:{:02}<{}:{:02}:{:02},  {:.2f}it/s]", percent, cells,
                   step_, kTotal, step_ / 7200 % 99, step_ / 120 % 60, step_ / 2 % 60, 91, random_.Below(60), random_.Below(60),
                   1.5 + random_.Unit());
  }
  void Iteration(std::string& out, double loss) {
    ++iteration_;
    fmt::format_to(
        std::back_inserter(out),
        " [2026-01-01 {:02}:{:02}:{:02}] iteration {:8}/ 5000000 | consumed samples: {:12} | elapsed time per iteration (ms): "
        "{:.1f} | learning rate: {:.3E} | global batch size:  1024 | lm loss: {:.6E} | loss scale: 1.0 | grad norm: {:.3f} | "
        "number of skipped iterations:   0 | number of nan iterations:   0 |\n",
        iteration_ / 3600 % 24, iteration_ / 60 % 60, iteration_ % 60, iteration_, iteration_ * 1024, 790 + 40 * random_.Unit(),
        1.5e-4 * random_.Unit(), loss, 0.2 + random_.Unit());
  }
  void Chatter(std::string& out) {
    const auto number = [this](std::uint64_t limit) { return random_.Below(limit); };
    auto to = std::back_inserter(out);
    switch (number(8)) {
      case 0:
        fmt::format_to(to, "node{:02}:{}:{} [{}] NCCL INFO Channel {:02}/0 : 1[1] -> 2[2] via P2P/IPC/read\n", number(64),
                       number(99999), number(99999), number(8), number(24));
        break;
      case 1:
        out +=
            "/opt/conda/lib/python3.10/site-packages/torch/utils/checkpoint.py:429: UserWarning: torch.utils.checkpoint: please "
            "pass in "
            "use_reentrant=True or use_reentrant=False explicitly.\n  warnings.warn(\n";
        break;
      case 2:
        fmt::format_to(
            to, "2026-01-01 10:{:02}:{:02},{:03} - INFO - trainer.py:1831 - Saving model checkpoint to /runs/17/checkpoint-{}\n",
            number(60), number(60), number(1000), step_);
        break;
      case 3:
        fmt::format_to(to,
                       "[2026-01-01 10:{:02}:{:02}] [INFO] [rank{}] memory (MB) | allocated: {:.3f} | max allocated: {:.3f}\n",
                       number(60), number(60), number(64), 50000 * random_.Unit(), 70000 * random_.Unit());
        break;
      case 4:
        fmt::format_to(to, "WARNING:root:batch {}: {} samples were cut to 4096 tokens; cache flushed; device map: auto\n", step_,
                       number(99));
        break;
      case 5:
        fmt::format_to(to, "[rank{}]:[W CUDAGuardImpl.h:115] Warning: expandable_segments not supported on this platform\n",
                       number(64));
        break;
      case 6: fmt::format_to(to, "wandb: Currently logged in as: trainer; step {} synced\n", step_); break;
      default:
        if (number(64) != 0) break;
        fmt::format_to(
            to,
            "Traceback (most recent call last):\n  File \"/workspace/train/data.py\", line {}, in __getitem__\n    sample = "
            "self.decode(self.shards[idx])\n  File \"/workspace/train/data.py\", line 88, in decode\n    raise "
            "ValueError(\"bad sample\")\nValueError: bad sample\nRetrying with next index ({})\n",
            number(500), number(100000));
    }
  }

  Random random_;
  std::uint64_t size_;
  bool quiet_;
  std::uint64_t written_ = 0;
  std::uint64_t step_ = 0;
  std::uint64_t iteration_ = 0;
  std::size_t needle_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const bool quiet = argc == 4 && std::string_view(argv[3]) == "quiet";
  if (argc != 3 && !quiet) return std::fputs("usage: gen_log BYTES FILE [quiet]\n", stderr), 2;
  std::FILE* file = std::fopen(argv[2], "wb");
  if (file == nullptr) return std::perror(argv[2]), 1;
  Log log(std::strtoull(argv[1], nullptr, 10), quiet);
  std::string block;
  while (!log.done()) {
    block.clear();
    log.Block(block);
    if (std::fwrite(block.data(), 1, block.size(), file) != block.size()) return std::perror(argv[2]), 1;
  }
  return std::fclose(file) == 0 ? 0 : 1;
}
