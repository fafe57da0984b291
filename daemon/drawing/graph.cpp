// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "drawing/drawings.h"
#include "drawing/svg.h"
#include "layout/map_scene.h"
#include "layout/route.h"

namespace compmond::drawing {
namespace {

using geometry::Curve;
using geometry::Pt;
using geometry::Rect;

// Beyond this nobody can read the picture, and the layout takes minutes.
constexpr size_t kMostNodes = 2000, kMostEdges = 4000;
constexpr double kTextLine = 15, kSmallLine = 12;  // height of a line of text
constexpr double kLeastBox = 60, kMostBox = 420, kSide = 14;
constexpr int kParts = 14;  // straight ones of a curve's piece, to find places for labels

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

double width_of(std::string_view text, double size) {
  double widest = 0;
  for (const std::string_view line : lines_of(text))
    widest = std::max(widest, Svg::width_of(line, size));
  return widest;
}

// A picture with a place for everything: boxes and frames of groups as the window arranges its own.
class PlacedPicture {
 public:
  explicit PlacedPicture(const GraphPicture& picture)
      : picture_(picture), style_(style_of(picture)) {
    make_graph();
    scene_ = layout::compose(graph_, layout::arrange(graph_, style_), style_, {});
    lead_lines();
    place_labels();
    bounds_ = scene_.bounds;
    for (const Curve& curve : curves_) bounds_ = bounds_.joined(geometry::bounds(curve));
    for (const Rect& label : labels_) bounds_ = bounds_.joined(label);
  }

  const Rect& bounds() const { return bounds_; }
  const layout::MapStyle& style() const { return style_; }
  const Rect& frame(size_t group) const { return scene_.frames[group]; }
  const Rect& box(size_t node) const { return scene_.boxes[picture_.groups.size() + node]; }
  const Curve& curve(size_t edge) const { return curves_[edge]; }
  const std::vector<Pt>& line(size_t edge) const { return lines_[edge]; }
  // Empty where the edge says nothing.
  const Rect& label(size_t edge) const { return labels_[edge]; }

 private:
  static layout::MapStyle style_of(const GraphPicture& picture) {
    layout::MapStyle style;
    size_t lines = 1;
    double widest = kLeastBox, label = 30;
    for (const auto& node : picture.nodes) {
      lines = std::max(lines, lines_of(node.label).size());
      widest = std::max(widest, width_of(node.label, 12) + 2 * kSide);
    }
    for (const auto& edge : picture.edges) label = std::max(label, width_of(edge.label, 10));
    style.box_width = std::min(widest, kMostBox);
    style.box_height = double(lines) * kTextLine + 16;
    style.gap_x = label + 44;
    style.gap_y = 30;
    return style;
  }

  // Groups are the first nodes: frames without a box.
  void make_graph() {
    for (const std::string& group : picture_.groups)
      graph_.nodes.push_back({group, -1, false, true});
    for (const auto& node : picture_.nodes) graph_.nodes.push_back({node.label, node.group, true});
    for (const auto& edge : picture_.edges) {
      if (edge.from == edge.to) continue;
      const int from = number(edge.from), to = number(edge.to);
      if (numbers_.emplace(std::pair(from, to), graph_.edges.size()).second)
        graph_.edges.push_back({from, to, true});
    }
  }
  int number(uint32_t node) const { return int(picture_.groups.size() + node); }

  void lead_lines() {
    for (const auto& edge : picture_.edges) {
      const bool self = edge.from == edge.to;
      curves_.push_back(self ? layout::self_loop(box(edge.from))
                             : scene_.curves[numbers_.at({number(edge.from), number(edge.to)})]);
      lines_.push_back(geometry::flattened(curves_.back(), kParts));
    }
  }

  void place_labels() {
    std::vector<layout::LabelWish> wishes;
    std::vector<const std::vector<Pt>*> lines;
    for (size_t e = 0; e < lines_.size(); ++e) {
      const std::string& text = picture_.edges[e].label;
      lines.push_back(&lines_[e]);
      wishes.push_back(
          {&lines_[e], width_of(text, 10), kSmallLine * double(lines_of(text).size()), 0});
    }
    const auto places = layout::place_labels(wishes, scene_.boxes, lines);
    for (size_t e = 0; e < places.size(); ++e) {
      if (picture_.edges[e].label.empty() || lines_[e].size() < 2) {
        labels_.emplace_back();
      } else if (places[e]) {
        labels_.push_back(places[e]->rect);
      } else {  // there is no free place: on the line, as what it says is not to be lost
        const Pt at = geometry::along(lines_[e], 0.5).at;
        const double half = wishes[e].width / 2, high = wishes[e].height / 2;
        labels_.push_back({at.x - half, at.y - high, at.x + half, at.y + high});
      }
    }
  }

