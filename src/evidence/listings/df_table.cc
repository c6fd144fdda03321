// SPDX-License-Identifier: Apache-2.0
#include "evidence/listings/df_table.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"

namespace assay {
namespace {

constexpr std::size_t kMaxName = 512;

// "3.5T", "20K", "0": bytes; a bare number counts blocks.
std::optional<double> Amount(std::string_view text, double block) {
  const auto number = ParseNumberPrefix(text);
  if (!number || !std::isfinite(number->value) || number->value < 0) return std::nullopt;
  if (number->length != text.size()) return ParseByteSize(text);
  if (number->value == 0) return 0.0;
  if (block == 0) return std::nullopt;
  return number->value * block;
}

bool IsPercent(std::string_view word) {
  return word.size() >= 2 && word.size() <= 5 && word.back() == '%' && ParseInteger(word.substr(0, word.size() - 1)).has_value();
}

// `df` of another block size prints its header so: "1K-blocks", "1M-blocks", "512-blocks".
double BlockOf(std::string_view header) {
  if (header.find("Size") != std::string_view::npos) return 0;
  for (const std::string_view word : Columns(header)) {
    if (!word.ends_with("-blocks")) continue;
    return ParseByteSize(word.substr(0, word.size() - std::string_view("-blocks").size())).value_or(0);
  }
  return 0;
}

}  // namespace

bool DfTable::Take(const ListingLine& line, ListingContext& context) {
  if (line.text.starts_with("Filesystem") && line.text.find("Mounted on") != std::string_view::npos) {
    inside_ = true;
    inodes_ = line.text.find("Inodes") != std::string_view::npos;
    has_type_ = line.text.find(" Type ") != std::string_view::npos;
    block_ = inodes_ ? 1 : BlockOf(line.text);
    wrapped_.clear();
    return true;
  }
  if (!wrapped_.empty()) {
    const std::string name = std::move(wrapped_);
    wrapped_.clear();
    if (line.text.starts_with(' ') && Row(name + std::string(line.text), line, context)) return true;
  }
  if (Row(line.text, line, context)) return true;
  if (inside_ && Columns(line.text).size() == 1 && line.text.size() < kMaxName && !line.text.starts_with(' ')) {
    wrapped_ = line.text;
    return true;
  }
  inside_ = false;
  return false;
}

bool DfTable::Row(std::string_view text, const ListingLine& line, ListingContext& context) const {
  const std::vector<std::string_view> words = Columns(text);
  const auto percent = std::find_if(words.begin(), words.end(), IsPercent);
  const auto before = static_cast<std::size_t>(percent - words.begin());
  if (percent == words.end() || percent + 1 == words.end() || !(percent + 1)->starts_with('/')) return false;
  // name, perhaps the type, size, used, free, percent, mount
  if (before < 4 || before > 5 + (has_type_ ? 1U : 0U)) return false;
  const std::string mount(FromColumn(text, before + 1).substr(0, kMaxName));
  const auto size = Amount(words[before - 3], inside_ ? block_ : 0);
  const auto used = Amount(words[before - 2], inside_ ? block_ : 0);
  const auto free = Amount(words[before - 1], inside_ ? block_ : 0);
  if (!size && !used && !free) return false;
  const std::string prefix = "disk." + mount + (inodes_ && inside_ ? ".inodes" : ".");
  const std::string_view unit = inodes_ && inside_ ? "count" : "bytes";
  const auto name = [&](std::string_view part) {
    return inodes_ && inside_ ? prefix + "_" + std::string(part) : prefix + std::string(part);
  };
  if (size)
    context.Number(inodes_ && inside_ ? prefix : prefix + "size", *size, std::string(unit), line.cite,
                   std::string(words[0].substr(0, kMaxName)));
  if (used) context.Number(name("used"), *used, std::string(unit), line.cite);
  if (free) context.Number(name("free"), *free, std::string(unit), line.cite);
  if (const auto value = ParseInteger(percent->substr(0, percent->size() - 1))) {
    context.Number(name("used_percent"), static_cast<double>(*value), "percent", line.cite);
  }
  return true;
}

bool QuotaTable::Take(const ListingLine& line, ListingContext& context) {
  const std::vector<std::string_view> words = Columns(line.text);
  if (line.text.starts_with("Disk quotas for ")) {
    inside_ = false;
    wrapped_.clear();
    return true;
  }
  if (words.size() >= 7 && words[0] == "Filesystem" && words[2] == "quota" && words[3] == "limit") {
    inside_ = true;
    wrapped_.clear();
    return true;
  }
  if (!inside_ || words.empty()) return false;
  if (words.size() == 1) {
    wrapped_ = words[0].substr(0, kMaxName);
    return true;
  }
  std::size_t at = 0;
  std::string name = std::move(wrapped_);
  wrapped_.clear();
  if (name.empty()) name = words[at++].substr(0, kMaxName);
  // Three amounts, then perhaps the grace; the same for the files. Tools print a missing grace as a blank or as "-".
  bool any = false;
  for (const bool files : {false, true}) {
    std::array<std::optional<double>, 3> amounts;
    bool over = false;
    for (std::optional<double>& amount : amounts) {
      if (at == words.size()) break;
      std::string_view word = words[at];
      if (word.ends_with('*')) {
        over = true;
        word.remove_suffix(1);
      }
      // `quota -s` shortens counts of files by thousands, sizes by 1024.
      if (files && word.ends_with('k')) {
        const auto thousands = ParseNumber(word.substr(0, word.size() - 1));
        amount = thousands ? std::optional<double>(*thousands * 1000) : std::nullopt;
      } else {
        amount = Amount(word, files ? 1 : 1024);
      }
      if (!amount) break;
      ++at;
    }
    if (!amounts[0] || !amounts[1] || !amounts[2]) break;
    any = true;
    const std::string prefix = "quota." + name + (files ? ".files_" : ".");
    const std::string unit = files ? "count" : "bytes";
    context.Number(prefix + "used", *amounts[0], unit, line.cite);
    if (*amounts[1] > 0) context.Number(prefix + "soft", *amounts[1], unit, line.cite);
    if (*amounts[2] > 0) context.Number(prefix + "hard", *amounts[2], unit, line.cite);
    std::string_view grace;
    if (at < words.size() && !Amount(words[at].substr(0, words[at].find('*')), 1)) grace = words[at++];
    if (over) context.Number(prefix + "over", 1, "", line.cite, std::string(grace.substr(0, 64)));
  }
  inside_ = any;
  return any;
}

}  // namespace assay
