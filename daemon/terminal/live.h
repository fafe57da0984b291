// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "base/fd.h"
#include "snapshot/snapshot.h"
#include "terminal/table.h"

namespace compmond::terminal {

// Redraws the live table in place on a terminal; does nothing when the descriptor is not one. One
// thread, which never waits for the terminal while the table is shown: Ctrl-S or a slow connection
// must not keep it from looking after the probes.
class Live {
 public:
  explicit Live(int fd);
  bool on() const { return terminal_.valid(); }
  // 0, or the errno because of which it is off on a terminal.
  int failure() const { return failure_; }
  // Leaves this one out where the terminal has not taken the one before.
  void show(const snapshot::Snapshot& snapshot);
  // Takes the table away again, so that the summary can stand in its place; waits for the terminal.
  void clear();

 private:
  void write_rest();

  int fd_, failure_ = 0;
  Fd terminal_;       // the same, opened once more: that one must not wait is nobody else's affair
  std::string rest_;  // what it has yet to take
  size_t lines_ = 0;  // drawn last
};

}  // namespace compmond::terminal
