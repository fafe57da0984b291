// SPDX-License-Identifier: Apache-2.0
#include "ui/program/settings_keeper.h"

namespace compmond::ui {

void SettingsKeeper::load(Model& model) {
  path_ = settings_path(model.hello.spec_name);
  if (auto settings = load_settings(path_)) {
    model.settings = *settings;
  } else {
    say(model, settings.error().text(), true);
    path_.clear();  // what is not ours stays as it is
  }
  saved_ = model.settings;
}

void SettingsKeeper::keep(Model& model, bool at_once) {
  if (model.window.live) model.settings.window_s = double(model.window.length_ns) / 1e9;
  const Settings wanted = to_remember(model.settings, saved_, overrides);
  unsaved_ = wanted != saved_;
  if (!unsaved_) {
    changed_s_ = model.clock_s;
    return;
  }
  if (path_.empty() || only_read_) return;
  if (!at_once && model.clock_s - changed_s_ < kSaveAfter) return;
  if (auto saved = save_settings(path_, wanted); !saved) {
    say(model, saved.error().text(), true);
    path_.clear();  // once is enough
  }
  saved_ = wanted;
  unsaved_ = false;
}

}  // namespace compmond::ui
