// SPDX-License-Identifier: Apache-2.0
#include "geometry/shapes.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace compmond::geometry {
namespace {

Pt on_piece(const Pt* p, double t) {
  const double u = 1 - t;
  return p[0] * (u * u * u) + p[1] * (3 * u * u * t) + p[2] * (3 * u * t * t) + p[3] * (t * t * t);
}

// Liang-Barsky: clips the segment against one side after the other.
bool segment_crosses(Pt a, Pt b, const Rect& r) {
  double enter = 0, leave = 1;
  const double dx = b.x - a.x, dy = b.y - a.y;
  const double p[] = {-dx, dx, -dy, dy};
  const double q[] = {a.x - r.x0, r.x1 - a.x, a.y - r.y0, r.y1 - a.y};
  for (int side = 0; side < 4; ++side) {
    if (p[side] == 0) {
      if (q[side] < 0) return false;
      continue;
    }
    const double t = q[side] / p[side];
    if (p[side] < 0)
      enter = std::max(enter, t);
    else
      leave = std::min(leave, t);
  }
  return enter <= leave;
}

}  // namespace

double length(Pt vector) { return std::hypot(vector.x, vector.y); }

Rect Rect::joined(const Rect& o) const {
  if (o.empty()) return *this;
  if (empty()) return o;
  return {std::min(x0, o.x0), std::min(y0, o.y0), std::max(x1, o.x1), std::max(y1, o.y1)};
}

Rect bounds(const Curve& curve) {
  if (curve.empty()) return {};
  Rect r{curve[0].x, curve[0].y, curve[0].x, curve[0].y};
  for (const Pt p : curve)
    r = {std::min(r.x0, p.x), std::min(r.y0, p.y), std::max(r.x1, p.x), std::max(r.y1, p.y)};
  return r;
}

std::vector<Pt> flattened(const Curve& curve, int per_piece) {
  std::vector<Pt> line;
  if (curve.size() < 4) return line;
  line.reserve((curve.size() / 3) * size_t(per_piece) + 1);
  line.push_back(curve[0]);
  for (size_t i = 0; i + 3 < curve.size(); i += 3)
    for (int k = 1; k <= per_piece; ++k) line.push_back(on_piece(&curve[i], double(k) / per_piece));
  return line;
}

double length(const std::vector<Pt>& line) {
  double sum = 0;
  for (size_t i = 1; i < line.size(); ++i) sum += length(line[i] - line[i - 1]);
  return sum;
}

OnLine along(const std::vector<Pt>& line, double share) {
  if (line.empty()) return {};
  double left = length(line) * std::clamp(share, 0.0, 1.0);
  OnLine result{line.front(), {1, 0}};
  for (size_t i = 1; i < line.size(); ++i) {
    const Pt step = line[i] - line[i - 1];
    const double size = length(step);
    if (size <= 0) continue;
    result.direction = step * (1 / size);
    result.at = line[i - 1] + result.direction * std::min(left, size);
    if (left <= size) return result;
    left -= size;
  }
  return result;
}

ArrowHead arrow_head(const OnLine& end, double length, double half) {
  const Pt root = end.at - end.direction * length;
  const Pt side{end.direction.y * half, -end.direction.x * half};
  return {end.at, root - side, root + side};
}

double distance(const std::vector<Pt>& line, Pt p) {
  double nearest = std::numeric_limits<double>::infinity();
  for (size_t i = 1; i < line.size(); ++i) {
    const Pt a = line[i - 1], step = line[i] - a;
    const double square = step.x * step.x + step.y * step.y;
    const double t = square > 0 ? ((p.x - a.x) * step.x + (p.y - a.y) * step.y) / square : 0;
    nearest = std::min(nearest, length(p - (a + step * std::clamp(t, 0.0, 1.0))));
  }
  return nearest;
}

bool crosses(const std::vector<Pt>& line, const Rect& rect) {
  for (size_t i = 1; i < line.size(); ++i)
    if (segment_crosses(line[i - 1], line[i], rect)) return true;
  return false;
}

}  // namespace compmond::geometry
