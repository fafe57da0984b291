// SPDX-License-Identifier: Apache-2.0
#include "stacks/functions.h"

#include <algorithm>
#include <iterator>

#include "core/limits.h"

namespace compmond::estimate {

namespace {

constexpr size_t kEntry = 5 * sizeof(void*) + 16;  // what a map adds to what it holds

}  // namespace

void Functions::add(const sampling::Function& function) {
  const Place place(function.image, function.start);
  if (const auto known = code_.find(place); known != code_.end()) {
    known->second.end = std::max(known->second.end, function.end);
    return;
  }
  size_t more = sizeof(Place) + sizeof(Code) + kEntry;
  if (!function.name.empty())
    more += 2 * kEntry + sizeof(*starts_.begin()) + sizeof(*names_.begin()) + function.name.size();
  if (code_.size() >= limits::kFunctions || bytes_ + more > limits::kFunctionsBytes) return;
  bytes_ += more;
  uint64_t start = function.start;
  if (!function.name.empty()) {
    const auto [named, fresh] = starts_.try_emplace({function.image, function.name}, start);
    start = named->second;
    if (fresh) names_.emplace(FunctionId{function.image, start}, named->first.second);
  }
  code_.emplace(place, Code{function.end, start});
}

FunctionId Functions::function_of(const sampling::Frame& frame) const {
  if (frame.image == sampling::kKernel) return kKernelFunction;
  const auto behind = code_.upper_bound({frame.image, frame.vaddr});
  if (behind == code_.begin()) return {frame.image, kUnknownStart};
  const auto& [place, code] = *std::prev(behind);
  if (place.first != frame.image || frame.vaddr >= code.end) return {frame.image, kUnknownStart};
  return {frame.image, code.function};
}

std::string_view Functions::name_of(FunctionId id) const {
  const auto found = names_.find(id);
  return found == names_.end() ? std::string_view() : found->second;
}

}  // namespace compmond::estimate
