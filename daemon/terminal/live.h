// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "snapshot/snapshot.h"
#include "terminal/table.h"

namespace compmond::terminal {

// Redraws the live table in place on a terminal; does nothing when the descriptor is not one.
class Live {
 public:
  explicit Live(int fd);
  bool on() const { return on_; }
  void show(const snapshot::Snapshot& snapshot);
  // Takes the table away again, so that the summary can stand in its place.
  void clear();

 private:
  int fd_;
  bool on_;
  size_t lines_ = 0;  // drawn last
};

}  // namespace compmond::terminal
