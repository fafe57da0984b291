// SPDX-License-Identifier: Apache-2.0
#include "inprocess/tally.h"

#include <algorithm>

#include "patches/patch.h"

namespace compmond::inprocess {

void Tally::add(const plan::Way& way) {
  ++functions;
  if (way.refused) {
    ++refusals[without_places(way.reason)];
    return;
  }
  ++patched;
  if (!way.patches.empty()) joined_exits += way.patches.front().exits;
  for (const plan::CodePatch& patch : way.patches) {
    ++kinds[patch.kind];
    bytes += patch.bytes;
    instructions += patch.instructions;
    exits += patch.exits;
  }
}

std::string without_places(std::string_view reason) {
  constexpr std::string_view kHex = "0x", kAt = " at", kDigits = "0123456789abcdef";
  std::string out;
  while (true) {
    const size_t hex = reason.find(kHex);
    std::string_view before = reason.substr(0, hex);
    if (hex == std::string_view::npos) return out.append(before);
    if (before.ends_with('+')) before.remove_suffix(1);
    if (before.ends_with(' ')) before.remove_suffix(1);
    if (before.ends_with(kAt)) before.remove_suffix(kAt.size());
    out.append(before);
    reason.remove_prefix(
        std::min(reason.find_first_not_of(kDigits, hex + kHex.size()), reason.size()));
  }
}

std::string meaning(const std::string& kind) {
  const auto known = from_text<PatchKind>(kind);
  if (!known) return kind;
  switch (*known) {
    case PatchKind::kBehindFirst:
      return "a jump behind the first instruction, where probes of others may stay";
    case PatchKind::kFirst:
      return "a jump at the first instruction";
    case PatchKind::kFirstCall:
      return "its first call leads elsewhere first";
    case PatchKind::kShortEntry:
      return "a short jump to padding, where one that reaches further has room";
    case PatchKind::kReturn:
      return "a return and the padding behind it";
    case PatchKind::kReturnWithPreceding:
      return "a return and instructions before it";
    case PatchKind::kTailJump:
      return "a jump to another function, which goes on in its place";
    case PatchKind::kShortExit:
      return "a short jump to padding, where one that reaches further has room";
  }
  return kind;
}

}  // namespace compmond::inprocess
