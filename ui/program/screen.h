// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imgui.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ui/program/options.h"

struct GLFWwindow;

namespace compmond::ui {

// What a desktop calls a window, with its OpenGL context and ImGui's; one of them per process. Its
// name is that of the picture, for a window is one of time everywhere else.
class Screen {
 public:
  struct Input {
    std::function<void(int glfw_key, bool control, bool shift)> key;
    std::function<void(unsigned code_point)> character;
  };

  // Without a size 1280x800, or what the display has room for. Exit::kUnavailable without a display
  // or OpenGL 3.
  static Result<std::unique_ptr<Screen>> open(const std::string& title, std::optional<Size> size);
  ~Screen();

  float scale() const;  // pixels per design pixel
  void set_input(Input input) { input_ = std::move(input); }
  void set_title(const std::string& title);
  Result<void> start_drawing();  // after the fonts were loaded

  // Waits for input or wake(), at most `seconds`; true if there was input or the screen needs to be
  // drawn again.
  bool wait(double seconds);
  static void wake();  // from any thread, while there is a screen
  bool closing() const;
  // A frame, top row first, 3 bytes per pixel.
  struct Picture {
    int width = 0, height = 0;
    std::vector<uint8_t> rgb;
  };
  // Draws a frame and, where `picture` is given, keeps it.
  void draw(const std::function<void(ImVec2 size)>& frame, Picture* picture = nullptr);

 private:
  explicit Screen(GLFWwindow* window) : window_(window) {}
  void watch();  // installs the callbacks

  GLFWwindow* window_;
  Input input_;
  bool touched_ = true, drawing_ = false;
};

}  // namespace compmond::ui
