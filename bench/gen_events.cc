// SPDX-License-Identifier: Apache-2.0
// gen_events BYTES FILE [TAGS]: writes a TensorBoard event file of about that size, the same for the same arguments: one scalar
// of old style (as PyTorch's SummaryWriter writes it) a record, TAGS (default 4) series that are logged together, one value in a
// thousand NaN. "-EVERY" behind the file instead keeps few results: only every EVERY-th record holds a scalar, the others a text.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "event_frames.h"

namespace {

void AppendVarint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7U) out.push_back(static_cast<char>(value | 0x80U));
  out.push_back(static_cast<char>(value));
}

template <class T>
void AppendFixed(std::string& out, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

void AppendBytes(std::string& out, unsigned field, std::string_view bytes) {
  out.push_back(static_cast<char>(field << 3U | 2U));
  AppendVarint(out, bytes.size());
  out += bytes;
}

std::string Head(double time, std::uint64_t step) {
  std::string event = "\x09";
  AppendFixed(event, time);
  if (step > 0) {
    event += '\x10';
    AppendVarint(event, step);
  }
  return event;
}

std::string Scalar(double time, std::uint64_t step, std::string_view tag, float number) {
  std::string value;
  AppendBytes(value, 1, tag);
  value += '\x15';
  AppendFixed(value, number);
  std::string summary;
  AppendBytes(summary, 1, value);
  std::string event = Head(time, step);
  AppendBytes(event, 5, summary);
  return event;
}

// A graph definition, which no reader of scalars looks into.
std::string Other(double time, std::uint64_t step) {
  std::string event = Head(time, step);
  AppendBytes(event, 4, std::string(300, 'g'));
  return event;
}

void AppendRecord(std::string& out, const std::string& event) {
  std::string length;
  AppendFixed(length, static_cast<std::uint64_t>(event.size()));
  out += length;
  AppendFixed(out, assay::bench::MaskedCrc(std::as_bytes(std::span(length))));
  out += event;
  AppendFixed(out, assay::bench::MaskedCrc(std::as_bytes(std::span(event))));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) return std::fputs("usage: gen_events BYTES FILE [TAGS | -EVERY]\n", stderr), 2;
  const std::uint64_t size = std::strtoull(argv[1], nullptr, 10);
  const long long option = argc == 4 ? std::strtoll(argv[3], nullptr, 10) : 4;
  std::FILE* file = std::fopen(argv[2], "wb");
  if (file == nullptr) return std::perror(argv[2]), 1;
  const std::string names[] = {"train/loss", "train/grad_norm", "train/learning_rate", "perf/tokens_per_second"};
  const std::uint64_t tags = option > 0 ? static_cast<std::uint64_t>(option) : 1;
  std::string out;
  std::string first = Head(1.7e9, 0);
  AppendBytes(first, 3, "brain.Event:2");
  AppendRecord(out, first);
  std::uint64_t written = 0;
  std::uint64_t random = 0x9E3779B97F4A7C15;
  for (std::uint64_t step = 0; written + out.size() < size; ++step) {
    const double time = 1.7e9 + 0.25 * static_cast<double>(step);
    if (option < 0 && step % static_cast<std::uint64_t>(-option) != 0) {
      AppendRecord(out, Other(time, step));
    } else {
      for (std::uint64_t tag = 0; tag < tags; ++tag) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        const float number = random >> 32U < (1ULL << 32U) / 1000 ? std::nanf("") : static_cast<float>(random >> 40U) / 4096;
        const std::string name = tag < 4 ? names[tag] : "layer/" + std::to_string(tag);
        AppendRecord(out, Scalar(time + 1e-5 * static_cast<double>(tag), step, name, number));
      }
    }
    if (out.size() < (1U << 20U)) continue;
    written += out.size();
    if (std::fwrite(out.data(), 1, out.size(), file) != out.size()) return std::perror(argv[2]), 1;
    out.clear();
  }
  if (std::fwrite(out.data(), 1, out.size(), file) != out.size()) return std::perror(argv[2]), 1;
  return std::fclose(file) == 0 ? 0 : 1;
}
