// SPDX-License-Identifier: Apache-2.0
#include "picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <map>
#include <tuple>

#include "ui/kit/draw.h"

namespace compmond::ui {
namespace {

constexpr float kLargeWidth = 24, kLargeHeight = 14;  // of a shape that is told by itself

struct Line {
  int y, x;
  std::string text;
  bool operator<(const Line& other) const {
    return std::tie(y, x, text) < std::tie(other.y, other.x, other.text);
  }
};

int whole(float pixels) { return int(std::floor(pixels + 0.25f)); }

std::string colour_text(ImU32 colour) {
  return fmt::format("#{:02x}{:02x}{:02x}{:02x}", colour & 0xff, colour >> 8 & 0xff,
                     colour >> 16 & 0xff, colour >> 24);
}

std::string font_name(const Theme& theme, const ImFont* font) {
  const std::pair<const ImFont*, const char*> names[] = {
      {theme.body, "body"},   {theme.bold, "bold"}, {theme.title, "title"},
      {theme.small, "small"}, {theme.mono, "mono"}, {theme.mono_small, "mono-small"}};
  for (const auto& [one, name] : names)
    if (one == font) return name;
  return "other";
}

bool of_part(const ImDrawList& list, const std::string& part) {
  return list._OwnerName && std::string(list._OwnerName).starts_with("compmond/" + part + "_");
}

// Glyphs that follow each other on a line are one text; blanks are where the pen has moved on.
std::vector<Line> texts(const Stage& stage, const std::string& part) {
  std::vector<Line> out;
  const Glyph* before = nullptr;
  float end = 0;
  std::string text;
  Line line{};
  const auto finish = [&] {
    if (!before) return;
    line.text =
        fmt::format("text  {:>4},{:<4} {:<10} {} {}", line.x, line.y,
                    font_name(stage.theme, before->font), colour_text(before->colour), text);
    out.push_back(line);
  };
  const std::vector<Glyph> all = stage.glyphs();
  for (const Glyph& glyph : all) {
    if (!of_part(*glyph.list, part) || glyph.max.y <= glyph.clip_min.y ||
        glyph.min.y >= glyph.clip_max.y || glyph.max.x <= glyph.clip_min.x ||
        glyph.min.x >= glyph.clip_max.x)
      continue;
    const float blank = glyph.font->GetCharAdvance(' ');
    const float gap = glyph.pen.x - end;
    if (before && before->font == glyph.font && before->colour == glyph.colour &&
        std::abs(before->pen.y - glyph.pen.y) < 0.5f && gap > -1 && gap < 3.5f * blank) {
      text.append(size_t(std::lround(std::max(0.f, gap) / blank)), ' ');
    } else {
      finish();
      text.clear();
      line = {whole(glyph.pen.y), whole(glyph.pen.x), {}};
    }
    text += utf8(glyph.code);
    end = glyph.pen.x + glyph.advance;
    before = &glyph;
  }
  finish();
  return out;
}

struct Box {
  ImVec2 min{FLT_MAX, FLT_MAX}, max{-FLT_MAX, -FLT_MAX};
  ImU32 colour = 0;

