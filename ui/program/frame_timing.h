// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace compmond::ui {

// When a frame is due: at once after input and news, often while something moves, else seldom.
// Times are seconds of one clock, that of the screen. One thread.
class FrameTiming {
 public:
  static constexpr int kSettling = 3;  // frames after input: ImGui's hover and focus take two
  // What the screen is like at the moment.
  struct Looks {
    bool animates = false, frozen = false;
  };
  void news() { fresh_ = true; }  // something is not drawn yet
  void settle();                  // some frames are due, one after the other
  void touched(double now_s);     // by the keyboard or the mouse
  void drawn(double now_s);
  bool just_touched(double now_s) const;  // an answer may be to that
  bool due(double now_s, const Looks& looks) const;
  // Until the next one may be due, at most `wait_s`; less than 0: it is overdue.
  double wait_s(double now_s, const Looks& looks, double wait_s) const;

 private:
  double drawn_s_ = 0, touched_s_ = 0;
  bool fresh_ = true;
  int settling_ = kSettling;
};

}  // namespace compmond::ui
