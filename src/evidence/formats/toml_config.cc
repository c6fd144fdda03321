// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "base/text.h"
#include "evidence/codecs/config_flattener.h"
#include "evidence/codecs/whole_text.h"
#include "evidence/formats/format.h"

// Configurations in TOML 1.0 (toml.io): torchtitan's train_configs and their like. A reader of our own, because the values are
// wanted as they were written, with their bytes, and because a line that is wrong must not cost the lines around it.
namespace assay::formats {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 20U;
constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kToldErrors = 8;

Match Sniff(const ArtifactHead& head) {
  const std::string_view name = BaseName(head.path);
  if (!name.ends_with(".toml") || name == "pyproject.toml" || name == "Cargo.toml") return Match::kNo;
  for (std::string_view line : Split(head.text(), '\n')) {
    line = Trim(line);
    if (line.empty() || line[0] == '#') continue;
    return line[0] == '[' || line.find('=') != std::string_view::npos ? Match::kYes : Match::kNo;
  }
  return Match::kNo;
}

class TomlReader {
 public:
  TomlReader(std::string_view text, std::uint64_t base, SourceId source, FactStore& facts, ConfigFlattener& flat)
      : text_(text),
        base_(base),
        source_(source),
        facts_(facts),
        flat_(flat) {}

  void Read() {
    flat_.BeginMap({});
    while (at_ < text_.size() && !flat_.overflow()) {
      SkipBlanksAndLines();
      if (at_ == text_.size()) break;
      line_begin_ = at_;
      why_ = {};
      if (!(text_[at_] == '[' ? Header() : Member()) || !EndOfLine()) Error();
    }
  }

 private:
  char Peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool AtEnd() const { return at_ >= text_.size(); }
  void SkipBlanks() {
    while (Peek() == ' ' || Peek() == '\t') ++at_;
  }
  void SkipComment() {
    if (Peek() == '#') at_ = std::min(text_.find('\n', at_), text_.size());
  }
  void SkipBlanksAndLines() {
    for (;;) {
      while (!AtEnd() && IsSpace(Peek())) ++at_;
      if (Peek() != '#') return;
      SkipComment();
    }
  }
  bool EndOfLine() {
    SkipBlanks();
    SkipComment();
    if (Peek() == '\r') ++at_;
    if (AtEnd() || Peek() == '\n') return true;
    return Wrong("something stands behind the value");
  }
  bool Wrong(std::string_view why) {
    if (why_.empty()) why_ = why;
    return false;
  }

  std::uint64_t LineNumber(std::size_t at) {
    counted_line_ += static_cast<std::uint64_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(counted_to_),
                                                           text_.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    counted_to_ = at;
    return counted_line_;
  }
  ConfigPlace Place(std::size_t begin) {
    // Values come in order, so that the lines are counted once.
    const std::uint64_t line = begin >= counted_to_ ? LineNumber(begin) : counted_line_;
    return {.begin = base_ + begin, .end = base_ + at_, .line = line};
  }

  // Gives up the rest of the line at which the statement went wrong; containers that were open are dropped with it.
  void Error() {
    while (flat_.depth() > 1) flat_.Abandon();
    const bool cut = AtEnd();
    const std::size_t from = std::max(line_begin_, counted_to_);
    const std::uint64_t line = LineNumber(from);
    // An unclosed bracket or quote reaches far; the next line may be sound.
    at_ = std::min(text_.find('\n', line_begin_), text_.size());
    if (++errors_ > kToldErrors) return;
    facts_.AddAnomaly({.kind = cut ? AnomalyKind::kTruncated : AnomalyKind::kCorrupt,
                       .cite = {.source = source_, .begin = base_ + line_begin_, .end = base_ + at_, .line = line},
                       .statement = std::string(cut ? "The TOML file is cut in line " : "The TOML file is malformed in line ") +
                                    std::to_string(line) + ": " + std::string(cut ? "it ends in the middle" : why_) +
                                    "; the line was left out."});
  }

  // One component of a key, quoted or bare.
  bool KeyPart(std::string& out) {
    if (Peek() == '"' || Peek() == '\'') return QuotedText(out);
    const std::size_t begin = at_;
    while (IsIdentifierChar(Peek()) || Peek() == '-') ++at_;
    out = std::string(text_.substr(begin, at_ - begin));
    return at_ > begin || Wrong("a key is missing");
  }
  bool Key(std::string& out) {
    for (;;) {
      SkipBlanks();
      std::string part;
      if (!KeyPart(part)) return false;
      out += out.empty() ? part : "." + part;
      SkipBlanks();
      if (Peek() != '.') return true;
      ++at_;
    }
  }

  // [a.b] or [[a.b]]; below an array of tables a key belongs to its last table.
  bool Header() {
    const bool array = Peek(1) == '[';
    at_ += array ? 2 : 1;
    std::string key;
    if (!Key(key)) return false;
    if (!Closes(']') || (array && !Closes(']'))) return Wrong("a table's bracket is not closed");
    if (AtEnd()) return false;
    if (array) ++arrays_[key];
    table_.clear();
    std::string plain;
    for (const std::string_view part : Split(key, '.')) {
      plain += plain.empty() ? std::string(part) : "." + std::string(part);
      table_ += std::string(part) + ".";
      if (const auto found = arrays_.find(plain); found != arrays_.end()) table_ += std::to_string(found->second - 1) + ".";
    }
    return true;
  }
  bool Closes(char bracket) {
    if (Peek() != bracket) return false;
    ++at_;
    return true;
  }

