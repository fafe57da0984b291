// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ui/model/model.h"
#include "ui/model/settings.h"

namespace compmond::ui {

// Keeps the settings of one spec: reads them when a daemon has told its name, and writes them a
// while after a change.
class SettingsKeeper {
 public:
  static constexpr double kSaveAfter = 2;  // seconds after a change

  explicit SettingsKeeper(bool only_read) : only_read_(only_read) {}
  // Takes those of the model's spec into the model; a file that is not ours is told and left alone.
  void load(Model& model);
  bool open() const { return !path_.empty(); }  // they are written somewhere
  // Once per turn; `at_once`: at the end.
  void keep(Model& model, bool at_once);
  bool unsaved() const { return unsaved_; }

  Overrides overrides;  // what flags have chosen

 private:
  const bool only_read_;
  std::string path_;
  Settings saved_;
  double changed_s_ = 0;
  bool unsaved_ = false;
};

}  // namespace compmond::ui
