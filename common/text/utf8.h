// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

// UTF-8 that nobody vouches for, read one code point at a time.
namespace compmond::text {

constexpr uint32_t kReplacement = 0xfffd;

struct CodePoint {
  uint32_t code;  // kReplacement where it is ill-formed
  size_t bytes;   // that it takes; 1 where it is ill-formed
  bool well_formed;
};
// What `text`, which is not empty, begins with.
CodePoint front(std::string_view text);

// Whether a byte of well-formed text stands within a code point, not at its beginning.
constexpr bool continues(char byte) { return (uint8_t(byte) & 0xc0) == 0x80; }

}  // namespace compmond::text
