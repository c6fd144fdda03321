// SPDX-License-Identifier: Apache-2.0
// A fake of the NVIDIA driver's library for tests, on machines without a GPU: two devices that say so by their name. It hangs on the
// second device when the environment has FAKE_NVML_HANG, and refuses to start when it has FAKE_NVML_REFUSE.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct { unsigned long long total, free, used; } Memory;
typedef struct { unsigned gpu, memory; } Use;
typedef struct { char legacy[16]; unsigned domain, bus, device, id, subsystem; char name[32]; } Pci;
typedef struct { unsigned pid; unsigned long long memory; unsigned gpu_instance, compute_instance; } Process;

static int devices[2] = {0, 1};
static int IndexOf(const void* device) { return *(const int*)device; }

int nvmlInit_v2(void) { return getenv("FAKE_NVML_REFUSE") != NULL ? 9 : 0; }
const char* nvmlErrorString(int code) { return code == 9 ? "Driver Not Loaded" : "Unknown Error"; }
int nvmlSystemGetDriverVersion(char* text, unsigned size) { return snprintf(text, size, "550.54.15") < 0; }
int nvmlDeviceGetCount_v2(unsigned* count) { return *count = 2, 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  if (index == 1 && getenv("FAKE_NVML_HANG") != NULL) pause();
  return *device = &devices[index], 0;
}
int nvmlDeviceGetName(void* device, char* text, unsigned size) { return snprintf(text, size, "Fake GPU %d \"of a test\"", IndexOf(device)) < 0; }
int nvmlDeviceGetUUID(void* device, char* text, unsigned size) { return snprintf(text, size, "GPU-fake-%d", IndexOf(device)) < 0; }
int nvmlDeviceGetPciInfo_v3(void* device, Pci* pci) {
  memset(pci, 0, sizeof *pci);
  return snprintf(pci->name, sizeof pci->name, "00000000:%02X:00.0", 0x41 + IndexOf(device)) < 0;
}
int nvmlDeviceGetMemoryInfo(void* device, Memory* memory) {
  memory->total = 24ULL << 30;
  memory->used = IndexOf(device) == 0 ? 20ULL << 30 : 1ULL << 20;
  memory->free = memory->total - memory->used;
  return 0;
}
int nvmlDeviceGetUtilizationRates(void* device, Use* use) { return use->gpu = IndexOf(device) == 0 ? 97 : 0, use->memory = 41, 0; }
int nvmlDeviceGetTemperature(void* device, int sensor, unsigned* value) { return (void)device, (void)sensor, *value = 83, 0; }
int nvmlDeviceGetClockInfo(void* device, int type, unsigned* value) { return (void)device, (void)type, *value = 1275, 0; }
int nvmlDeviceGetPowerUsage(void* device, unsigned* value) { return (void)device, *value = 250500, 0; }
int nvmlDeviceGetEnforcedPowerLimit(void* device, unsigned* value) { return (void)device, *value = 300000, 0; }
int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* bits) { return *bits = IndexOf(device) == 0 ? 0x48 : 1, 0; }
// "Not supported", as boards without ECC answer.
int nvmlDeviceGetTotalEccErrors(void* device, int kind, int counter, unsigned long long* value) {
  (void)kind, (void)counter;
  return IndexOf(device) == 0 ? (*value = 2, 0) : 3;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned* count, Process* list) {
  *count = IndexOf(device) == 0 ? 2 : 0;
  if (*count == 2) {
    memset(list, 0, 2 * sizeof *list);
    list[0].pid = 4242, list[0].memory = 4ULL << 30;
    list[1].pid = 9999, list[1].memory = 16ULL << 30;
  }
  return 0;
}
