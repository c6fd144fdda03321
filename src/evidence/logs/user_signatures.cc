// SPDX-License-Identifier: Apache-2.0
#include "evidence/logs/user_signatures.h"

#include <fmt/format.h>

// The library asserts what damaged text violates, and goes on soundly where that is not asserted.
#define TOML_ASSERT(expression) static_assert(true)
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text.h"
#include "evidence/logs/signature_matcher.h"

namespace assay {
namespace {

constexpr std::uint64_t kMaxFileBytes = std::uint64_t{1} << 20U;
constexpr std::size_t kMaxSignatures = 1000;  // of one run; so many patterns are a mistake or an attack
constexpr std::size_t kShortestLiteral = 4;   // as tools/check_knowledge.py

// The value of a key, as far as it is what the format says; the first fault found is kept.
class EntryReader {
 public:
  explicit EntryReader(const toml::table& table) : table_(table) {
    for (const auto& [key, value] : table_) {
      if (std::find(kKeys.begin(), kKeys.end(), key.str()) == kKeys.end()) Fail(fmt::format("unknown key '{}'", key.str()));
    }
  }

  std::string Text(std::string_view key, bool needed) {
    const toml::node* node = Node(key, needed);
    if (node == nullptr) return {};
    const auto text = node->value_exact<std::string>();
    if (!text) Fail(fmt::format("{} must be a text", key));
    return text.value_or("");
  }

  std::vector<std::string> Texts(std::string_view key, bool needed) {
    std::vector<std::string> out;
    const toml::node* node = Node(key, needed);
    if (node == nullptr) return out;
    const toml::array* list = node->as_array();
    if (list == nullptr) Fail(fmt::format("{} must be a list of texts", key));
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
      const auto text = list->get(i)->value_exact<std::string>();
      if (text)
        out.push_back(*text);
      else
        Fail(fmt::format("{} must be a list of texts", key));
    }
    if (needed && out.empty()) Fail(fmt::format("{} is empty", key));
    return out;
  }

  const std::string& fault() const { return fault_; }

 private:
  static constexpr std::array<std::string_view, 11> kKeys{
      "id", "finding", "role", "literals", "also", "pattern", "meaning", "frameworks", "versions", "samples", "counter_samples"};

  const toml::node* Node(std::string_view key, bool needed) {
    const toml::node* node = table_.get(key);
    if (node == nullptr && needed) Fail(fmt::format("key '{}' is missing", key));
    return node;
  }
  void Fail(std::string what) {
    if (fault_.empty()) fault_ = std::move(what);
  }

  const toml::table& table_;
  std::string fault_;
};

bool IsId(std::string_view id) {
  const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || IsDigit(c) || c == '-'; };
  return !id.empty() && id.size() <= 80 && std::all_of(id.begin(), id.end(), allowed) && id.front() != '-' && id.back() != '-';
}

bool Matches(const Signature& signature, SignatureMatcher& matcher, std::string_view line) {
  return HoldsItsTexts(signature, line) && matcher.Confirm(0, line, true).has_value();
}

}  // namespace

// Empty when the signature is sound.
std::string UserSignatures::Fault(const Signature& signature) const {
  if (!IsId(signature.id)) return "an id is written lower-case-with-dashes";
  if (knowledge::FindSignature(signature.id) != nullptr) return "assay has a signature of this id itself";
  if (Find(signature.id) != nullptr) return "this id is taken by another entry";
  if (!signature.finding.empty() && knowledge::FindFinding(signature.finding) == nullptr)
    return fmt::format("no finding is called '{}'; `assay list findings` shows them", Printable(signature.finding, 80));
  if (Trim(signature.meaning).empty() || signature.meaning.ends_with('.')) return "meaning must be a text without full stop";
  for (const std::string_view literal : signature.literals) {
    if (literal.size() < kShortestLiteral) return fmt::format("the literal '{}' is shorter than 4 bytes", Printable(literal, 80));
  }
  if (std::any_of(signature.also.begin(), signature.also.end(), [](std::string_view text) { return text.empty(); }))
    return "also holds an empty text";
  SignatureMatcher matcher({&signature});
  if (const std::string fault = matcher.PatternFault(0); !fault.empty())
    return "the pattern does not compile: " + Printable(fault, 200);
  for (const std::string_view line : signature.samples) {
    if (!Matches(signature, matcher, line))
      return fmt::format("the pattern or every literal misses the sample '{}'", Printable(line, 120));
  }
  for (const std::string_view line : signature.counter_samples) {
    if (Matches(signature, matcher, line)) return fmt::format("the counter sample matches: '{}'", Printable(line, 120));
  }
  return {};
}

