// SPDX-License-Identifier: Apache-2.0
#include "export/dot.h"

#include <algorithm>

#include "drawing/svg.h"
#include "text/clean.h"

namespace compmond::exporting {

using drawing::GraphPicture;

namespace {

// A quoted string of DOT: in it only the quote and the backslash mean something. A line break is
// written \n.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  size_t at = 0;
  while (at <= text.size()) {
    const size_t end = std::min(text.find('\n', at), text.size());
    if (at > 0) out += "\\n";
    for (const char c : text::clean(text.substr(at, end - at))) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    at = end + 1;
  }
  return out + "\"";
}

// With room at both sides: the reader's font may be wider than the one the layout counts with.
std::string roomy(std::string_view text) {
  std::string out;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    out += fmt::format("{}  {}  ", at == 0 ? "" : "\n", text.substr(at, end - at));
    at = end + 1;
  }
  return quoted(out);
}

void write_filled(Out& out, size_t i, const char* indent, const GraphPicture::Node& node) {
  const geometry::Rgb fill = drawing::heat(100 * node.heat);
  out.format("{}n{} [label={}, fillcolor=\"{}\", fontcolor=\"{}\"];\n", indent, i,
             roomy(node.label), drawing::hex(fill),
             drawing::hex(geometry::readable_on(fill, drawing::kPaper, drawing::kInk)));
}

void write_node(Out& out, const GraphPicture& picture, size_t i, const char* indent) {
  const GraphPicture::Node& node = picture.nodes[i];
  if (node.outside)
    out.format("{}n{} [label={}, shape=circle, style=\"\", width=0.4];\n", indent, i,
               quoted(node.label));
  else
    write_filled(out, i, indent, node);
}

}  // namespace

void write_dot(Out& out, const GraphPicture& picture) {
  out.put("digraph G {\n");
  out.format("  label={}; labelloc=t; fontname=\"Helvetica\"; fontsize=16;\n",
             quoted(picture.title));
  out.format("  rankdir={}; nodesep=0.35; ranksep=0.7;\n", picture.left_to_right ? "LR" : "TB");
  out.put(
      "  node [shape=box, style=\"rounded,filled\", fillcolor=white, color=\"#4a5568\", "
      "fontname=\"Helvetica\", fontsize=12, margin=\"0.25,0.1\"];\n"
      "  edge [color=\"#718096\", fontcolor=\"#2d3748\", fontname=\"Helvetica\", fontsize=10, "
      "arrowsize=0.7];\n");
  for (size_t group = 0; group < picture.groups.size(); ++group) {
    out.format(
        "  subgraph cluster_{} {{\n    label={}; fontsize=13; style=\"rounded,filled\"; "
        "color=\"#cbd5e0\"; fillcolor=\"#f7fafc\";\n",
        group, roomy(picture.groups[group]));
    for (size_t i = 0; i < picture.nodes.size(); ++i)
      if (picture.nodes[i].group == int(group)) write_node(out, picture, i, "    ");
    out.put("  }\n");
  }
  for (size_t i = 0; i < picture.nodes.size(); ++i)
    if (picture.nodes[i].group < 0) write_node(out, picture, i, "  ");
  for (const GraphPicture::Edge& edge : picture.edges)
    out.format("  n{} -> n{} [label={}, penwidth={:.2f}{}];\n", edge.from, edge.to,
               edge.label.empty() ? "\"\"" : roomy(edge.label), 0.8 + 3 * edge.weight,
               edge.dashed ? ", style=dashed" : "");
  out.put("}\n");
}

}  // namespace compmond::exporting
