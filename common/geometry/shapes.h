// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

// Points, rectangles and smooth lines in layout units: one unit is a pixel at zoom 1; y grows down.
namespace compmond::geometry {

struct Pt {
  double x = 0, y = 0;
  bool operator==(const Pt&) const = default;
  Pt operator+(Pt o) const { return {x + o.x, y + o.y}; }
  Pt operator-(Pt o) const { return {x - o.x, y - o.y}; }
  Pt operator*(double f) const { return {x * f, y * f}; }
};

double length(Pt vector);

struct Rect {
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  bool operator==(const Rect&) const = default;
  double width() const { return x1 - x0; }
  double height() const { return y1 - y0; }
  Pt centre() const { return {(x0 + x1) / 2, (y0 + y1) / 2}; }
  bool empty() const { return !(x1 > x0 && y1 > y0); }
  bool contains(Pt p) const { return p.x >= x0 && p.x <= x1 && p.y >= y0 && p.y <= y1; }
  // Whether they share more than an edge.
  bool overlaps(const Rect& o) const { return x0 < o.x1 && o.x0 < x1 && y0 < o.y1 && o.y0 < y1; }
  Rect grown(double by) const { return {x0 - by, y0 - by, x1 + by, y1 + by}; }
  Rect moved(Pt by) const { return {x0 + by.x, y0 + by.y, x1 + by.x, y1 + by.y}; }
  Rect joined(const Rect& o) const;  // the smallest around both; an empty one adds nothing
};

// Cubic Bézier pieces end to end: 3n + 1 points, of which every third is on the line. Empty: none.
using Curve = std::vector<Pt>;

Rect bounds(const Curve& curve);  // of the control points, so around the whole line
// The line as `per_piece` straight parts for each piece.
std::vector<Pt> flattened(const Curve& curve, int per_piece);

double length(const std::vector<Pt>& line);
// The point at `share` (0 to 1) of a straight-sided line's length, and its direction (length 1).
struct OnLine {
  Pt at, direction;
};
OnLine along(const std::vector<Pt>& line, double share);
// The corners of an arrow's head: its tip, where the line ends, and two `half` beside the line,
// `length` back.
using ArrowHead = std::array<Pt, 3>;
ArrowHead arrow_head(const OnLine& end, double length, double half);
// Distance of `p` from the line; infinite when it has no points.
double distance(const std::vector<Pt>& line, Pt p);
// Whether any part of the line lies inside.
bool crosses(const std::vector<Pt>& line, const Rect& rect);

}  // namespace compmond::geometry