  const GraphPicture& picture_;
  layout::MapStyle style_;
  layout::MapGraph graph_;
  std::map<std::pair<int, int>, size_t> numbers_;  // of edges
  layout::MapScene scene_;
  std::vector<Curve> curves_;           // per edge of the picture
  std::vector<std::vector<Pt>> lines_;  // likewise, as straight parts
  std::vector<Rect> labels_;
  Rect bounds_;
};

// Around the middle of `rect`.
void draw_words(Svg& svg, const Rect& rect, std::string_view text, Words words, double line) {
  words.anchor = Words::Anchor::kMiddle;
  const auto lines = lines_of(text);
  double y = rect.centre().y - line * (double(lines.size()) / 2 - 0.5) + words.size * 0.35;
  for (const std::string_view one : lines) {
    svg.text({rect.centre().x, y}, one, words);
    y += line;
  }
}

std::string in_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

void draw_line(Svg& svg, const GraphPicture& picture, const PlacedPicture& placed, size_t e) {
  const GraphPicture::Edge& edge = picture.edges[e];
  if (placed.curve(e).empty()) return;
  const double width = 1 + 3 * edge.weight;
  svg.curve(placed.curve(e), {.stroke = kFaint, .width = width, .dashed = edge.dashed},
            in_one_line(fmt::format("{} -> {}: {}", picture.nodes[edge.from].label,
                                    picture.nodes[edge.to].label, edge.label)));
  svg.head(geometry::arrow_head(geometry::along(placed.line(e), 1), 1.2 * (5 + width),
                                0.6 * (5 + width)),
           kDim);
}

void draw_box(Svg& svg, const GraphPicture::Node& node, const Rect& box) {
  const geometry::Rgb fill = node.outside ? kPaper : heat(100 * node.heat);
  svg.rect(box, {.fill = fill, .stroke = kBarLine, .round = node.outside ? box.height() / 2 : 7},
           in_one_line(node.label));
  draw_words(svg, box, node.label,
             {.room = box.width() - kSide, .fill = geometry::readable_on(fill, kPaper, kInk)},
             kTextLine);
}

}  // namespace

Result<void> draw_graph(Out& out, const GraphPicture& picture) {
  if (picture.nodes.size() > kMostNodes || picture.edges.size() > kMostEdges)
    return fail(Exit::kData, "cannot draw the graph",
                fmt::format("{} nodes and {} edges are more than anybody can read (at most {} and "
                            "{})",
                            picture.nodes.size(), picture.edges.size(), kMostNodes, kMostEdges),
                "Use a coarser --level, or --format json or dot.");
  const PlacedPicture placed(picture);
  const Rect& all = placed.bounds();
  Svg svg(out, all.width() + 2 * Svg::kMargin, all.height() + Svg::kHeading + Svg::kMargin,
          picture.title);
  svg.shift({Svg::kMargin - all.x0, Svg::kHeading - all.y0});
  for (size_t group = 0; group < picture.groups.size(); ++group) {
    const Rect& frame = placed.frame(group);
    svg.rect(frame, {.fill = kPanel, .stroke = kBarLine, .round = 9});
    svg.text({frame.x0 + 8, frame.y0 + placed.style().frame_title / 2 + 5}, picture.groups[group],
             {.size = 13, .room = frame.width() - 16});
  }
  for (size_t e = 0; e < picture.edges.size(); ++e) draw_line(svg, picture, placed, e);
  for (size_t n = 0; n < picture.nodes.size(); ++n) draw_box(svg, picture.nodes[n], placed.box(n));
  for (size_t e = 0; e < picture.edges.size(); ++e) {
    const Rect& label = placed.label(e);
    if (label.empty()) continue;
    svg.rect(label.grown(1), {.fill = kPaper, .opacity = 0.8});
    draw_words(svg, label, picture.edges[e].label, {.size = 10, .fill = kText}, kSmallLine);
  }
  svg.end();
  return {};
}

}  // namespace compmond::drawing
