// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "sampling/sample.h"

namespace compmond::estimate {

// A function by where the code of it that was met first begins.
struct FunctionId {
  sampling::ImageNumber image = sampling::kNoImage;
  uint64_t start = 0;
  auto operator<=>(const FunctionId&) const = default;
};
constexpr uint64_t kUnknownStart = UINT64_MAX;  // of all code of an image in no known function
constexpr FunctionId kKernelFunction{sampling::kKernel, 0};   // the kernel worked for its caller
constexpr FunctionId kCutOff{sampling::kKernel, UINT64_MAX};  // callers that a stack lacks

// The functions that samples lie in, within limits::kFunctions and kFunctionsBytes; later ones are
// not known. Not for several threads at once.
class Functions {
 public:
  void add(const sampling::Function& function);
  FunctionId function_of(const sampling::Frame& frame) const;
  // Empty: it has none. Holds until the next add().
  std::string_view name_of(FunctionId id) const;
  size_t memory_bytes() const { return bytes_; }

 private:
  struct Code {
    uint64_t end = 0;
    uint64_t function = 0;  // where that begins
  };
  using Place = std::pair<sampling::ImageNumber, uint64_t>;  // where code begins
  std::map<Place, Code> code_;
  std::map<std::pair<sampling::ImageNumber, std::string>, uint64_t, std::less<>> starts_;
  std::map<FunctionId, std::string_view> names_;  // in starts_
  size_t bytes_ = 0;
};

}  // namespace compmond::estimate
