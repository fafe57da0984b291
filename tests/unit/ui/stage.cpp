// SPDX-License-Identifier: Apache-2.0
#define GLFW_INCLUDE_NONE
#include "stage.h"

#include <GLFW/glfw3.h>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <thread>

#include "ui/views/kinds.h"

namespace compmond::ui {
namespace {

// The fonts of all tests: reading and drawing their glyphs takes longer than all frames.
struct Fonts {
  ImFontAtlas atlas;
  Theme theme = make_theme(true, 1);
};

Fonts& fonts() {
  static Fonts* const kFonts = [] {
    auto* made = new Fonts;
    ImGuiContext* context = ImGui::CreateContext(&made->atlas);
    ImGui::SetCurrentContext(context);
    const auto loaded = load_fonts(made->theme);
    REQUIRE_MESSAGE(loaded, (loaded ? "" : loaded.error().text()));
    ImGui::DestroyContext(context);
    return made;
  }();
  return *kFonts;
}

ImGuiContext* make_context() {
  Fonts& shared = fonts();
  ImGuiContext* context = ImGui::CreateContext(&shared.atlas);
  ImGui::SetCurrentContext(context);
  ImGui::GetIO().IniFilename = nullptr;
  for (const auto& [key, glfw] : {std::pair{ImGuiKey_Space, GLFW_KEY_SPACE},
                                  {ImGuiKey_Enter, GLFW_KEY_ENTER},
                                  {ImGuiKey_Escape, GLFW_KEY_ESCAPE},
                                  {ImGuiKey_UpArrow, GLFW_KEY_UP},
                                  {ImGuiKey_DownArrow, GLFW_KEY_DOWN}})
    ImGui::GetIO().KeyMap[key] = glfw;
  ImGui::GetIO().BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;  // as with OpenGL 3.2
  return context;
}

Theme make(bool dark) {
  Theme theme = make_theme(dark, 1);
  const Theme& shared = fonts().theme;
  theme.body = shared.body, theme.bold = shared.bold, theme.title = shared.title;
  theme.small = shared.small, theme.mono = shared.mono, theme.mono_small = shared.mono_small;
  return theme;
}

// Glyphs are known by their place in the fonts' texture.
struct Shape {
  const ImFont* font;
  const ImFontGlyph* glyph;
};
const std::map<std::pair<float, float>, Shape>& shapes() {
  static const auto kByPlace = [] {
    std::map<std::pair<float, float>, Shape> map;
    for (const ImFont* font : fonts().atlas.Fonts)
      for (const ImFontGlyph& glyph : font->Glyphs)
        if (glyph.Visible) map[{glyph.U0, glyph.V0}] = {font, &glyph};
    return map;
  }();
  return kByPlace;
}

std::string without_blanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

}  // namespace

std::string utf8(ImWchar code) {
  if (code < 0x80) return std::string(1, char(code));
  if (code < 0x800) return {char(0xc0 | code >> 6), char(0x80 | (code & 0x3f))};
  return {char(0xe0 | code >> 12), char(0x80 | (code >> 6 & 0x3f)), char(0x80 | (code & 0x3f))};
}

Stage::Stage(float width, float height, bool dark)
    : theme(make(dark)),
      app(model, theme, view_kinds()),
      context_(make_context()),
      width_(width),
      height_(height) {
  apply_style(theme);
  model.settings.dark = dark;
  model.clock_s = 100;
  ImGui::GetIO().MousePos = {-1, -1};
}

Stage::~Stage() { ImGui::DestroyContext(context_); }

void Stage::frame(double seconds) {
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {width_, height_};
  io.DeltaTime = float(std::max(seconds, 1e-6));
  model.clock_s += seconds;
  ImGui::NewFrame();
  app.frame({width_, height_});
  ImGui::Render();
  io.MouseWheel = 0;
}

void Stage::arrange() {
  frame(0);
  for (int i = 0; i < 60'000 && !shows("arrange"); ++i) {
    frame(0);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  REQUIRE(shows("arrange"));
}

void Stage::move(float x, float y) {
  ImGui::GetIO().MousePos = {x, y};
  frame();
}

void Stage::press(int button) {
  ImGui::GetIO().MouseDown[button] = true;
  frame();
}

void Stage::release(int button) {
  ImGui::GetIO().MouseDown[button] = false;
  frame();
}

void Stage::click(float x, float y) {
  move(x, y);
  press();
  release();
  settle();
}

void Stage::wheel(float by) {
  ImGui::GetIO().MouseWheel = by;
  frame();
}

bool Stage::is_glyph(const ImDrawVert& vertex) {
  return shapes().contains({vertex.uv.x, vertex.uv.y});
}

std::vector<Glyph> Stage::glyphs() const {
  std::vector<Glyph> out;
  const ImDrawData* data = ImGui::GetDrawData();
  for (int n = 0; n < data->CmdListsCount; ++n) {
    const ImDrawList& list = *data->CmdLists[n];
    for (const ImDrawCmd& cmd : list.CmdBuffer)
      for (unsigned i = cmd.IdxOffset; i + 5 < cmd.IdxOffset + cmd.ElemCount; i += 3) {
        const auto vertex = [&](unsigned at) -> const ImDrawVert& {
          return list.VtxBuffer[int(cmd.VtxOffset + list.IdxBuffer[int(at)])];
        };
        const ImDrawVert &first = vertex(i), &third = vertex(i + 2);
        const auto found = shapes().find({first.uv.x, first.uv.y});
        if (found == shapes().end() || third.uv.x <= first.uv.x || third.uv.y <= first.uv.y)
          continue;
        const ImFontGlyph& glyph = *found->second.glyph;
        out.push_back({ImWchar(glyph.Codepoint),
                       first.pos,
                       third.pos,
                       {cmd.ClipRect.x, cmd.ClipRect.y},
                       {cmd.ClipRect.z, cmd.ClipRect.w},
                       found->second.font,
                       {first.pos.x - glyph.X0, first.pos.y - glyph.Y0},
                       glyph.AdvanceX,
                       first.col,
                       &list});
        i += 3;  // the quad's second triangle
      }
  }
  return out;
}

std::string Stage::text() const {
  std::string out;
  for (const Glyph& glyph : glyphs()) out += utf8(glyph.code);
  return out;
}

bool Stage::shows(const std::string& what) const {
  return text().find(without_blanks(what)) != std::string::npos;
}

ImVec2 Stage::find(const std::string& what) const {
  const std::vector<Glyph> all = glyphs();
  const std::string wanted = without_blanks(what);
  for (size_t from = 0; from < all.size(); ++from) {
    std::string got;
    for (size_t to = from; to < all.size() && got.size() < wanted.size(); ++to) {
      got += utf8(all[to].code);
      if (wanted.compare(0, got.size(), got) != 0) break;
      if (got == wanted)
        return {(all[from].min.x + all[to].max.x) / 2, (all[from].min.y + all[from].max.y) / 2};
    }
  }
  FAIL("'" << what << "' is not shown; there is: " << text());
  return {};
}

}  // namespace compmond::ui
