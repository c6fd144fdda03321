// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/secret_filter.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/text.h"

namespace assay {
namespace {

bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }

// "HubToken", "hub-token" and "HUB_TOKEN" are the words "hub" and "token".
std::vector<std::string> Words(std::string_view name) {
  std::vector<std::string> words;
  std::string word;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool starts = IsUpper(name[i]) && i > 0 && !IsUpper(name[i - 1]);
    if ((!IsIdentifierChar(name[i]) || name[i] == '_' || starts) && !word.empty())
      words.push_back(ToLower(std::exchange(word, {})));
    if (IsIdentifierChar(name[i]) && name[i] != '_') word.push_back(name[i]);
  }
  if (!word.empty()) words.push_back(ToLower(word));
  return words;
}

template <std::size_t N>
bool IsOneOf(std::string_view word, const std::array<std::string_view, N>& list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

enum class Secrecy { kNone, kToken, kAlways };

Secrecy SecrecyOf(std::string_view key) {
  constexpr std::array<std::string_view, 11> kSecretWords{"password",    "passwd",  "passphrase", "pwd",
                                                          "secret",      "secrets", "apikey",     "credential",
                                                          "credentials", "passkey", "accesskey"};
  // `X key` that opens something; a plain "key" is mostly the key of a mapping.
  constexpr std::array<std::string_view, 8> kBeforeKey{"api",     "access",  "private", "auth",
                                                       "account", "storage", "signing", "ssh"};
  // Tokens of a vocabulary, of a sequence or of a protocol that identify nobody.
  constexpr std::array<std::string_view, 34> kBeforeToken{
      "bos",   "eos",     "pad",       "unk",     "mask",     "sep",         "cls",    "image", "video",
      "audio", "per",     "special",   "prefix",  "suffix",   "middle",      "start",  "end",   "first",
      "last",  "next",    "class",     "distill", "response", "instruction", "cross",  "max",   "min",
      "num",   "padding", "separator", "unknown", "boi",      "eoi",         "decoder"};
  const std::string_view last = key.substr(key.find_last_of('.') + 1);  // npos + 1 is 0
  const std::vector<std::string> words = Words(last);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (IsOneOf(words[i], kSecretWords)) return Secrecy::kAlways;
    if (i > 0 && words[i] == "key" && IsOneOf(words[i - 1], kBeforeKey)) return Secrecy::kAlways;
  }
  if (words.empty() || words.back() != "token") return Secrecy::kNone;
  return words.size() > 1 && IsOneOf(words[words.size() - 2], kBeforeToken) ? Secrecy::kNone : Secrecy::kToken;
}

// True, False, None and numbers tell nothing, and neither do the references to a secret that job files hold.
bool TellsNothing(std::string_view value) {
  constexpr std::array<std::string_view, 6> kPlain{"", "true", "false", "none", "null", "~"};
  return IsOneOf(ToLower(value), kPlain) || (value.size() < 8 && ParseNumber(value).has_value()) || value.starts_with('$');
}

// Words that services made to be recognised as their keys.
bool LooksLikeServiceKey(std::string_view word) {
  constexpr std::string_view kCut = "…";  // of a text that was shortened before
  if (word.ends_with(kCut)) word.remove_suffix(kCut.size());
  while (!word.empty() && std::string_view(".:!?").find(word.back()) != std::string_view::npos) word.remove_suffix(1);
  constexpr std::array<std::string_view, 10> kPrefixes{"hf_", "ghp_", "gho_",  "github_pat_", "glpat-",
                                                       "sk-", "AKIA", "xoxb-", "xoxp-",       "AIza"};
  if (word.size() < 20) return false;
  const bool plain = std::all_of(word.begin(), word.end(), [](char c) { return IsIdentifierChar(c) || c == '-'; });
  return plain && std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](std::string_view p) { return word.starts_with(p); }) &&
         std::any_of(word.begin(), word.end(), IsDigit);
}

bool EndsWord(char c) {
  return IsSpace(c) || c == ',' || c == '\'' || c == '"' || c == '(' || c == ')' || c == '[' || c == ']' || c == ';';
}