void UserSignatures::LoadFile(const FileSystem& files, const std::string& path, const std::string& shown) {
  const auto refuse = [&](std::string why) { refused_.push_back({.path = shown, .why = std::move(why)}); };
  const auto text = ReadWholeFile(files, path, kMaxFileBytes);
  if (!text.has_value()) return refuse(text.error().reason);
  toml::table parsed;
  try {
    parsed = toml::parse(std::string_view(*text));
  } catch (const toml::parse_error& error) {
    return refuse(fmt::format("line {}: {}", error.source().begin.line, Printable(error.description(), 200)));
  }
  const toml::array* entries = parsed.get_as<toml::array>("signature");
  if (entries == nullptr || parsed.size() != 1) return refuse("it must hold [[signature]] tables and nothing else");
  const std::string_view family = Keep(shown);
  for (const toml::node& node : *entries) {
    const auto at = [&](const std::string& why) { refuse(fmt::format("line {}: {}", node.source().begin.line, why)); };
    if (signatures_.size() == kMaxSignatures) return at(fmt::format("more than {} signatures are not read", kMaxSignatures));
    const toml::table* table = node.as_table();
    if (table == nullptr) {
      at("it must be written [[signature]]");
      continue;
    }
    EntryReader entry(*table);
    const auto keep_all = [&](const std::vector<std::string>& list) {
      std::vector<std::string_view> views;
      for (const std::string& item : list) views.push_back(Keep(item));
      return Keep(std::move(views));
    };
    const std::string role_name = entry.Text("role", true);
    const std::optional<Role> role = RoleNamed(role_name);
    const Signature signature{.id = Keep(entry.Text("id", true)),
                              .family = family,
                              .finding = Keep(entry.Text("finding", false)),
                              .role = role.value_or(Role::kContext),
                              .literals = keep_all(entry.Texts("literals", true)),
                              .also = keep_all(entry.Texts("also", false)),
                              .pattern = Keep(entry.Text("pattern", true)),
                              .meaning = Keep(entry.Text("meaning", true)),
                              .frameworks = keep_all(entry.Texts("frameworks", false)),
                              .versions = Keep(entry.Text("versions", false)),
                              .samples = keep_all(entry.Texts("samples", true)),
                              .counter_samples = keep_all(entry.Texts("counter_samples", true))};
    std::string fault = entry.fault();
    if (fault.empty() && !role) fault = fmt::format("no role is called '{}'", Printable(role_name, 80));
    if (fault.empty()) fault = Fault(signature);
    if (fault.empty())
      signatures_.push_back(signature);
    else
      at(signature.id.empty() ? fault : fmt::format("{}: {}", Printable(signature.id, 80), fault));
  }
}

void UserSignatures::Load(const FileSystem& files, const std::string& folder, std::string_view shown) {
  std::vector<std::string> names;
  const auto listed = files.List(folder, [&](const DirectoryEntry& entry) {
    if (entry.name.ends_with(".toml")) names.push_back(entry.name);
    return names.size() < kMaxSignatures;
  });
  if (!listed.has_value()) {
    if (listed.error().kind != ErrorKind::kNotFound)
      refused_.push_back({.path = std::string(shown), .why = listed.error().reason});
    return;
  }
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) LoadFile(files, JoinPath(folder, name), JoinPath(shown, name));
}

const Signature* UserSignatures::Find(std::string_view id) const {
  const auto found = std::find_if(signatures_.begin(), signatures_.end(), [&](const Signature& s) { return s.id == id; });
  return found == signatures_.end() ? nullptr : &*found;
}

}  // namespace assay
