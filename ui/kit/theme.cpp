// SPDX-License-Identifier: Apache-2.0
#include "ui/kit/theme.h"

#include <fmt/format.h>
#include <imgui_freetype.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <string>

#include "geometry/palette.h"

namespace compmond::ui {
namespace {

// Where distributions put the two families.
constexpr std::array kFolders = {
    "/usr/share/fonts/opentype/inter/",          "/usr/share/fonts/truetype/inter/",
    "/usr/share/fonts/truetype/jetbrains-mono/", "/usr/share/fonts/inter/",
    "/usr/share/fonts/jetbrains-mono/",          "/usr/local/share/fonts/"};

// Latin, Greek, Cyrillic, punctuation, arrows, signs and shapes.
constexpr ImWchar kGlyphs[] = {0x0020, 0x024f, 0x0370, 0x052f, 0x2010, 0x205e, 0x2070,
                               0x20bf, 0x2190, 0x21ff, 0x2200, 0x22ff, 0x2318, 0x2318,
                               0x23ce, 0x23ce, 0x25a0, 0x25ff, 0xfffd, 0xfffd, 0};

std::string find_font(const std::string& name) {
  for (const char* folder : kFolders)
    for (const char* ending : {".otf", ".ttf"})
      if (std::string path = folder + name + ending; ::access(path.c_str(), R_OK) == 0) return path;
  return {};
}

void set_dark(Theme& theme) {
  theme.background = from_rgb(0x15181d);
  theme.panel = from_rgb(0x1b1f26);
  theme.raised = from_rgb(0x262c35);
  theme.line = from_rgb(0x2b313b);
  theme.strong = from_rgb(0xf2f5f8);
  theme.text = from_rgb(0xd3d9e0);
  theme.dim = from_rgb(0x929ba8);
  theme.faint = from_rgb(0x444c58);
  theme.blue = from_rgb(0x6cb0ff);
  theme.blue_fill = from_rgb(0x2563d8);
  theme.blue_text = from_rgb(0x6cb0ff);
  theme.on_blue = from_rgb(0xffffff);
  theme.amber = from_rgb(0xdfa32d);
  theme.green = from_rgb(0x3fb950);
  theme.red = from_rgb(0xff7b6b);
  theme.bar = from_rgb(0x262a33);
  theme.bar_line = from_rgb(0x424a57);
}

void set_light(Theme& theme) {
  namespace light = geometry::light;
  theme.background = from_rgb(0xfafbfc);
  theme.panel = from_rgb(0xf0f2f5);
  theme.raised = from_rgb(0xffffff);
  theme.line = from_rgb(light::kLine);
  theme.strong = from_rgb(light::kStrong);
  theme.text = from_rgb(light::kText);
  theme.dim = from_rgb(light::kDim);
  theme.faint = from_rgb(light::kFaint);
  theme.blue = from_rgb(0x1f6feb);
  theme.blue_fill = from_rgb(0x1f62d6);
  theme.blue_text = from_rgb(0x1459c4);
  theme.on_blue = from_rgb(0xffffff);
  theme.amber = from_rgb(light::kAmber);
  theme.green = from_rgb(0x1a7f37);
  theme.red = from_rgb(0xc02a1d);
  theme.bar = from_rgb(light::kBar);
  theme.bar_line = from_rgb(light::kBarLine);
}

}  // namespace

Theme make_theme(bool dark, float scale) {
  Theme theme{};
  theme.dark = dark;
  theme.scale = scale;
  dark ? set_dark(theme) : set_light(theme);
  return theme;
}

Result<void> load_fonts(Theme& theme) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  atlas.Clear();
  atlas.FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
  atlas.FontBuilderFlags = ImGuiFreeTypeBuilderFlags_LightHinting;
  const struct {
    ImFont** font;
    const char* name;
    float size;
  } wanted[] = {
      {&theme.body, "Inter-Regular", 13},         {&theme.bold, "Inter-SemiBold", 13},
      {&theme.title, "Inter-SemiBold", 16},       {&theme.small, "Inter-Regular", 11},
      {&theme.mono, "JetBrainsMono-Regular", 13}, {&theme.mono_small, "JetBrainsMono-Regular", 11}};
  for (const auto& want : wanted) {
    const std::string path = find_font(want.name);
    if (path.empty())
      return fail(Exit::kUnavailable, "cannot open the window",
                  fmt::format("the font {} is not installed", want.name),
                  "Install the packages fonts-inter and fonts-jetbrains-mono.");
    // Inter sits a little small in its em; ImGui's size is the height of a line.
    const float size = std::round(theme.px(want.size) * 1.21f);
    *want.font = atlas.AddFontFromFileTTF(path.c_str(), size, nullptr, kGlyphs);
    if (!*want.font)
      return fail(Exit::kUnavailable, "cannot open the window",
                  fmt::format("{} cannot be read as a font", path),
                  "Install the packages fonts-inter and fonts-jetbrains-mono again.");
  }
  ImGui::GetIO().FontDefault = theme.body;
  if (!atlas.Build())
    return fail(Exit::kInternal, "cannot open the window", "the fonts do not fit into a texture");
  return {};
}