// "https://user:word@host/…": the part between the colon and the at sign. Empty when there is none.
std::string_view UrlPassword(std::string_view word) {
  const std::size_t scheme = word.find("://");
  if (scheme == std::string_view::npos) return {};
  const std::string_view rest = word.substr(scheme + 3);
  const std::string_view authority = rest.substr(0, rest.find('/'));
  const std::size_t at = authority.rfind('@');
  const std::size_t colon = authority.find(':');
  if (at == std::string_view::npos || colon == std::string_view::npos || colon > at) return {};
  return authority.substr(colon + 1, at - colon - 1);
}

// What is being filtered: in a setting every word behind "token" is one, in a log's text most are words of a language.
enum class Kind { kSetting, kText };

bool LooksRandom(std::string_view word) {
  return word.size() >= 16 && std::any_of(word.begin(), word.end(), IsDigit) &&
         std::any_of(word.begin(), word.end(), [](char c) { return IsIdentifierChar(c) && !IsDigit(c) && c != '_'; });
}

// `word` stands behind a name of this secrecy.
bool IsSecretBehind(Secrecy name, std::string_view word, Kind kind) {
  if (name == Secrecy::kNone || TellsNothing(word)) return false;
  if (kind == Kind::kSetting) return true;
  return name == Secrecy::kAlways ? !word.starts_with('/') : LooksRandom(word);
}

// What follows a word, `"password": "x"` or "password = x", gives it a value.
bool IsAssigned(std::string_view rest) {
  if (!rest.empty() && (rest[0] == '"' || rest[0] == '\'')) rest.remove_prefix(1);
  while (!rest.empty() && rest[0] == ' ') rest.remove_prefix(1);
  return !rest.empty() && (rest[0] == ':' || rest[0] == '=');
}

std::string Filtered(std::string_view value, Kind kind) {
  std::string out;
  Secrecy before = Secrecy::kNone;  // of the name that the next word is the value of: "--hub_token", "password:"
  std::size_t i = 0;
  while (i < value.size()) {
    if (value.substr(i).starts_with(kNotRecorded)) {  // filtered before
      out += kNotRecorded;
      i += kNotRecorded.size();
      before = Secrecy::kNone;
      continue;
    }
    if (EndsWord(value[i])) {
      out.push_back(value[i++]);
      continue;
    }
    std::size_t end = i;
    while (end < value.size() && !EndsWord(value[end])) ++end;
    const std::string_view word = value.substr(i, end - i);
    i = end;
    if (before != Secrecy::kNone && (word == "=" || word == ":")) {
      out += word;
      continue;
    }
    const Secrecy name = std::exchange(before, Secrecy::kNone);
    if (!word.starts_with("--") && IsSecretBehind(name, word, kind)) {
      out += kNotRecorded;
      continue;
    }
    const std::size_t separator = word.find_first_of("=:");
    const bool named = separator != std::string_view::npos && separator > 0;
    const Secrecy own = SecrecyOf(named ? word.substr(0, separator) : word);
    if (LooksLikeServiceKey(word)) {
      out += kNotRecorded;
    } else if (const std::string_view password = UrlPassword(word); !password.empty()) {
      const auto begin = static_cast<std::size_t>(password.data() - word.data());
      out.append(word.substr(0, begin)).append(kNotRecorded).append(word.substr(begin + password.size()));
    } else if (named && own != Secrecy::kNone) {
      const std::string_view behind = word.substr(separator + 1);
      out += word.substr(0, separator + 1);
      if (behind.empty()) {
        before = own;  // "token: value", "--token= 'value'"
      } else if (IsSecretBehind(own, behind, kind)) {
        out += kNotRecorded;
      } else {
        out += behind;
      }
    } else {
      out += word;
      if (own != Secrecy::kNone && (word.starts_with("--") || (own == Secrecy::kAlways && IsAssigned(value.substr(end)))))
        before = own;
      if (EqualsIgnoreCase(word, "bearer")) before = Secrecy::kToken;
    }
  }
  return out;
}

}  // namespace

bool IsSecretName(std::string_view key) { return SecrecyOf(key) != Secrecy::kNone; }

std::string WithoutSecrets(std::string_view key, std::string_view value) {
  const Secrecy secrecy = SecrecyOf(key);
  if (secrecy == Secrecy::kAlways && !value.empty()) return std::string(kNotRecorded);
  if (secrecy == Secrecy::kToken && !TellsNothing(value)) return std::string(kNotRecorded);
  return Filtered(value, Kind::kSetting);
}

std::string WithoutSecretsInText(std::string_view text) { return Filtered(text, Kind::kText); }

}  // namespace assay
