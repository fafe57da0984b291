// SPDX-License-Identifier: Apache-2.0
#include "ui/heat.h"

#include "layout/color.h"

namespace compmond::ui {
namespace {

layout::Rgb rgb_of(ImU32 colour) {
  const uint32_t rgb = to_rgb(colour);
  return {uint8_t(rgb >> 16), uint8_t(rgb >> 8), uint8_t(rgb)};
}

ImU32 colour_of(layout::Rgb rgb) {
  return from_rgb(uint32_t(rgb.r) << 16 | uint32_t(rgb.g) << 8 | rgb.b);
}

layout::Rgb ramp(const Theme& theme, layout::Ramp which, double share) {
  // The ramp's dark end is lost on a dark background and its bright end on a light one.
  return layout::ramp(which, theme.dark ? 0.25 + 0.75 * share : 0.9 * (1 - share));
}

}  // namespace

ImU32 full_hue(const Theme& theme, const Settings& settings) {
  switch (settings.hue) {
    case Hue::kRed:
      return from_rgb(0xe5533d);
    case Hue::kGreen:
      return from_rgb(0x2fa84f);
    case Hue::kBlue:
      return from_rgb(0x3d86f0);
    case Hue::kGrey:
      return from_rgb(theme.dark ? 0xc9ced6 : 0x4a525e);
    case Hue::kFree:
      return from_rgb(settings.free_rgb);
    case Hue::kPerceptual:
      return colour_of(ramp(theme, layout::Ramp::kSpectrum, 1));
    case Hue::kColourBlindSafe:
      return colour_of(ramp(theme, layout::Ramp::kColourBlindSafe, 1));
  }
  return from_rgb(0xe5533d);
}

ImU32 heat(const Theme& theme, const Settings& settings, double hotness) {
  const double share = layout::stepped_share(hotness, settings.steps);
  if (share <= 0) return theme.bar;
  const layout::Rgb neutral = rgb_of(theme.bar);
  if (settings.hue != Hue::kPerceptual && settings.hue != Hue::kColourBlindSafe)
    return colour_of(layout::mixed(neutral, rgb_of(full_hue(theme, settings)), share));
  const auto which =
      settings.hue == Hue::kPerceptual ? layout::Ramp::kSpectrum : layout::Ramp::kColourBlindSafe;
  // The first steps come out of the neutral colour, so that "nothing" never looks like "a little".
  return colour_of(layout::mixed(neutral, ramp(theme, which, share), 0.35 + 0.65 * share));
}

ImU32 component_colour(const Theme& theme, const Model& model, const std::string& path) {
  const auto own = model.settings.colours.find(path);
  if (own != model.settings.colours.end()) return from_rgb(own->second);
  size_t place = 0;
  if (const auto* component = model.component(path))
    place = size_t(component - model.snapshot->components.data());
  return colour_of(layout::distinct(place, theme.dark ? 0.55 : 0.82));
}

ImU32 heat_of(const Theme& theme, const Settings& settings, const std::string& path,
              double hotness) {
  const auto own = settings.colours.find(path);
  if (own == settings.colours.end()) return heat(theme, settings, hotness);
  Settings mine;
  mine.hue = Hue::kFree;
  mine.free_rgb = own->second;
  mine.steps = settings.steps;
  return heat(theme, mine, hotness);
}

}  // namespace compmond::ui
