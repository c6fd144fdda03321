// SPDX-License-Identifier: Apache-2.0
#include "evidence/logs/traceback_reader.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"

namespace assay {
namespace {

constexpr std::size_t kMaxFrames = 400;

std::string_view WithoutIndent(std::string_view text) {
  while (!text.empty() && text[0] == ' ') text.remove_prefix(1);
  return text;
}

// `  File "train.py", line 12, in main` or the `  | ` form of an exception group.
std::optional<TracebackFrame> ParseFrame(std::string_view text) {
  if (!text.starts_with("File \"")) return std::nullopt;
  text.remove_prefix(6);
  const std::size_t quote = text.find("\", line ");
  if (quote == std::string_view::npos) return std::nullopt;
  TracebackFrame frame;
  frame.file = std::string(text.substr(0, quote));
  text.remove_prefix(quote + 8);
  std::size_t digits = 0;
  while (digits < text.size() && IsDigit(text[digits])) ++digits;
  frame.line = ParseInteger(text.substr(0, digits)).value_or(0);
  text.remove_prefix(digits);
  if (text.starts_with(", in ")) frame.function = std::string(Trim(text.substr(5)));
  frame.library = IsLibraryPath(frame.file);
  return frame;
}

}  // namespace

bool IsLibraryPath(std::string_view path) {
  constexpr std::array<std::string_view, 4> kFolders{"site-packages/", "dist-packages/", "/lib/python", "<frozen "};
  if (std::any_of(kFolders.begin(), kFolders.end(), [&](std::string_view f) { return path.find(f) != std::string_view::npos; }))
    return true;
  // Shortened paths, as people paste them: the package's own folder comes first.
  constexpr std::array<std::string_view, 22> kPackages{
      "torch/",     "transformers/",      "numpy/",       "multiprocessing/", "concurrent/", "asyncio/",  "importlib/",
      "lightning/", "pytorch_lightning/", "accelerate/",  "deepspeed/",       "tensorflow/", "keras/",    "jax/",
      "flax/",      "datasets/",          "torchvision/", "mmengine/",        "mmcv/",       "megatron/", "PIL/",
      "fairseq/"};
  return std::any_of(kPackages.begin(), kPackages.end(), [&](std::string_view p) { return path.starts_with(p); });
}

std::optional<ExceptionLine> ParseExceptionLine(std::string_view text) {
  if (text.empty() || (std::isalpha(static_cast<unsigned char>(text[0])) == 0 && text[0] != '_')) return std::nullopt;
  std::size_t end = 0;
  while (end < text.size() && (IsIdentifierChar(text[end]) || text[end] == '.')) ++end;
  const std::string_view type = text.substr(0, end);
  if (type.ends_with('.')) return std::nullopt;
  const std::string_view name = type.substr(type.rfind('.') + 1);  // npos + 1 is 0
  const bool named = name.ends_with("Error") || name.ends_with("Exception") || name.ends_with("Exit") ||
                     name.ends_with("Interrupt") || name.ends_with("Warning") || name.ends_with("StopIteration") ||
                     name.ends_with("Timeout") || name.ends_with("ExceptionGroup") || name.ends_with("Overflow") ||
                     type.find('.') != std::string_view::npos;
  if (end == text.size()) return named ? std::optional(ExceptionLine{type, {}}) : std::nullopt;
  if (text[end] != ':') return std::nullopt;
  if (!named && std::isupper(static_cast<unsigned char>(name[0])) == 0) return std::nullopt;
  return ExceptionLine{type, Trim(text.substr(end + 1))};
}

void TracebackReader::PrintedAbove(const ExceptionLine& exception, const Citation& cite) {
  current_.exception = std::string(exception.type);
  current_.message = Printable(exception.message);
  current_.exception_cite = cite;
  current_.cite.begin = cite.begin;
  current_.cite.line = cite.line;
}

std::optional<Traceback> TracebackReader::Close(bool complete) {
  open_ = false;
  frame_wants_code_ = false;
  current_.complete = complete;
  for (std::size_t i = current_.frames.size(); i-- > 0;) {
    if (!current_.frames[i].library) {
      current_.innermost_user = i;
      break;
    }
  }
  return std::move(current_);
}

std::optional<Traceback> TracebackReader::Start(const Citation& cite, std::optional<int> rank, std::optional<Time> time) {
  std::optional<Traceback> unfinished;
  if (open_) unfinished = Close(!current_.exception.empty());
  current_ = Traceback{.chain = next_chain_, .rank = rank, .time = time, .cite = cite, .exception_cite = cite};
  next_chain_ = Traceback::Chain::kNone;
  open_ = true;
  return unfinished;
}

std::optional<Traceback> TracebackReader::Line(std::string_view text, const Citation& cite, bool complete_line) {
  stranger_ = false;
  std::string_view body = text;
  if (WithoutIndent(body).starts_with("| ")) body = WithoutIndent(body).substr(2);  // inside an exception group
  const bool indented = body.starts_with(' ');
  const std::string_view bare = WithoutIndent(body);
  if (auto frame = ParseFrame(bare)) {
    frame->cite = cite;
    if (current_.frames.size() < kMaxFrames) current_.frames.push_back(std::move(*frame));
    frame_wants_code_ = true;
    current_.cite.end = cite.end;
    return std::nullopt;
  }
  if (indented || bare.empty()) {
    if (frame_wants_code_ && !current_.frames.empty() && current_.frames.back().code.empty())
      current_.frames.back().code = Printable(bare, 200);
    frame_wants_code_ = false;
    current_.cite.end = cite.end;
    return std::nullopt;
  }
  const auto exception = ParseExceptionLine(bare);
  if (!exception) {
    stranger_ = true;
    return Close(!current_.exception.empty());
  }
  current_.exception = std::string(exception->type);
  current_.message = Printable(exception->message);
  current_.exception_cite = cite;
  current_.cite.end = cite.end;
  return Close(complete_line || !exception->message.empty());
}

std::optional<Traceback> TracebackReader::Finish() {
  if (!open_) return std::nullopt;
  return Close(!current_.exception.empty());
}

}  // namespace assay
