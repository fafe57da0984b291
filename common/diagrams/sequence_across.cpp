// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "diagrams/sequence.h"

namespace compmond::diagrams {
namespace {

constexpr double kHalf = 5, kNest = 6;  // of an activation: half its width, how nested ones shift
constexpr double kMostNested = 0.33;    // of a column: the next lifeline is not far
constexpr double kFirst = 0.62;         // columns; room at the left for calls from outside
constexpr double kSelfOut = 16, kSelfDown = 8, kSelfBack = 4.8;  // of a message to its own lifeline

}  // namespace

double SequenceLayout::width() const { return (double(lifelines.size()) + 0.6) * column; }

double SequenceLayout::line_x(int lifeline) const { return (lifeline + kFirst) * column; }

double SequenceLayout::edge_x(int lifeline, int depth, bool right) const {
  const double nest = std::min(kNest * depth, kMostNested * column);
  return line_x(lifeline) + nest + (right ? kHalf : -kHalf);
}

double SequenceLayout::from_x(const SequenceMessage& m) const {
  if (m.from < 0) return edge_x(m.to, m.to_depth, false) - column / 2;
  return edge_x(m.from, m.from_depth, m.to >= m.from);
}

double SequenceLayout::to_x(const SequenceMessage& m) const {
  if (m.to < 0) return edge_x(m.from, m.from_depth, false) - column / 2;
  return edge_x(m.to, m.to_depth, m.from >= m.to);
}

geometry::Rect SequenceLayout::box(const SequenceActivation& a) const {
  return {edge_x(a.lifeline, a.depth, false), a.y0, edge_x(a.lifeline, a.depth, true), a.y1};
}

geometry::Rect SequenceLayout::box(const SequenceLoop& loop) const {
  const double side = 0.46 * column - kHalf * loop.nesting;
  return {line_x(loop.first) - side, loop.y0 + 2, line_x(loop.last) + side, loop.y1};
}

std::vector<geometry::Pt> SequenceLayout::path(const SequenceMessage& m) const {
  const double from = from_x(m), to = to_x(m);
  if (m.from != m.to) return {{from, m.y}, {to, m.y}};
  const double out = std::max(from, to) + kSelfOut;
  const double y0 = m.returns ? m.y : m.y - kSelfDown, y1 = m.returns ? m.y + kSelfBack : m.y;
  return {{from, y0}, {out, y0}, {out, y1}, {to, y1}};
}

SequenceLayout::Room SequenceLayout::label(const SequenceMessage& m) const {
  constexpr double kPad = 8;
  const double from = from_x(m), to = to_x(m);
  if (m.from == m.to) return {from + kSelfOut + 12, column - kSelfOut - 14};
  const double part = std::min(std::abs(to - from), column);
  return {(to >= from ? from : from - part) + 0.6 * kPad, part - kPad};
}

double own_share(uint64_t real_ns, uint64_t trace_ns) {
  return std::sqrt(std::min(1.0, double(real_ns) / double(std::max<uint64_t>(1, trace_ns))));
}

}  // namespace compmond::diagrams