void apply_style(const Theme& theme) {
  ImGuiStyle style;
  theme.dark ? ImGui::StyleColorsDark(&style) : ImGui::StyleColorsLight(&style);
  style.WindowRounding = style.PopupRounding = 6;
  style.FrameRounding = 5;
  style.WindowBorderSize = 0;
  style.PopupBorderSize = 1;
  style.WindowPadding = {10, 8};
  style.FramePadding = {9, 4};
  style.ItemSpacing = {8, 5};
  style.ScrollbarSize = 10;
  style.ScaleAllSizes(theme.scale);
  const auto set = [&](ImGuiCol which, ImU32 colour) {
    style.Colors[which] = ImGui::ColorConvertU32ToFloat4(colour);
  };
  const ImU32 none = IM_COL32_BLACK_TRANS;
  set(ImGuiCol_Text, theme.text);
  set(ImGuiCol_TextDisabled, theme.dim);
  set(ImGuiCol_WindowBg, theme.background);
  set(ImGuiCol_ChildBg, none);
  set(ImGuiCol_PopupBg, theme.raised);
  set(ImGuiCol_Border, theme.line);
  set(ImGuiCol_FrameBg, mix(theme.raised, theme.strong, 0.08f));
  set(ImGuiCol_FrameBgHovered, mix(theme.raised, theme.blue, 0.12f));
  set(ImGuiCol_FrameBgActive, mix(theme.raised, theme.blue, 0.2f));
  set(ImGuiCol_Header, with_alpha(theme.blue_fill, 0.35f));
  set(ImGuiCol_HeaderHovered, with_alpha(theme.blue_fill, 0.25f));
  set(ImGuiCol_HeaderActive, with_alpha(theme.blue_fill, 0.5f));
  set(ImGuiCol_Button, theme.raised);
  set(ImGuiCol_ButtonHovered, mix(theme.raised, theme.blue, 0.2f));
  set(ImGuiCol_ButtonActive, theme.blue_fill);
  set(ImGuiCol_CheckMark, theme.blue);
  set(ImGuiCol_SliderGrab, theme.blue);
  set(ImGuiCol_SliderGrabActive, theme.blue);
  set(ImGuiCol_ScrollbarBg, none);
  set(ImGuiCol_ScrollbarGrab, theme.faint);
  set(ImGuiCol_TextSelectedBg, with_alpha(theme.blue_fill, 0.5f));
  set(ImGuiCol_NavHighlight, theme.blue);
  set(ImGuiCol_ModalWindowDimBg, with_alpha(from_rgb(0), 0.5f));
  ImGui::GetStyle() = style;
}

ImU32 from_rgb(uint32_t rgb, float alpha) {
  return IM_COL32(rgb >> 16 & 0xff, rgb >> 8 & 0xff, rgb & 0xff, int(alpha * 255 + 0.5f));
}

ImU32 from_rgb(geometry::Rgb rgb) { return IM_COL32(rgb.r, rgb.g, rgb.b, 255); }

geometry::Rgb rgb_of(ImU32 colour) {
  return {uint8_t(colour >> IM_COL32_R_SHIFT), uint8_t(colour >> IM_COL32_G_SHIFT),
          uint8_t(colour >> IM_COL32_B_SHIFT)};
}

uint32_t to_rgb(ImU32 colour) {
  return (colour >> IM_COL32_R_SHIFT & 0xff) << 16 | (colour >> IM_COL32_G_SHIFT & 0xff) << 8 |
         (colour >> IM_COL32_B_SHIFT & 0xff);
}

ImU32 with_alpha(ImU32 colour, float alpha) {
  return (colour & ~IM_COL32_A_MASK) | ImU32(alpha * 255 + 0.5f) << IM_COL32_A_SHIFT;
}

ImU32 mix(ImU32 from, ImU32 to, float amount) {
  return from_rgb(geometry::mixed(rgb_of(from), rgb_of(to), amount));
}

double contrast(ImU32 one, ImU32 other) { return geometry::contrast(rgb_of(one), rgb_of(other)); }

ImU32 text_on(const Theme&, ImU32 fill) {
  return from_rgb(geometry::readable_on(rgb_of(fill), {255, 255, 255}, {0x14, 0x17, 0x1b}));
}

}  // namespace compmond::ui
