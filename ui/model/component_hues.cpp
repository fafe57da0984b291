// SPDX-License-Identifier: Apache-2.0
#include "ui/model/component_hues.h"

#include <array>
#include <charconv>

namespace compmond::ui {
namespace {

// Ten hues that are told apart on dark and on light boxes (after Tableau 10), none of them near
// amber, which says distrust.
constexpr std::array<uint32_t, 10> kPalette = {0x4e9af1, 0x8a6df0, 0x59a14f, 0xe15759, 0xb07aa1,
                                               0x76b7b2, 0xa3c63a, 0xff8fa0, 0xc64fb0, 0x8f9aa8};

}  // namespace

uint32_t parsed_colour(const std::string& text, uint32_t otherwise) {
  if (text.size() != 7 || text[0] != '#') return otherwise;
  uint32_t rgb = 0;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), rgb, 16);
  return error == std::errc() && end == text.data() + text.size() ? rgb : otherwise;
}

std::unordered_map<std::string, uint32_t> component_hues(const snapshot::Snapshot& snapshot) {
  std::unordered_map<std::string, uint32_t> out;
  size_t next = 0;
  for (const auto& component : snapshot.components) {
    // A component inside another one is its shade until the spec says otherwise.
    const auto around = component.parent ? out.find(*component.parent) : out.end();
    const uint32_t otherwise =
        around == out.end() ? kPalette[next++ % kPalette.size()] : around->second;
    out[component.name] = parsed_colour(component.color, otherwise);
  }
  return out;
}

}  // namespace compmond::ui
