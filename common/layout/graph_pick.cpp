// SPDX-License-Identifier: Apache-2.0
#include "layout/graph_pick.h"

namespace compmond::layout {

using geometry::Pt;

int box_at(const MapScene& scene, const std::vector<char>& shown, Pt at) {
  for (size_t n = scene.boxes.size(); n-- > 0;)
    if ((shown.empty() || shown[n]) && !scene.boxes[n].empty() && scene.boxes[n].contains(at))
      return int(n);
  return -1;
}

int line_at(const MapScene& scene, const std::vector<char>& shown, Pt at, double reach) {
  double nearest = reach;
  int found = -1;
  for (size_t e = 0; e < scene.lines.size(); ++e) {
    if ((!shown.empty() && !shown[e]) || !bounds(scene.curves[e]).grown(reach).contains(at))
      continue;
    const double away = distance(scene.lines[e], at);
    if (away >= nearest) continue;
    nearest = away;
    found = int(e);
  }
  return found;
}

}  // namespace compmond::layout
