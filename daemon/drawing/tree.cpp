// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "drawing/svg.h"

namespace compmond::drawing {
namespace {

using traces::CallTree;

constexpr size_t kMostNodes = 5000;  // 110,000 pixels high: beyond that no viewer follows
constexpr double kMargin = 24, kTop = 76, kRow = 22, kIndent = 18, kBars = 300;
constexpr double kCounts = 90, kTimes = 90;
constexpr double kFlame = 1200, kBox = 20;
constexpr double kThinnest = 0.3;  // pixels; what is thinner nobody sees

struct At {
  uint32_t node;
  int depth;
};

Unexpected too_large(size_t nodes) {
  return fail(
      Exit::kData, "cannot draw the call tree",
      fmt::format("it has {} nodes, more than anybody can look at (at most {})", nodes, kMostNodes),
      "Use aggregated-call-tree, a coarser --level, or --format text or json.");
}

std::string about(const CallTree& tree, uint32_t node) {
  const CallTree::Node& n = tree.nodes()[node];
  return fmt::format("{}: {} ×, raw {}, real {}", tree.name(node), count_text(n.count),
                     duration_text(n.raw_ns), duration_text(n.real_ns));
}

// In the order of the tree, parents first.
std::vector<At> in_order(const CallTree& tree) {
  std::vector<At> out, open = {{0, 0}};
  while (!open.empty()) {
    const At at = open.back();
    open.pop_back();
    out.push_back(at);
    const auto& children = tree.nodes()[at.node].children;
    for (auto child = children.rbegin(); child != children.rend(); ++child)
      open.push_back({*child, at.depth + 1});
  }
  return out;
}

// Warm colours that tell neighbours apart: by name, so that a name keeps its colour.
std::string flame_colour(const std::string& name) {
  const size_t hash = std::hash<std::string>()(name);
  return fmt::format("hsl({}, {}%, {}%)", 10 + hash % 42, 70 + (hash >> 8) % 20,
                     62 + (hash >> 16) % 12);
}

// Per node the time that its box needs: its raw time, or more where what another thread did for it
// took longer than it did itself.
std::vector<uint64_t> extents(const CallTree& tree) {
  std::vector<uint64_t> out(tree.nodes().size());
  for (size_t i = out.size(); i-- > 0;) {  // a child stands behind its parent
    for (const uint32_t child : tree.nodes()[i].children) out[i] += out[child];
    out[i] = std::max(out[i], tree.nodes()[i].raw_ns);
  }
  return out;
}

}  // namespace

Result<void> write_svg_tree(Out& out, const CallTree& tree) {
  if (tree.nodes().size() > kMostNodes) return too_large(tree.nodes().size());
  const std::vector<At> rows = in_order(tree);
  double names = 200;
  for (const At& at : rows)
    names = std::max(names, at.depth * kIndent + Svg::width_of(tree.name(at.node), 12) + 20);
  names = std::min(names, 900.0);
  const double counts = kMargin + names + kCounts, raw = counts + kTimes, real = raw + kTimes;
  const double bars = real + 20;
  Svg svg(out, bars + kBars + kMargin, kTop + kRow * double(rows.size()) + kMargin, "Call tree");
  svg.text(kMargin, kMargin + 8, "Call tree", 16);
  constexpr auto kEnd = Svg::Anchor::kEnd;
  constexpr const char* kPale = "#718096";
  svg.text(counts, kTop - 8, "calls", 11, kEnd, 0, kPale);
  svg.text(raw, kTop - 8, "raw", 11, kEnd, 0, kPale);
  svg.text(real, kTop - 8, "real", 11, kEnd, 0, kPale);
  svg.rect(bars, kTop - 17, 10, 10, "#bee3f8");
  svg.text(bars + 14, kTop - 8, "raw", 11, Svg::Anchor::kStart, 0, kPale);
  svg.rect(bars + 48, kTop - 17, 10, 10, "#f6ad55");
  svg.text(bars + 62, kTop - 8, "real", 11, Svg::Anchor::kStart, 0, kPale);
  uint64_t longest = 1;  // not always the root: see extents()
  for (const CallTree::Node& node : tree.nodes()) longest = std::max(longest, node.raw_ns);
  const double scale = kBars / double(longest);
  std::vector<double> last_y;  // of the latest node on each level
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto [node, depth] = rows[i];
    const CallTree::Node& n = tree.nodes()[node];
    const double y = kTop + kRow * double(i) + 15;
    const double x = std::min(kMargin + depth * kIndent, kMargin + names - 100);
    last_y.resize(size_t(depth) + 1);
    last_y[size_t(depth)] = y;
    if (depth > 0) {
      const double stem = x - kIndent + 6;
      svg.line(stem, last_y[size_t(depth) - 1] + 4, stem, y - 4, "#cbd5e0");
      svg.line(stem, y - 4, x - 3, y - 4, "#cbd5e0");
    }
    svg.text(x, y, tree.name(node), 12, Svg::Anchor::kStart, kMargin + names - x);
    svg.text(counts, y, count_text(n.count), 12, kEnd);
    svg.text(raw, y, duration_text(n.raw_ns), 12, kEnd);
    svg.text(real, y, node == 0 ? "" : duration_text(n.real_ns), 12, kEnd);
    svg.rect(bars, y - 10, std::max(double(n.raw_ns) * scale, 0.5), 12, "#bee3f8",
             about(tree, node));
    if (n.real_ns > 0)
      svg.rect(bars, y - 10, std::max(double(n.real_ns) * scale, 0.5), 12, "#f6ad55",
               about(tree, node));
  }
  svg.end();
  return {};
}

Result<void> write_svg_flame(Out& out, const CallTree& tree) {
  const std::vector<uint64_t> extent = extents(tree);
  const double scale = kFlame / double(std::max<uint64_t>(extent[0], 1));
  struct Box {
    uint32_t node;
    int depth;
    double x;
  };
  std::vector<Box> open = {{0, 0, 0}}, boxes;
  int deepest = 0;
  while (!open.empty()) {
    const Box box = open.back();
    open.pop_back();
    if (double(extent[box.node]) * scale < kThinnest) continue;
    boxes.push_back(box);
    deepest = std::max(deepest, box.depth);
    double x = box.x;
    for (const uint32_t child : tree.nodes()[box.node].children) {
      open.push_back({child, box.depth + 1, x});
      x += double(extent[child]) * scale;
    }
  }
  if (boxes.size() > 10 * kMostNodes) return too_large(boxes.size());
  const double height = kTop + kBox * (deepest + 1) + kMargin;
  const std::string title =
      fmt::format("Flame graph: {} in {} traces", duration_text(tree.nodes()[0].raw_ns),
                  count_text(tree.nodes()[0].count));
  Svg svg(out, kFlame + 2 * kMargin, height, title);
  svg.text(kMargin, kMargin + 8, title, 16);
  for (const Box& box : boxes) {
    const double width = double(extent[box.node]) * scale;
    const double y = height - kMargin - kBox * (box.depth + 1);
    const std::string name = tree.name(box.node);
    svg.rect(kMargin + box.x, y, std::max(width - 0.5, 0.3), kBox - 1,
             box.node == 0 ? "#e2e8f0" : flame_colour(name), about(tree, box.node));
    if (width > 24) svg.text(kMargin + box.x + 4, y + 14, name, 11, Svg::Anchor::kStart, width - 8);
  }
  svg.end();
  return {};
}

}  // namespace compmond::drawing
