// SPDX-License-Identifier: Apache-2.0
#include "drawing/call_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "drawing/drawings.h"
#include "drawing/svg.h"
#include "text/numbers.h"

namespace compmond::drawing {
namespace {

using geometry::Rect;
using graphs::CallTree;

constexpr double kTop = 76, kRow = 22, kIndent = 18, kBars = 300;
constexpr double kLeastNames = 200, kMostNames = 900, kCounts = 90, kTimes = 90;
constexpr Words kTitle{.size = 11, .fill = kDim};
constexpr Words kTitleRight{.size = 11, .anchor = Words::Anchor::kEnd, .fill = kDim};
constexpr Words kRight{.anchor = Words::Anchor::kEnd};

// Where the columns of the table are.
struct Columns {
  explicit Columns(double name_width) : names(name_width) {}
  double names;
  double counts = Svg::kMargin + names + kCounts, raw = counts + kTimes, real = raw + kTimes,
         bars = real + 20;
};

void draw_titles(Svg& svg, const Columns& at) {
  svg.text({at.counts, kTop - 8}, "calls", kTitleRight);
  svg.text({at.raw, kTop - 8}, "raw", kTitleRight);
  svg.text({at.real, kTop - 8}, "real", kTitleRight);
  svg.rect({at.bars, kTop - 17, at.bars + 10, kTop - 7}, {.fill = kBarLine, .round = 2});
  svg.text({at.bars + 14, kTop - 8}, "raw", kTitle);
  svg.rect({at.bars + 48, kTop - 17, at.bars + 58, kTop - 7}, {.fill = kHue, .round = 2});
  svg.text({at.bars + 62, kTop - 8}, "real", kTitle);
}

void draw_figures(Svg& svg, const Columns& at, const CallTree& tree, uint32_t node, double y,
                  double scale) {
  const CallTree::Node& n = tree.nodes()[node];
  svg.text({at.counts, y}, text::count(n.count), kRight);
  svg.text({at.raw, y}, text::duration(n.raw_ns), kRight);
  if (node != 0) svg.text({at.real, y}, text::duration(n.net_real_ns()), kRight);
  const auto bar = [&](uint64_t ns, geometry::Rgb fill) {
    const double width = std::max(double(ns) * scale, 0.5);
    svg.rect({at.bars, y - 10, at.bars + width, y + 2}, {.fill = fill, .round = 2},
             about(tree, node));
  };
  bar(n.raw_ns, kBarLine);
  if (const uint64_t real_ns = n.net_real_ns()) bar(real_ns, kHue);
}

}  // namespace

diagrams::CallTree diagram_of(const CallTree& tree) {
  std::vector<snapshot::AnalysisView::Operation> operations;
  for (uint32_t i = 0; i < tree.names().size(); ++i)
    operations.push_back({"", tree.names().name(i)});
  snapshot::CallTree out;
  for (const CallTree::Node& node : tree.nodes())
    out.nodes.push_back(
        {-1, node.thing, node.count, node.raw_ns, node.real_ns, node.net_real_ns()});
  for (uint32_t i = 0; i < out.nodes.size(); ++i)
    for (const uint32_t child : tree.nodes()[i].children) out.nodes[child].parent = int32_t(i);
  return {std::move(operations), out};
}

std::string about(const CallTree& tree, uint32_t node) {
  const CallTree::Node& n = tree.nodes()[node];
  return fmt::format("{}: {} ×, raw {}, real {}", tree.name(node), text::count(n.count),
                     text::duration(n.raw_ns), text::duration(n.net_real_ns()));
}

Unexpected too_large(size_t nodes) {
  return fail(Exit::kData, "cannot draw the call tree",
              fmt::format("it has {} nodes, more than anybody can look at (at most {})", nodes,
                          kMostTreeRows),
              "Use aggregated-call-tree, a coarser --level, or --format text or json.");
}

Result<void> draw_tree(Out& out, const CallTree& tree) {
  if (tree.nodes().size() > kMostTreeRows) return too_large(tree.nodes().size());
  const diagrams::CallTree diagram = diagram_of(tree);
  const auto rows = diagrams::tree_rows(diagram, {diagrams::TreeColumn::kStart, false},
                                        diagrams::TreeOpening::all(), nullptr);
  double names = kLeastNames;
  for (const auto& row : rows)
    names = std::max(names, diagram.nodes[row.node].depth * kIndent +
                                Svg::width_of(tree.name(row.node), 12) + 20);
  const Columns at(std::min(names, kMostNames));
  uint64_t longest = 1;  // not always the root: another thread may take longer than its caller
  for (const CallTree::Node& node : tree.nodes()) longest = std::max(longest, node.raw_ns);
  Svg svg(out, at.bars + kBars + Svg::kMargin, kTop + kRow * double(rows.size()) + Svg::kMargin,
          "Call tree");
  draw_titles(svg, at);
  std::vector<double> last_y;  // of the latest node on each level
  for (size_t i = 0; i < rows.size(); ++i) {
    const uint32_t node = rows[i].node;
    const int depth = diagram.nodes[node].depth;
    const double y = kTop + kRow * double(i) + 15;
    const double x = Svg::kMargin + std::min(depth * kIndent, at.names - 100);
    last_y.resize(size_t(depth) + 1);
    last_y[size_t(depth)] = y;
    const double stem = x - kIndent + 6;
    if (depth > 0)
      svg.line({{stem, last_y[size_t(depth) - 1] + 4}, {stem, y - 4}, {x - 3, y - 4}},
               {.stroke = kFaint});
    svg.text({x, y}, tree.name(node), {.room = Svg::kMargin + at.names - x});
    draw_figures(svg, at, tree, node, y, kBars / double(longest));
  }
  svg.end();
  return {};
}

}  // namespace compmond::drawing
