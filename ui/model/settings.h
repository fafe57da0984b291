// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/words.h"
#include "protocol/view_request.h"
#include "ui/model/view_id.h"

// What compmond-ui remembers per spec, in $XDG_CONFIG_HOME/compmond/<spec name>.json.
namespace compmond::ui {

enum class Hue { kRed, kGreen, kBlue, kGrey, kFree, kPerceptual, kColourBlindSafe, kComponents };
constexpr auto words(Hue) {
  return word_table<Hue>({{Hue::kRed, "red"},
                          {Hue::kGreen, "green"},
                          {Hue::kBlue, "blue"},
                          {Hue::kGrey, "grey"},
                          {Hue::kFree, "free"},
                          {Hue::kPerceptual, "perceptual"},
                          {Hue::kColourBlindSafe, "colour-blind-safe"},
                          {Hue::kComponents, "components"}});
}

struct Point {
  float x = 0, y = 0;
  bool operator==(const Point&) const = default;
};

struct Settings {
  ViewId view = ViewId::kMap;
  std::string metric;  // empty: the daemon's first
  snapshot::HeatWish heat;
  Hue hue = Hue::kRed;
  uint32_t free_rgb = 0xb05cff;  // the hue when kFree
  int steps = 6;                 // k of the stepped colours, 2 to 255
  bool dark = true;
  double window_s = 5;                      // length of the window that follows
  std::set<std::string> hidden;             // paths; with what they contain
  std::set<std::string> isolated;           // if any, only these (and what they contain) show
  std::map<std::string, uint32_t> colours;  // own colours by path, 0xRRGGBB
  std::map<std::string, Point> boxes;       // boxes of the map moved by hand, in layout units
  std::map<std::string, double> options;    // of views, by "view/option"
  snapshot::ViewFilter filter;              // threads are not written: their numbers do not last
  bool operator==(const Settings&) const = default;

  double option(const std::string& key, double otherwise) const;
  // Neither hidden nor left out by isolation.
  bool shows(std::string_view path) const;
};

// What flags of the command line have chosen. It holds until somebody chooses otherwise by hand.
struct Overrides {
  std::optional<ViewId> view;
  std::optional<bool> dark;
};
// What to remember of the settings `now`: what a flag has chosen stays as it was `before`. Clears
// overrides that no longer hold.
Settings to_remember(const Settings& now, const Settings& before, Overrides& overrides);

// Where the settings of a spec live; empty when there is no home.
std::string settings_path(std::string_view spec_name);
// Defaults when there is no such file; Exit::kData when it is not ours (then nothing is lost: it is
// overwritten only by save()).
Result<Settings> load_settings(const std::string& path);
Result<void> save_settings(const std::string& path, const Settings& settings);

}  // namespace compmond::ui
