// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "text/clean.h"
#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/model/switching.h"
#include "ui/views/map/map_ports.h"
#include "ui/views/shared/estimated.h"
#include "ui/views/shared/operation_name.h"

namespace compmond::ui {
namespace {

constexpr size_t kMostListed = 8;  // of the interfaces that a port stands for

// Of one whose calls are not seen, its samples.
double much(const snapshot::Figures& figures) {
  if (figures.seen || !figures.estimated) return shown_calls(figures);
  return double(figures.estimated->samples);
}

// Of a single one.
std::string told_of(const MapFrame& frame, const snapshot::Operation& interface) {
  if (is_refused(interface)) return "refused: " + text::clean(interface.reason);
  const snapshot::Figures& figures = interface.figures;
  std::string told;
  if (!figures.seen)
    told = samples_text(*estimated_of(figures));
  else
    told =
        fmt::format("calls  {}, {}{}", calls_text(figures), at_least_mark(figures),
                    text::per_second(frame.seconds > 0 ? shown_calls(figures) / frame.seconds : 0));
  const std::string off = off_text(frame.model, interface);
  if (off.empty()) return told;
  return off + (is_idle(figures) ? std::string() : ", before:\n" + told);
}

// Of many: a line for each of those that are called most, and how many others there are.
std::string listed(std::vector<const snapshot::Operation*> interfaces) {
  std::ranges::stable_sort(interfaces, std::ranges::greater(),
                           [](const auto* one) { return much(one->figures); });
  std::string out =
      interfaces.front()->figures.seen ? "calls, most first:" : "samples, most first:";
  for (const auto* one : std::span(interfaces).first(std::min(kMostListed, interfaces.size())))
    out += fmt::format("\n{}  {}",
                       is_refused(*one)    ? "refused"
                       : is_off(*one)      ? "switched off"
                       : one->figures.seen ? calls_text(one->figures)
                                           : text::count(uint64_t(much(one->figures))),
                       short_operation(one->name));
  if (interfaces.size() > kMostListed)
    out += fmt::format("\nand {} more", interfaces.size() - kMostListed);
  return out;
}

}  // namespace

void port_tooltip(const MapFrame& frame, const PortPlace& port) {
  const BoxSide of = side_of(frame, port.node, port.side);
  const std::string component = text::clean(frame.component(port.node).name);
  const bool in = port.side == Interface::kIn;
  const char* side = in ? "in" : "out";
  const char* meaning = in ? "A function through which others call the component."
                           : "A function through which the component calls others.";
  if (of.interfaces.empty())
    tooltip(frame.canvas.theme, component,
            fmt::format("{}, by connections of the spec or calls that were seen",
                        in ? "is called" : "calls others"),
            fmt::format("The spec names no {} interface of it.", side));
  else if (of.ports.folded)
    tooltip(frame.canvas.theme,
            fmt::format("{} {} interfaces of {}", of.interfaces.size(), side, component),
            listed(of.interfaces), meaning);
  else
    tooltip(frame.canvas.theme, text::clean(of.interfaces[port.index]->name),
            fmt::format("{} interface of {}\n{}", side, component,
                        told_of(frame, *of.interfaces[port.index])),
            meaning);
}

}  // namespace compmond::ui
