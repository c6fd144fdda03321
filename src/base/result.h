// SPDX-License-Identifier: Apache-2.0
#pragma once

// Result<T>: a value, or an Error that says what could not be done. Dropping one does not compile. Names are a subset of
// std::expected's, so that a later swap is mechanical (docs/decisions/0001-own-result.md).

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"

namespace assay {

enum class ErrorKind { kNotFound, kUnreadable, kMalformed, kUnsupported, kInvalidArgument, kInterrupted };

// "We could not do what was asked." Printed once, by surfaces/error_text. Damage in input is an Anomaly instead.
struct Error {
  ErrorKind kind = ErrorKind::kUnreadable;
  std::string message;             // what could not be done: "cannot read the ledger of case 1f…"
  std::string where;               // path, path:line or path:0xoffset; empty when there is no place
  std::string reason;              // why
  std::vector<std::string> notes;  // what was done all the same
  std::string help;                // what to do next
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(google-explicit-constructor): return value;
  // NOLINTNEXTLINE(google-explicit-constructor): return Error{…};
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & {
    ASSAY_CHECK(has_value());
    return *std::get_if<0>(&state_);
  }
  const T& value() const& {
    ASSAY_CHECK(has_value());
    return *std::get_if<0>(&state_);
  }
  T&& value() && {
    ASSAY_CHECK(has_value());
    return std::move(*std::get_if<0>(&state_));
  }
  const Error& error() const& {
    ASSAY_CHECK(!has_value());
    return *std::get_if<1>(&state_);
  }
  Error&& error() && {
    ASSAY_CHECK(!has_value());
    return std::move(*std::get_if<1>(&state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::variant<T, Error> state_;
};

using Status = Result<std::monostate>;
inline Status Ok() { return std::monostate{}; }

}  // namespace assay

#define ASSAY_CONCAT_INNER(a, b) a##b
#define ASSAY_CONCAT(a, b) ASSAY_CONCAT_INNER(a, b)
#define ASSAY_TRY_INNER(hidden, declaration, ...)            \
  auto hidden = (__VA_ARGS__);                               \
  if (!hidden.has_value()) return std::move(hidden).error(); \
  declaration = std::move(hidden).value()

// ASSAY_TRY(const int n, ReadCount(r)): n is the value, or the enclosing function returns the error.
#define ASSAY_TRY(declaration, ...) ASSAY_TRY_INNER(ASSAY_CONCAT(assay_try_, __COUNTER__), declaration, __VA_ARGS__)

// ASSAY_TRY_STATUS(Write(f)): the enclosing function returns the error, if there is one.
#define ASSAY_TRY_STATUS(...)                                           \
  do {                                                                  \
    if (auto assay_status = (__VA_ARGS__); !assay_status.has_value()) { \
      return std::move(assay_status).error();                           \
    }                                                                   \
  } while (false)
