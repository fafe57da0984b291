// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "terminal/table.h"
#include "text/table.h"

namespace compmond::terminal {

constexpr int kHeatSteps = 6;

using text::Ink;

// kHeat + step is the colour of a hotness.
// The stepped quadratic colour: floor(c / (255/k)) of k steps, c(h) = h²/100 · 255/100.
int heat_step(double hotness);
inline Ink heat(double hotness) { return Ink(int(Ink::kHeat) + heat_step(hotness)); }

// `text` with the escape sequences of its ink, or as it is where the style has no colours.
std::string paint(const Style& style, Ink ink, std::string_view text);
// For tables in that style.
text::Look look_of(const Style& style);

// A bar of `width` columns for a hotness of 0..100, in eighths of a column where the style has
// them.
std::string bar(const Style& style, double hotness, size_t width);

struct Segment {
  std::string text;
  Ink ink = Ink::kPlain;
};
// The segments with " · " between them, on as many lines of `width` columns as they need. One that
// is longer than a line has lines of its own.
std::vector<std::string> flow(const Style& style, const std::vector<Segment>& segments,
                              size_t width);

// One text broken at blanks, each line moved in by `indent` columns.
std::vector<std::string> wrapped(const Style& style, const Segment& segment, size_t indent,
                                 size_t width);

}  // namespace compmond::terminal
