// SPDX-License-Identifier: Apache-2.0
#include "export/plantuml.h"

#include <algorithm>

#include "text/clean.h"
#include "text/numbers.h"

namespace compmond::exporting {

using drawing::GraphPicture;
using graphs::Message;

std::string plantuml_text(std::string_view text) {
  std::string out;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    if (at > 0) out += "\\n";
    char before = '\0';
    for (const char c : text::clean(text.substr(at, end - at))) {
      const bool always = std::string_view("<>\"\\#").find(c) != std::string_view::npos;
      const bool doubled =
          c == before && std::string_view("*/_-~").find(c) != std::string_view::npos;
      if (always || doubled)
        out += fmt::format("<U+{:04X}>", uint8_t(c));
      else
        out += c;
      before = c;
    }
    at = end + 1;
  }
  return out;
}

void write_plantuml(Out& out, const GraphPicture& picture) {
  out.format("@startuml\ntitle {}\n", plantuml_text(picture.title));
  if (picture.left_to_right) out.put("left to right direction\n");
  const auto node = [&](size_t i) {
    out.format("{} \"{}\" as n{}\n", picture.nodes[i].outside ? "circle" : "rectangle",
               plantuml_text(picture.nodes[i].label), i);
  };
  for (size_t group = 0; group < picture.groups.size(); ++group) {
    out.format("package \"{}\" {{\n", plantuml_text(picture.groups[group]));
    for (size_t i = 0; i < picture.nodes.size(); ++i)
      if (picture.nodes[i].group == int(group)) node(i);
    out.put("}\n");
  }
  for (size_t i = 0; i < picture.nodes.size(); ++i)
    if (picture.nodes[i].group < 0) node(i);
  for (const GraphPicture::Edge& edge : picture.edges)
    out.format("n{} {} n{}{}\n", edge.from, edge.dashed ? "..>" : "-->", edge.to,
               edge.label.empty() ? "" : " : " + plantuml_text(edge.label));
  out.put("@enduml\n");
}

void write_plantuml(Out& out, const graphs::Sequence& sequence) {
  out.format("@startuml\ntitle Trace {}", sequence.trace_id);
  if (sequence.cardinality > 1)
    out.format("\\nfirst of {} with the same control flow", sequence.cardinality);
  out.put("\n");
  for (size_t i = 0; i < sequence.lifelines.size(); ++i)
    out.format("participant \"{}\" as p{}\n", plantuml_text(sequence.lifelines[i]), i);
  const auto end = [](int32_t line) { return line < 0 ? std::string() : fmt::format("p{}", line); };
  for (const auto& step : sequence.steps) {
    const bool call = step.kind == Message::Kind::kCall;
    const int32_t callee = call ? step.to : step.from, caller = call ? step.from : step.to;
    if (call)
      out.put((caller < 0 ? std::string("[") : end(caller) + " ") + "-> " + end(callee));
    else if (caller < 0)
      out.put((step.failed ? "[x<-- " : "[<-- ") + end(callee));
    else
      out.put(end(callee) + (step.failed ? " --x " : " --> ") + end(caller));
    if (call)
      out.format(" : {}\nactivate {}\n", plantuml_text(step.operation), end(callee));
    else
      out.format("\ndeactivate {}\n", end(callee));
  }
  out.put("@enduml\n");
}

void write_plantuml(Out& out, const graphs::CallTree& tree) {
  out.put("@startmindmap\n");
  struct At {
    uint32_t node;
    size_t depth;
  };
  std::vector<At> open = {{0, 1}};
  while (!open.empty()) {
    const At at = open.back();
    open.pop_back();
    const graphs::CallTree::Node& node = tree.nodes()[at.node];
    out.format("{}_ {} ({} ×, {})\n", std::string(at.depth, '*'), plantuml_text(tree.name(at.node)),
               node.count, text::duration(node.raw_ns));
    for (auto child = node.children.rbegin(); child != node.children.rend(); ++child)
      open.push_back({*child, at.depth + 1});
  }
  out.put("@endmindmap\n");
}

}  // namespace compmond::exporting
