// SPDX-License-Identifier: Apache-2.0
#include "ui/views/shared/heat.h"

#include <optional>

#include "geometry/palette.h"

namespace compmond::ui {
namespace {

geometry::Rgb ramp(const Theme& theme, geometry::Ramp which, double share) {
  // The ramp's dark end is lost on a dark background and its bright end on a light one.
  return geometry::ramp(which, theme.dark ? 0.25 + 0.75 * share : 0.9 * (1 - share));
}

// The hue that somebody gave a component.
std::optional<uint32_t> given_hue(const Model& model, const std::string& path) {
  const auto given = model.settings.colours.find(path);
  return given == model.settings.colours.end() ? std::nullopt : std::optional(given->second);
}

// The hue that a component has for itself.
std::optional<uint32_t> own_hue(const Model& model, const std::string& path) {
  if (const auto given = given_hue(model, path)) return given;
  if (model.settings.hue != Hue::kComponents) return std::nullopt;
  const auto found = model.hues.find(path);
  return found == model.hues.end() ? std::nullopt : std::optional(found->second);
}

ImU32 blended(const Theme& theme, ImU32 hue, double share) {
  if (share <= 0) return theme.bar;
  return from_rgb(geometry::mixed(rgb_of(theme.bar), rgb_of(hue), share));
}

ImU32 heat_in_steps(const Theme& theme, const Settings& settings, double hotness, int steps) {
  const double share = geometry::stepped_share(hotness, steps);
  if (share <= 0) return theme.bar;
  if (settings.hue != Hue::kPerceptual && settings.hue != Hue::kColourBlindSafe)
    return blended(theme, full_hue(theme, settings), share);
  const auto which = settings.hue == Hue::kPerceptual ? geometry::Ramp::kSpectrum
                                                      : geometry::Ramp::kColourBlindSafe;
  // The first steps come out of the neutral colour, so that "nothing" never looks like "a little".
  return from_rgb(
      geometry::mixed(rgb_of(theme.bar), ramp(theme, which, share), 0.35 + 0.65 * share));
}

}  // namespace

ImU32 full_hue(const Theme& theme, const Settings& settings) {
  switch (settings.hue) {
    case Hue::kRed:
      return from_rgb(geometry::light::kHue);
    case Hue::kGreen:
      return from_rgb(0x2fa84f);
    case Hue::kBlue:
      return from_rgb(0x3d86f0);
    case Hue::kGrey:
    case Hue::kComponents:  // of no component in particular
      return from_rgb(theme.dark ? 0xc9ced6 : 0x4a525e);
    case Hue::kFree:
      return from_rgb(settings.free_rgb);
    case Hue::kPerceptual:
      return from_rgb(ramp(theme, geometry::Ramp::kSpectrum, 1));
    case Hue::kColourBlindSafe:
      return from_rgb(ramp(theme, geometry::Ramp::kColourBlindSafe, 1));
  }
  return from_rgb(geometry::light::kHue);
}

ImU32 full_hue_of(const Theme& theme, const Model& model, const std::string& path) {
  const auto own = own_hue(model, path);
  return own ? from_rgb(*own) : full_hue(theme, model.settings);
}

ImU32 heat(const Theme& theme, const Settings& settings, double hotness) {
  return heat_in_steps(theme, settings, hotness, settings.steps);
}

ImU32 heat_of(const Theme& theme, const Model& model, const std::string& path, double hotness,
              int steps) {
  if (steps == 0) steps = model.settings.steps;
  if (const auto own = own_hue(model, path))
    return blended(theme, from_rgb(*own), geometry::stepped_share(hotness, steps));
  return heat_in_steps(theme, model.settings, hotness, steps);
}

ImU32 component_colour(const Theme& theme, const Model& model, const std::string& path) {
  if (const auto own = given_hue(model, path)) return from_rgb(*own);
  const auto found = model.hues.find(path);
  return found == model.hues.end() ? theme.bar : from_rgb(found->second);
}

}  // namespace compmond::ui
