// SPDX-License-Identifier: Apache-2.0
#pragma once

// Log signatures that a user wrote, in the format of knowledge/signatures/ (knowledge/README.md); `frameworks` and `versions` may
// be left out. What the build checks of the shipped ones is checked here when they are read: the samples must match and the
// counter samples must not. A file or an entry that is unsound is refused with its place, and the others count.

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/tables.h"
#include "platform/file_system.h"

namespace assay {

class UserSignatures {
 public:
  struct Refused {
    std::string path;
    std::string why;
  };

  // Reads every *.toml of `folder`, in the order of their names; a folder that is not there holds none. `shown` is how reports
  // name the folder, and becomes the family of its signatures.
  void Load(const FileSystem& files, const std::string& folder, std::string_view shown);

  // Views live as long as this object; Load makes former spans invalid.
  std::span<const Signature> all() const { return signatures_; }
  const std::vector<Refused>& refused() const { return refused_; }

  // nullptr when there is none.
  const Signature* Find(std::string_view id) const;

 private:
  void LoadFile(const FileSystem& files, const std::string& path, const std::string& shown);
  std::string Fault(const Signature& signature) const;  // empty: sound

  std::string_view Keep(std::string text) { return texts_.emplace_back(std::move(text)); }
  Texts Keep(std::vector<std::string_view> list) { return lists_.emplace_back(std::move(list)); }

  std::deque<std::string> texts_;
  std::deque<std::vector<std::string_view>> lists_;
  std::vector<Signature> signatures_;
  std::vector<Refused> refused_;
};

}  // namespace assay
