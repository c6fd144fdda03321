// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether a binary container is whole, told from its directory or header and the file's size alone; no tensor is ever read. Every
// length and offset of the file is checked against its size before it is used. Memory: one window of 64 KiB.
// Formats: zip (PKWARE APPNOTE.TXT), safetensors (its README), HDF5 (File Format Specification, superblock), npy (NEP 1).

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "evidence/facts/source.h"
#include "platform/file_system.h"

namespace assay {

enum class Container {
  kNone,         // nothing that is known
  kZip,          // torch.save since 1.6, Keras, npz
  kLegacyTorch,  // torch.save before 1.6: pickles and raw data without any length
  kPickle,
  kSafetensors,
  kHdf5,
  kNpy,
  kNul,         // begins with NUL bytes
  kLfsPointer,  // the text that Git LFS leaves in place of a file
};

// From the first bytes (16 are enough for all but HDF5 files with a user block, which are not recognised).
Container SniffContainer(std::span<const std::byte> head);

struct ContainerState {
  enum class Wholeness { kWhole, kCut, kUnknown };
  Wholeness wholeness = Wholeness::kUnknown;
  std::string why;                               // half a sentence: "the zip directory is missing"; empty when whole
  AnomalyKind damage = AnomalyKind::kTruncated;  // of what is cut
  std::uint64_t at = 0;                          // from here on bytes are missing or wrong
};

// An error when the file cannot be read.
Result<ContainerState> CheckContainer(Container container, const RandomAccessFile& file);

}  // namespace assay