  void add(ImVec2 at) {
    min = {std::min(min.x, at.x), std::min(min.y, at.y)};
    max = {std::max(max.x, at.x), std::max(max.y, at.y)};
  }
  std::string text() const {
    return fmt::format("{:>4},{:<4} {}x{}", whole(min.x), whole(min.y), whole(max.x) - whole(min.x),
                       whole(max.y) - whole(min.y));
  }
};

// A shape is a run of triangles over vertices of its own; its soft rim has no colour.
std::vector<Box> boxes(const ImDrawList& list) {
  std::vector<Box> out;
  Box box;
  ImU32 strongest = 0;
  unsigned last = 0;
  for (const ImDrawCmd& cmd : list.CmdBuffer) {
    const auto finish = [&] {
      box.min = {std::max(box.min.x, cmd.ClipRect.x), std::max(box.min.y, cmd.ClipRect.y)};
      box.max = {std::min(box.max.x, cmd.ClipRect.z), std::min(box.max.y, cmd.ClipRect.w)};
      if (strongest > 0 && box.max.x > box.min.x && box.max.y > box.min.y) out.push_back(box);
      box = {};
      strongest = 0;
    };
    for (unsigned i = cmd.IdxOffset; i + 2 < cmd.IdxOffset + cmd.ElemCount; i += 3) {
      unsigned index[3];
      for (unsigned k = 0; k < 3; ++k) index[k] = list.IdxBuffer[int(i + k)];
      const auto vertex = [&](unsigned at) -> const ImDrawVert& {
        return list.VtxBuffer[int(cmd.VtxOffset + at)];
      };
      if (Stage::is_glyph(vertex(index[0]))) continue;
      const auto [low, high] = std::minmax({index[0], index[1], index[2]});
      if (low > last) finish();
      last = i == cmd.IdxOffset || low > last ? high : std::max(last, high);
      for (const unsigned at : index) {
        const ImU32 alpha = vertex(at).col >> 24;
        if (alpha == 0) continue;
        box.add(vertex(at).pos);
        if (alpha > strongest) strongest = alpha, box.colour = vertex(at).col;
      }
    }
    finish();
    last = 0;
  }
  return out;
}

std::vector<Line> shapes(const std::string& part) {
  struct Small {
    Box around;
    size_t count = 0;
  };
  std::vector<Line> out;
  std::map<ImU32, Small> small;
  const ImDrawData* data = ImGui::GetDrawData();
  for (int n = 0; n < data->CmdListsCount; ++n) {
    if (!of_part(*data->CmdLists[n], part)) continue;
    for (const ImDrawCmd& cmd : data->CmdLists[n]->CmdBuffer)
      if (const auto colour = ground_of(cmd)) {
        const Box box{{cmd.ClipRect.x, cmd.ClipRect.y}, {cmd.ClipRect.z, cmd.ClipRect.w}, *colour};
        out.push_back({whole(box.min.y), whole(box.min.x),
                       fmt::format("ground {} {}", box.text(), colour_text(*colour))});
      }
    for (const Box& box : boxes(*data->CmdLists[n])) {
      if (box.max.x - box.min.x >= kLargeWidth && box.max.y - box.min.y >= kLargeHeight) {
        out.push_back({whole(box.min.y), whole(box.min.x),
                       fmt::format("shape {} {}", box.text(), colour_text(box.colour))});
        continue;
      }
      Small& all = small[box.colour];
      all.around.add(box.min);
      all.around.add(box.max);
      ++all.count;
    }
  }
  for (const auto& [colour, all] : small)
    out.push_back(
        {whole(all.around.min.y), whole(all.around.min.x),
         fmt::format("small {} {} {} of them", all.around.text(), colour_text(colour), all.count)});
  return out;
}

}  // namespace

std::vector<std::string> picture(const Stage& stage, const std::string& part) {
  std::vector<Line> lines = texts(stage, part);
  for (Line& line : shapes(part)) lines.push_back(std::move(line));
  std::sort(lines.begin(), lines.end());
  std::vector<std::string> out;
  for (Line& line : lines) out.push_back(std::move(line.text));
  return out;
}

std::vector<std::string> difference(const std::vector<std::string>& before,
                                    const std::vector<std::string>& now) {
  std::map<std::string, long> surplus;
  for (const std::string& line : before) ++surplus[line];
  for (const std::string& line : now) --surplus[line];
  std::vector<std::string> out;
  const auto collect = [&](const std::vector<std::string>& lines, const char* sign, long step) {
    for (const std::string& line : lines) {
      long& left = surplus[line];
      if (left * step <= 0) continue;
      left -= step;
      out.push_back(sign + line);
    }
  };
  collect(before, "- ", 1);
  collect(now, "+ ", -1);
  return out;
}

}  // namespace compmond::ui