  bool Member() {
    std::string key;
    if (!Key(key)) return false;
    if (Peek() != '=') return Wrong("an equals sign is missing");
    ++at_;
    flat_.Key(table_ + key);
    return Value(0);
  }

  bool Value(std::size_t depth) {
    SkipBlanks();
    if (depth > kMaxDepth) return Wrong("its values are nested too deep");
    const std::size_t begin = at_;
    switch (Peek()) {
      case '[': return List(depth);
      case '{': return InlineTable(depth);
      case '"':
      case '\'': {
        std::string value;
        if (!QuotedText(value)) return false;
        flat_.Scalar(value, Place(begin));
        return true;
      }
      default: break;
    }
    // Numbers, truth values and times: as written. "2026-01-01 12:00:00" holds a blank.
    while (!AtEnd() && (IsIdentifierChar(Peek()) || Peek() == '+' || Peek() == '-' || Peek() == '.' || Peek() == ':' ||
                        (Peek() == ' ' && at_ - begin == 10 && text_[begin + 4] == '-' && IsDigit(Peek(1))))) {
      ++at_;
    }
    if (at_ == begin) return Wrong("a value is missing");
    if (AtEnd()) return false;  // it may go on in what is lost
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (!IsDigit(word[0]) && word[0] != '+' && word[0] != '-' && word != "true" && word != "false" && word != "inf" &&
        word != "nan") {
      return Wrong("a text without quotes");
    }
    flat_.Scalar(word, Place(begin), ParseNumber(word).has_value());
    return true;
  }

  bool List(std::size_t depth) {
    const std::size_t begin = at_++;
    flat_.BeginList(Place(begin));
    for (;;) {
      SkipBlanksAndLines();
      if (Peek() == ']') break;
      if (!Value(depth + 1)) return false;
      SkipBlanksAndLines();
      if (Peek() == ',') {
        ++at_;
      } else if (Peek() != ']') {
        return Wrong("a list is not closed");
      }
    }
    ++at_;
    flat_.End(base_ + at_);
    return true;
  }

  bool InlineTable(std::size_t depth) {
    const std::size_t begin = at_++;
    flat_.BeginMap(Place(begin));
    for (;;) {
      SkipBlanks();
      if (Peek() == '}') break;
      std::string key;
      if (!Key(key)) return false;
      if (Peek() != '=') return Wrong("an equals sign is missing");
      ++at_;
      flat_.Key(key);
      if (!Value(depth + 1)) return false;
      SkipBlanks();
      if (Peek() == ',') {
        ++at_;
      } else if (Peek() != '}') {
        return Wrong("a table in braces is not closed");
      }
    }
    ++at_;
    flat_.End(base_ + at_);
    return true;
  }

  // "…", '…', """…""" and '''…'''. Escapes of the double-quoted forms are decoded except \u, which stays as written.
  bool QuotedText(std::string& out) {
    const char quote = Peek();
    const bool many = Peek(1) == quote && Peek(2) == quote;
    at_ += many ? 3 : 1;
    if (many && Peek() == '\r') ++at_;
    if (many && Peek() == '\n') ++at_;
    for (; !AtEnd(); ++at_) {
      const char c = Peek();
      if (c == quote && (!many || (Peek(1) == quote && Peek(2) == quote && Peek(3) != quote))) {
        at_ += many ? 3 : 1;
        return true;
      }
      if (c == '\n' && !many) return Wrong("a text is not closed on its line");
      if (c != '\\' || quote == '\'') {
        out.push_back(c);
        continue;
      }
      ++at_;
      switch (Peek()) {
        case 'n': out.push_back('\n'); break;
        case 't': out.push_back('\t'); break;
        case 'r': out.push_back('\r'); break;
        case '"': out.push_back('"'); break;
        case '\\': out.push_back('\\'); break;
        default:
          if (AtEnd()) return false;
          out.push_back('\\');
          out.push_back(Peek());
      }
    }
    return false;
  }

  std::string_view text_;
  std::uint64_t base_;
  SourceId source_;
  FactStore& facts_;
  ConfigFlattener& flat_;
  std::size_t at_ = 0;
  std::size_t line_begin_ = 0;  // of the statement that is being read
  std::string_view why_;
  std::string table_;                          // prefix of the keys below the last header, with its dot
  std::map<std::string, std::size_t> arrays_;  // tables seen of each array of tables
  std::size_t counted_to_ = 0;
  std::uint64_t counted_line_ = 1;
  std::size_t errors_ = 0;
};

void Read(const Artifact& artifact, FactStore& facts) {
  const WholeText whole = ReadWholeText(artifact.file, artifact.source, "the TOML file", kMaxBytes, facts);
  ConfigFlattener flat;
  TomlReader(whole.text, whole.base, artifact.source, facts, flat).Read();
  PushConfig(flat, "", OriginOfConfigFile(artifact.path), artifact.source, facts);
}

}  // namespace

extern const Format toml_config;
constinit const Format toml_config{
    .id = "toml-config",
    .title = "Configuration in TOML",
    .typical_names = "train_configs/*.toml, config.toml",
    .sample = "torchtitan/config/llama_pp.toml",
    .sniff = Sniff,
    .read = Read,
};

}  // namespace assay::formats
