// SPDX-License-Identifier: Apache-2.0
// unwind::read_walked on any answer of the child that walks stacks: what it takes lies within the
// bounds, and says the same when it is written and read again. An input is: how many stacks are
// expected (u8), then the answer.
#include <algorithm>
#include <string>
#include <vector>

#include "bytes.h"
#include "check.h"
#include "core/byte_stream.h"
#include "text/clean.h"
#include "unwind/walked_bytes.h"

namespace compmond::fuzz {
namespace {

using sampling::Walked;

void check_within_bounds(const Walked& stack) {
  FUZZ_CHECK(stack.ended <= sampling::Ended::kBroken);
  FUZZ_CHECK(!stack.frames.empty() && stack.frames.size() <= unwind::kWalkedFrames);
  FUZZ_CHECK(stack.functions.size() <= unwind::kWalkedFrames);
  for (const sampling::Function& function : stack.functions) {
    FUZZ_CHECK(function.start < function.end);
    FUZZ_CHECK(text::clean(function.name) == function.name);
  }
}

std::string written(const std::vector<Walked>& stacks) {
  ByteWriter writer;
  for (const Walked& stack : stacks) {
    writer(stack.ended, stack.stack_top, uint32_t(stack.frames.size()));
    for (const sampling::Frame& frame : stack.frames) writer(frame.image, frame.vaddr);
    writer(uint32_t(stack.functions.size()));
    for (const sampling::Function& f : stack.functions) writer(f.image, f.start, f.end, f.name);
  }
  return writer.take();
}

bool same(const Walked& one, const Walked& other) {
  const auto same_function = [](const sampling::Function& a, const sampling::Function& b) {
    return a.image == b.image && a.start == b.start && a.end == b.end && a.name == b.name;
  };
  return one.ended == other.ended && one.stack_top == other.stack_top &&
         std::ranges::equal(one.frames, other.frames) &&
         std::ranges::equal(one.functions, other.functions, same_function);
}

}  // namespace
}  // namespace compmond::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace compmond;
  fuzz::Bytes bytes(data, size);
  std::vector<sampling::Walked> stacks(bytes.take<uint8_t>());
  const auto rest = bytes.rest();
  const std::string answer(reinterpret_cast<const char*>(rest.data()), rest.size());
  if (!unwind::read_walked(answer, stacks)) return 0;
  for (const sampling::Walked& stack : stacks) fuzz::check_within_bounds(stack);
  FUZZ_CHECK(answer.size() <= stacks.size() * unwind::kWalkedBytes);
  FUZZ_CHECK(!unwind::read_walked(answer + '\0', stacks));
  std::vector<sampling::Walked> first(stacks.size()), again(stacks.size());
  FUZZ_CHECK(unwind::read_walked(answer, first));
  // A name that was made harmless may be longer than one may be.
  const std::string copy = fuzz::written(first);
  if (copy.size() != answer.size()) return 0;
  FUZZ_CHECK(unwind::read_walked(copy, again));
  FUZZ_CHECK(std::ranges::equal(first, again, fuzz::same));
  return 0;
}
