// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "layout/ports.h"
#include "ui/views/map/map_frame.h"

// The ports on the boxes of the map: one per interface, as far as there is room for them.
namespace compmond::ui {

struct BoxSide {
  // The snapshot's; empty where there are lines all the same: that port stands for all calls.
  std::vector<const snapshot::Operation*> interfaces;
  layout::Ports ports;  // in layout units; none where boxes show their colour alone
};
BoxSide side_of(const MapFrame& frame, size_t node, Interface side);

void draw_ports(const MapFrame& frame, size_t node);
// How much of a line that arrives at the box its ports cover, in layout units.
double covered_by_ports(const MapFrame& frame, size_t node);
// Where the numbers of folded ports stand beside boxes, in layout units; none while they say none.
std::vector<geometry::Rect> numbered_ports(const MapFrame& frame);

// The port that the mouse means at that place.
std::optional<PortPlace> port_at(const MapFrame& frame, geometry::Pt at);
void port_tooltip(const MapFrame& frame, const PortPlace& port);

}  // namespace compmond::ui
