// SPDX-License-Identifier: Apache-2.0
#include "tests/support/rule_check.h"

namespace assay {
namespace {

using testing::ConcludeFromText;
using testing::Ids;
using testing::IsNotChecked;

constexpr std::string_view kRule = "device-request-numbers";

std::string Concluded(std::string_view log) { return Ids(ConcludeFromText(kRule, log), kRule); }

TEST(DeviceRequestNumbers, SmallRequestOnAFullCard) {
  EXPECT_EQ(
      Concluded(
          "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 10.76 GiB total capacity; 9.60 GiB already "
          "allocated; 10.56 MiB free; 9.71 GiB reserved in total by PyTorch)\n"),
      "ask-small alone-on-device");
}

TEST(DeviceRequestNumbers, SmallRequestWhileMuchIsUnallocatedIsNoDrop) {
  EXPECT_EQ(
      Concluded(
          "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 23.70 GiB total capacity; 15.10 GiB already "
          "allocated; 11.50 MiB free; 22.80 GiB reserved in total by PyTorch)\n"),
      "frag-unallocated alone-on-device");
}

TEST(DeviceRequestNumbers, OldWordingCountsCachedBesideAllocated) {
  EXPECT_EQ(
      Concluded(
          "RuntimeError: CUDA out of memory. Tried to allocate 38.00 MiB (GPU 3; 10.92 GiB total capacity; 9.88 GiB already "
          "allocated; 11.50 MiB free; 214.93 MiB cached)\n"),
      "ask-small alone-on-device");
}

TEST(DeviceRequestNumbers, ACutLineDoesNotSayHowMuchWasUnused) {
  constexpr std::string_view kCut =
      "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.90 GiB. GPU 0 has a total capacity of 15.77 GiB of which "
      "512.06 MiB is free. Including non-PyTorch memory, this process has 15.26 GiB memory in use. Of the allocated me";
  const Findings cut = ConcludeFromText(kRule, kCut);
  EXPECT_EQ(Ids(cut, kRule), "alone-on-device");
  EXPECT_TRUE(IsNotChecked(cut, "ask-large"));
  EXPECT_EQ(Concluded(std::string(kCut) + "\n"), "alone-on-device");
}

TEST(DeviceRequestNumbers, LargeAndImpossible) {
  EXPECT_EQ(Concluded("RuntimeError: CUDA out of memory. Tried to allocate 5.05 GiB (GPU 2; 10.76 GiB total capacity; 4.31 GiB "
                      "already allocated; "
                      "4.87 GiB free; 5.02 GiB reserved in total by PyTorch)\n"),
            "ask-large alone-on-device");
  EXPECT_EQ(Concluded("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 298.02 GiB. GPU 0 has a total capacity of "
                      "23.68 GiB of which "
                      "20.10 GiB is free. Including non-PyTorch memory, this process has 3.57 GiB memory in use. Of the "
                      "allocated memory 3.01 GiB is "
                      "allocated by PyTorch, and 60.02 MiB is reserved by PyTorch but unallocated.\n"),
            "ask-impossible ask-large alone-on-device");
}

TEST(DeviceRequestNumbers, PrivatePoolsAreNoFragmentation) {
  EXPECT_EQ(Concluded("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 512.00 MiB. GPU 0 has a total capacity of "
                      "79.11 GiB of which "
                      "211.06 MiB is free. Including non-PyTorch memory, this process has 78.90 GiB memory in use. Of the "
                      "allocated memory 66.92 GiB "
                      "is allocated by PyTorch, with 10.40 GiB allocated in private pools (e.g., CUDA Graphs), and 10.90 GiB is "
                      "reserved by PyTorch "
                      "but unallocated.\n"),
            "alone-on-device");
}

TEST(DeviceRequestNumbers, AnotherProcessHoldsTheDevice) {
  EXPECT_EQ(
      Concluded(
          "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.31 GiB. GPU 0 has a total capacity of 23.57 GiB of "
          "which "
          "902.44 MiB is free. Process 3312907 has 17.42 GiB memory in use. Including non-PyTorch memory, this process has 5.25 "
          "GiB "
          "memory in use. Of the allocated memory 4.66 GiB is allocated by PyTorch, and 171.20 MiB is reserved by PyTorch but "
          "unallocated.\n"),
      "others-on-device would-fit-alone");
}

TEST(DeviceRequestNumbers, AnotherProcessIsThereButTheRequestWouldNotFitEither) {
  EXPECT_EQ(
      Concluded(
          "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.00 GiB. GPU 0 has a total capacity of 23.57 GiB of "
          "which "
          "102.44 MiB is free. Process 3312907 has 2.42 GiB memory in use. Including non-PyTorch memory, this process has 21.00 "
          "GiB "
          "memory in use. Of the allocated memory 20.16 GiB is allocated by PyTorch, and 171.20 MiB is reserved by PyTorch but "
          "unallocated.\n"),
      "ask-large others-on-device");
}

TEST(DeviceRequestNumbers, ASmallTenantAsADisplayServerIsBelowTheThreshold) {
  EXPECT_EQ(
      Concluded(
          "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 134.00 MiB. GPU 0 has a total capacity of 23.57 GiB of "
          "which "
          "102.44 MiB is free. Process 2210 has 350.00 MiB memory in use. Including non-PyTorch memory, this process has 23.10 "
          "GiB "
          "memory in use. Of the allocated memory 22.46 GiB is allocated by PyTorch, and 71.20 MiB is reserved by PyTorch but "
          "unallocated.\n"),
      "");
}

TEST(DeviceRequestNumbers, RanksOfTheRunOnOneDevice) {
  const std::string message =
      "[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 256.00 MiB. GPU 0 has a total capacity of 79.10 "
      "GiB of which 21.06 MiB "
      "is free. Process 90 has 18.11 GiB memory in use. Process 91 has 18.11 GiB memory in use. Process 92 has 18.12 GiB memory "
      "in use. Including "
      "non-PyTorch memory, this process has 12.97 GiB memory in use. Of the allocated memory 12.37 GiB is allocated by PyTorch, "
      "and 81.50 MiB is "
      "reserved by PyTorch but unallocated.\n";
  EXPECT_EQ(Concluded("[rank0]: ready\n[rank1]: ready\n[rank2]: ready\n" + message), "own-ranks-on-one-device");
  // Two processes of other sizes on the own device of a run without ranks are tenants.
  EXPECT_EQ(Concluded("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 256.00 MiB. GPU 0 has a total capacity of "
                      "79.10 GiB of which 21.06 "
                      "MiB is free. Process 90 has 40.11 GiB memory in use. Process 91 has 20.11 GiB memory in use. Including "
                      "non-PyTorch memory, this "
                      "process has 18.80 GiB memory in use. Of the allocated memory 18.00 GiB is allocated by PyTorch, and 81.50 "
                      "MiB is reserved by "
                      "PyTorch but unallocated.\n"),
            "others-on-device would-fit-alone");
}

TEST(DeviceRequestNumbers, PidsThatTheRunNamesAreItsOwn) {
  EXPECT_EQ(
      Concluded(
          "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 256.00 MiB. GPU 0 has a total capacity of 79.10 GiB of "
          "which 21.06 "
          "MiB is free. Process 4411 has 40.11 GiB memory in use. Including non-PyTorch memory, this process has 38.80 GiB "
          "memory in use. "
          "Of the allocated memory 38.00 GiB is allocated by PyTorch, and 81.50 MiB is reserved by PyTorch but unallocated.\n"
          "W0101 10:00:00.000000 4400 torch/distributed/elastic/multiprocessing/api.py:897] Sending process 4411 closing signal "
          "SIGTERM\n"),
      "own-ranks-on-one-device");
}

TEST(DeviceRequestNumbers, OldWordingDoesNotSayWhoHoldsTheRest) {
  const Findings findings = ConcludeFromText(kRule,
                                             "RuntimeError: CUDA out of memory. Tried to allocate 392.00 MiB (GPU 0; 11.17 GiB "
                                             "total capacity; 2.10 GiB already allocated; "
                                             "100.56 MiB free; 2.31 GiB reserved in total by PyTorch)\n");
  EXPECT_EQ(Ids(findings, kRule), "device-held-outside");
  EXPECT_TRUE(IsNotChecked(findings, "others-on-device"));
}

TEST(DeviceRequestNumbers, MuchOutsideTheAllocatorOfThisProcess) {
  EXPECT_EQ(Concluded("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 512.00 MiB. GPU 5 has a total capacity of "
                      "79.11 GiB of which "
                      "101.06 MiB is free. Including non-PyTorch memory, this process has 79.00 GiB memory in use. Of the "
                      "allocated memory 65.92 GiB is "
                      "allocated by PyTorch, and 1.20 GiB is reserved by PyTorch but unallocated.\n"),
            "alone-on-device outside-allocator-large");
}

TEST(DeviceRequestNumbers, TwoFrameworksOnOneDevice) {
  EXPECT_EQ(Concluded("2026-01-05 10:00:00.000000: I tensorflow/core/common_runtime/gpu/gpu_device.cc:1635] Created device "
                      "/job:localhost/replica:0/task:0/device:GPU:0 with 21101 MB memory:  -> device: 0, name: NVIDIA A10G\n"
                      "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 22.20 GiB total capacity; 0.42 GiB "
                      "already allocated; "
                      "10.56 MiB free; 0.44 GiB reserved in total by PyTorch)\n"),
            "ask-small device-held-outside second-framework");
}

TEST(DeviceRequestNumbers, ACutMessageLeavesTheDeviceUnknown) {
  const Findings findings = ConcludeFromText(kRule, "RuntimeError: CUDA out of memory. Tried to allocate 2.20 GiB\n");
  EXPECT_EQ(Ids(findings, kRule), "");
  EXPECT_TRUE(IsNotChecked(findings, "ask-large"));
}

TEST(DeviceRequestNumbers, AMetalMessageHasNoDeviceBesideItsCeiling) {
  EXPECT_EQ(Concluded("RuntimeError: MPS backend out of memory (MPS allocated: 15.02 GB, other allocations: 1.40 GB, max "
                      "allowed: 18.13 GB). Tried to "
                      "allocate 2.00 GB on private pool. Use PYTORCH_MPS_HIGH_WATERMARK_RATIO=0.0 to disable upper limit for "
                      "memory allocations (may "
                      "cause system failure).\n"),
            "ask-large");
}

TEST(DeviceRequestNumbers, SizesOnTheLinesBelow) {
  EXPECT_EQ(
      Concluded("torch.cuda.OutOfMemoryError: Allocation on device 0 would exceed allowed memory. (out of memory)\n"
                "Currently allocated     : 16.10 GiB\nRequested               : 5.50 GiB\nDevice limit            : 23.68 GiB\n"
                "Free (according to CUDA): 21.06 MiB\n"),
      "ask-large");
}

TEST(DeviceRequestNumbers, TheMatrixLibrary) {
  EXPECT_EQ(Concluded("RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`\n"),
            "workspace-error");
}

TEST(DeviceRequestNumbers, AFailureThatTheRunSurvivesSaysNothing) {
  std::string log =
      "RuntimeError: CUDA out of memory. Tried to allocate 5.05 GiB (GPU 2; 10.76 GiB total capacity; 4.31 GiB already "
      "allocated; 4.87 GiB free; 5.02 "
      "GiB reserved in total by PyTorch)\n";
  for (int i = 1; i <= 9; ++i) log += "{'loss': 2.0, 'learning_rate': 1e-05, 'epoch': " + std::to_string(i) + ".0}\n";
  EXPECT_EQ(Concluded(log), "");
}

TEST(DeviceRequestNumbers, ADamagedMessageLeavesReservedMemoryUnknown) {
  const auto log = [](std::string_view joint) {
    return "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.90 GiB. GPU 0 has a total capacity of 15.77 GiB "
           "of "
           "which 512.06 MiB is free. Including non-PyTorch memory, this process has 15.26 GiB memory in use. Of" +
           std::string(joint) +
           "the allocated memory 14.61 GiB is allocated by PyTorch, and 100.00 MiB is reserved by PyTorch but unallocated.\n";
  };
  EXPECT_NE(Concluded(log(" ")).find("ask-large"), std::string::npos);
  EXPECT_EQ(Concluded(log("\xa0")).find("ask-large"), std::string::npos);
  EXPECT_EQ(Concluded(log(" ").substr(0, log(" ").find("reserved")) + "resarved by PyTorch.\n").find("ask-large"),
            std::string::npos);
}

}  // namespace
}  // namespace assay
