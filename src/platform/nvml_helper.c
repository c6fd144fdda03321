// SPDX-License-Identifier: Apache-2.0
// The one dynamic program in assay: a static executable cannot load the NVIDIA driver's library, and a driver call that hangs must not
// hang assay. This program is embedded, started from memory, asks NVML, writes JSON lines to standard output and ends. It has its own
// _start and uses nothing newer than GLIBC_2.2.5, so that one build runs on every x86-64 glibc.
//
// {"driver":"550.54"}                                       once
// {"gpu":0,"name":…,"uuid":…,"bus":…,"memory_used":…,…}     for each device; a call that is missing or refused leaves its member out
// {"error":"…"}                                             instead, when there is nothing to ask
//
// Argument: the library to load instead of the usual places. The declarations are ours, after the documented ABI of NVML.

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

__asm__(".symver dlopen,dlopen@GLIBC_2.2.5");
__asm__(".symver dlsym,dlsym@GLIBC_2.2.5");
extern void* dlopen(const char*, int);
extern void* dlsym(void*, const char*);

__asm__(".globl _start\n"
        "_start:\n"
        "  xor %ebp,%ebp\n"
        "  mov %rdx,%r9\n"
        "  pop %rsi\n"
        "  mov %rsp,%rdx\n"
        "  and $-16,%rsp\n"
        "  push %rax\n"
        "  push %rsp\n"
        "  xor %r8d,%r8d\n"
        "  xor %ecx,%ecx\n"
        "  lea main(%rip),%rdi\n"
        "  call *start_main(%rip)\n"
        "  hlt\n");
__asm__(".symver __libc_start_main,__libc_start_main@GLIBC_2.2.5");
extern int __libc_start_main(int (*)(int, char**, char**), int, char**, void (*)(void), void (*)(void), void (*)(void), void*);
int main(int argc, char** argv, char** environment);
__attribute__((used)) static int (*start_main)(int (*)(int, char**, char**), int, char**, void (*)(void), void (*)(void), void (*)(void),
                                               void*) = __libc_start_main;

typedef void* Device;
typedef struct { unsigned long long total, free, used; } Memory;
typedef struct { unsigned gpu, memory; } Use;
typedef struct { char legacy[16]; unsigned domain, bus, device, id, subsystem; char name[32]; } Pci;
typedef struct { unsigned pid; unsigned long long memory; unsigned gpu_instance, compute_instance; } Process;

enum { kMaxProcesses = 256, kDeadlineSeconds = 2 };
static const char* const kPlaces[] = {"libnvidia-ml.so.1", "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1", "/usr/lib64/libnvidia-ml.so.1",
                                      "/usr/local/nvidia/lib64/libnvidia-ml.so.1", "/usr/lib/wsl/lib/libnvidia-ml.so.1"};
static void* library;

static void Text(const char* name, const char* text) {
  printf("\"%s\":\"", name);
  for (; *text != 0; ++text) {
    const unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\') putchar('\\');
    if (c >= 0x20 && c < 0x7f) putchar(c);
  }
  putchar('"');
}

static int Fail(const char* why) {
  putchar('{');
  Text("error", why);
  puts("}");
  fflush(stdout);
  return 1;
}

// The function, or null: older and newer drivers lack some.
static void* Find(const char* name) { return dlsym(library, name); }

static void Unsigned(const char* name, int (*call)(Device, unsigned*), Device device) {
  unsigned value = 0;
  if (call != NULL && call(device, &value) == 0) printf(",\"%s\":%u", name, value);
}

static void WithKind(const char* name, int (*call)(Device, int, unsigned*), Device device, int kind) {
  unsigned value = 0;
  if (call != NULL && call(device, kind, &value) == 0) printf(",\"%s\":%u", name, value);
}

static void Processes(Device device) {
  int (*call)(Device, unsigned*, Process*) = (int (*)(Device, unsigned*, Process*))Find("nvmlDeviceGetComputeRunningProcesses_v3");
  static Process list[kMaxProcesses];
  unsigned count = kMaxProcesses;
  memset(list, 0, sizeof list);
  if (call == NULL || call(device, &count, list) != 0) return;
  printf(",\"processes\":[");
  for (unsigned i = 0; i < count && i < kMaxProcesses; ++i) {
    // All bits set: the driver does not say, as under WSL.
    const unsigned long long memory = list[i].memory == ~0ULL ? 0 : list[i].memory;
    printf("%s{\"pid\":%u,\"memory\":%llu}", i == 0 ? "" : ",", list[i].pid, memory);
  }
  printf("]");
}

