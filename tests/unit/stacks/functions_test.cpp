// SPDX-License-Identifier: Apache-2.0
#include "stacks/functions.h"

#include <doctest/doctest.h>

#include "core/limits.h"

using namespace compmond;
using namespace compmond::estimate;

namespace {

constexpr sampling::ImageNumber kProgram = sampling::kFirstFile, kShared = kProgram + 1;

}  // namespace

TEST_CASE("functions: a frame is in the one that holds it, or in none of its image") {
  Functions functions;
  functions.add({kProgram, 0x100, 0x200, "f"});
  functions.add({kProgram, 0x200, 0x280, ""});
  functions.add({kShared, 0x100, 0x180, "g"});
  CHECK(functions.function_of({kProgram, 0x1ff}) == FunctionId{kProgram, 0x100});
  CHECK(functions.function_of({kProgram, 0x200}) == FunctionId{kProgram, 0x200});
  CHECK(functions.function_of({kProgram, 0x280}) == FunctionId{kProgram, kUnknownStart});
  CHECK(functions.function_of({kProgram, 0xff}) == FunctionId{kProgram, kUnknownStart});
  CHECK(functions.function_of({kShared, 0x17f}) == FunctionId{kShared, 0x100});
  CHECK(functions.function_of({kShared + 1, 0x100}) == FunctionId{kShared + 1, kUnknownStart});
  CHECK(functions.function_of({sampling::kKernel, 0x100}) == kKernelFunction);
  CHECK(functions.name_of({kProgram, 0x100}) == "f");
  CHECK(functions.name_of({kProgram, 0x200}).empty());
  CHECK(functions.name_of({kProgram, kUnknownStart}).empty());
}

TEST_CASE("functions: parts of one name in one image are one function") {
  Functions functions;
  functions.add({kProgram, 0x900, 0x910, "f"});  // its cold part is met first
  functions.add({kProgram, 0x100, 0x200, "f"});
  functions.add({kShared, 0x100, 0x200, "f"});
  CHECK(functions.function_of({kProgram, 0x150}) == functions.function_of({kProgram, 0x905}));
  CHECK(functions.function_of({kShared, 0x150}) == FunctionId{kShared, 0x100});
  functions.add({kProgram, 0x300, 0x310, ""});
  functions.add({kProgram, 0x400, 0x410, ""});  // without names nobody knows
  CHECK(functions.function_of({kProgram, 0x305}) != functions.function_of({kProgram, 0x405}));
}

TEST_CASE("functions: told again they stay as they are, or reach further") {
  Functions functions;
  functions.add({kProgram, 0x100, 0x200, "f"});
  const size_t bytes = functions.memory_bytes();
  functions.add({kProgram, 0x100, 0x180, "other"});
  functions.add({kProgram, 0x100, 0x280, "f"});
  CHECK(functions.memory_bytes() == bytes);
  CHECK(functions.name_of(functions.function_of({kProgram, 0x27f})) == "f");
}

TEST_CASE("functions: they take no more than so much memory") {
  Functions long_names, many;
  for (uint64_t i = 0; i < 2 * limits::kFunctions; ++i) {
    many.add({kProgram, i * 16, i * 16 + 16, {}});
    if (i % 4 == 0)
      long_names.add({kProgram, i * 16, i * 16 + 16, std::to_string(i) + std::string(1000, 'n')});
  }
  CHECK(long_names.memory_bytes() <= limits::kFunctionsBytes);
  CHECK(long_names.memory_bytes() > limits::kFunctionsBytes - 2000);
  CHECK(many.function_of({kProgram, (limits::kFunctions - 1) * 16}).start != kUnknownStart);
  CHECK(many.function_of({kProgram, limits::kFunctions * 16}).start == kUnknownStart);
}
