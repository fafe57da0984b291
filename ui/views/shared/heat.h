// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imgui.h>

#include <string>

#include "ui/kit/theme.h"
#include "ui/model/model.h"

namespace compmond::ui {

// The colour of a hotness (0 to 100) on a neutral box: the theme's `bar` at 0, full hue at 100, in
// the settings' hue and steps.
ImU32 heat(const Theme& theme, const Settings& settings, double hotness);

// The same for a component, which may have a hue of its own: the one that somebody gave it or,
// where the hue is "component colours", its spec's. `steps` 0: as in the settings.
ImU32 heat_of(const Theme& theme, const Model& model, const std::string& path, double hotness,
              int steps = 0);

// The colour that tells a component from others, whatever the hue: the one that somebody gave it,
// else its spec's.
ImU32 component_colour(const Theme& theme, const Model& model, const std::string& path);

// The colour of hotness 100.
ImU32 full_hue(const Theme& theme, const Settings& settings);
ImU32 full_hue_of(const Theme& theme, const Model& model, const std::string& path);

}  // namespace compmond::ui
