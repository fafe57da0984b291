// SPDX-License-Identifier: Apache-2.0
#include "text/utf8.h"

#include <utf8.h>

namespace compmond::text {
namespace {

constexpr size_t kMostBytes = 4;  // of one code point

}  // namespace

CodePoint front(std::string_view text) {
  if (uint8_t(text[0]) < 0x80) return {uint8_t(text[0]), 1, true};
  const std::string_view near = text.substr(0, kMostBytes);
  if (utf8::find_invalid(near.begin(), near.end()) == near.begin()) return {kReplacement, 1, false};
  auto end = near.begin();
  const uint32_t code = utf8::unchecked::next(end);
  return {code, size_t(end - near.begin()), true};
}

}  // namespace compmond::text