static void Report(unsigned index, Device device) {
  char text[96];
  printf("{\"gpu\":%u", index);
  int (*name)(Device, char*, unsigned) = (int (*)(Device, char*, unsigned))Find("nvmlDeviceGetName");
  if (name != NULL && name(device, text, sizeof text) == 0) putchar(','), Text("name", text);
  int (*uuid)(Device, char*, unsigned) = (int (*)(Device, char*, unsigned))Find("nvmlDeviceGetUUID");
  if (uuid != NULL && uuid(device, text, sizeof text) == 0) putchar(','), Text("uuid", text);
  int (*pci)(Device, Pci*) = (int (*)(Device, Pci*))Find("nvmlDeviceGetPciInfo_v3");
  Pci bus;
  memset(&bus, 0, sizeof bus);
  if (pci != NULL && pci(device, &bus) == 0) bus.name[sizeof bus.name - 1] = 0, putchar(','), Text("bus", bus.name);
  int (*memory)(Device, Memory*) = (int (*)(Device, Memory*))Find("nvmlDeviceGetMemoryInfo");
  Memory m;
  if (memory != NULL && memory(device, &m) == 0) printf(",\"memory_total\":%llu,\"memory_free\":%llu,\"memory_used\":%llu", m.total, m.free, m.used);
  int (*use)(Device, Use*) = (int (*)(Device, Use*))Find("nvmlDeviceGetUtilizationRates");
  Use u;
  if (use != NULL && use(device, &u) == 0) printf(",\"utilisation\":%u,\"memory_utilisation\":%u", u.gpu, u.memory);
  WithKind("temperature", (int (*)(Device, int, unsigned*))Find("nvmlDeviceGetTemperature"), device, 0);
  WithKind("clock_sm", (int (*)(Device, int, unsigned*))Find("nvmlDeviceGetClockInfo"), device, 1);
  Unsigned("power_milliwatts", (int (*)(Device, unsigned*))Find("nvmlDeviceGetPowerUsage"), device);
  Unsigned("power_limit_milliwatts", (int (*)(Device, unsigned*))Find("nvmlDeviceGetEnforcedPowerLimit"), device);
  Unsigned("power_default_limit_milliwatts", (int (*)(Device, unsigned*))Find("nvmlDeviceGetPowerManagementDefaultLimit"), device);
  int (*reasons)(Device, unsigned long long*) = (int (*)(Device, unsigned long long*))Find("nvmlDeviceGetCurrentClocksEventReasons");
  if (reasons == NULL) reasons = (int (*)(Device, unsigned long long*))Find("nvmlDeviceGetCurrentClocksThrottleReasons");
  unsigned long long bits = 0;
  if (reasons != NULL && reasons(device, &bits) == 0) printf(",\"throttle\":%llu", bits);
  int (*ecc)(Device, int, int, unsigned long long*) = (int (*)(Device, int, int, unsigned long long*))Find("nvmlDeviceGetTotalEccErrors");
  unsigned long long errors = 0;
  if (ecc != NULL && ecc(device, 1, 0, &errors) == 0) printf(",\"ecc_uncorrected\":%llu", errors);
  int (*rows)(Device, unsigned*, unsigned*, unsigned*, unsigned*) =
      (int (*)(Device, unsigned*, unsigned*, unsigned*, unsigned*))Find("nvmlDeviceGetRemappedRows");
  unsigned corrected = 0, uncorrected = 0, pending = 0, failed = 0;
  if (rows != NULL && rows(device, &corrected, &uncorrected, &pending, &failed) == 0) {
    printf(",\"remap_pending\":%u,\"remap_failed\":%u", pending, failed);
  }
  Processes(device);
  puts("}");
  fflush(stdout);
}

int main(int argc, char** argv, char** environment) {
  (void)environment;
  alarm(kDeadlineSeconds);  // a driver call may never come back, and then nobody else ends this process
  if (argc > 1) {
    library = dlopen(argv[1], 2);
  } else {
    for (size_t i = 0; library == NULL && i < sizeof kPlaces / sizeof kPlaces[0]; ++i) library = dlopen(kPlaces[i], 2);
  }
  if (library == NULL) return Fail("the NVIDIA driver's library libnvidia-ml.so.1 is not on this machine");
  int (*start)(void) = (int (*)(void))Find("nvmlInit_v2");
  int (*count)(unsigned*) = (int (*)(unsigned*))Find("nvmlDeviceGetCount_v2");
  int (*handle)(unsigned, Device*) = (int (*)(unsigned, Device*))Find("nvmlDeviceGetHandleByIndex_v2");
  const char* (*error)(int) = (const char* (*)(int))Find("nvmlErrorString");
  if (start == NULL || count == NULL || handle == NULL) return Fail("the NVIDIA driver's library is too old to be asked");
  const int refused = start();
  if (refused != 0) return Fail(error != NULL ? error(refused) : "the NVIDIA driver could not be started");
  char driver[96];
  int (*version)(char*, unsigned) = (int (*)(char*, unsigned))Find("nvmlSystemGetDriverVersion");
  if (version != NULL && version(driver, sizeof driver) == 0) {
    putchar('{');
    Text("driver", driver);
    puts("}");
    fflush(stdout);
  }
  unsigned devices = 0;
  if (count(&devices) != 0) return Fail("the NVIDIA driver does not say how many devices there are");
  for (unsigned i = 0; i < devices; ++i) {
    Device device = NULL;
    if (handle(i, &device) == 0) Report(i, device);
  }
  return 0;
}
