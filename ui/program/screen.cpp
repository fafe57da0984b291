// SPDX-License-Identifier: Apache-2.0
#include "ui/program/screen.h"

#define GLFW_INCLUDE_NONE
#include <GL/gl.h>
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "ui/kit/draw.h"

namespace compmond::ui {
namespace {

constexpr int kLeastWidth = 640, kLeastHeight = 480;  // below it nothing can be laid out
constexpr Size kUsual{1280, 800};

std::string& glfw_error() {
  static std::string text;
  return text;
}

Screen& owner(GLFWwindow* window) {
  return *static_cast<Screen*>(glfwGetWindowUserPointer(window));
}

Unexpected no_screen(std::string why) {
  const bool display = std::getenv("DISPLAY") || std::getenv("WAYLAND_DISPLAY");
  return fail(Exit::kUnavailable, "cannot open the window",
              display ? std::move(why) : "there is no display (DISPLAY is not set)",
              display ? "OpenGL 3.2 is needed; Mesa's software renderer will do."
                      : "Start it on a desktop, or use compmond --headless.");
}

// The back buffer, which OpenGL has with its bottom row first.
Screen::Picture read_back(int width, int height) {
  Screen::Picture out{width, height, {}};
  const auto row = size_t(width) * 3;
  std::vector<uint8_t> upside_down(row * size_t(height));
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, upside_down.data());
  out.rgb.reserve(upside_down.size());
  for (size_t y = size_t(height); y-- > 0;)
    out.rgb.insert(out.rgb.end(), upside_down.begin() + ptrdiff_t(y * row),
                   upside_down.begin() + ptrdiff_t((y + 1) * row));
  return out;
}

// Clears a ground; OpenGL counts from the bottom.
void clear(const ImDrawList*, const ImDrawCmd* command) {
  const ImDrawData& data = *ImGui::GetDrawData();
  const ImVec2 pixels = data.FramebufferScale;  // per unit of the frame
  const ImVec4& area = command->ClipRect;
  const auto x0 = GLint(std::lround((area.x - data.DisplayPos.x) * pixels.x));
  const auto x1 = GLint(std::lround((area.z - data.DisplayPos.x) * pixels.x));
  const auto y0 = GLint(std::lround((area.y - data.DisplayPos.y) * pixels.y));
  const auto y1 = GLint(std::lround((area.w - data.DisplayPos.y) * pixels.y));
  if (x1 <= x0 || y1 <= y0) return;
  const auto colour = ImU32(reinterpret_cast<uintptr_t>(command->UserCallbackData));
  const ImVec4 parts = ImGui::ColorConvertU32ToFloat4(colour);
  glScissor(x0, GLint(std::lround(data.DisplaySize.y * pixels.y)) - y1, x1 - x0, y1 - y0);
  glClearColor(parts.x, parts.y, parts.z, 1);
  glClear(GL_COLOR_BUFFER_BIT);
}

// No larger than the display is; what is on the screen already keeps its size.
void fit(GLFWwindow* window) {
  GLFWmonitor* monitor = glfwGetPrimaryMonitor();
  if (!monitor) return;
  int x = 0, y = 0, room_x = 0, room_y = 0, width = 0, height = 0;
  glfwGetMonitorWorkarea(monitor, &x, &y, &room_x, &room_y);
  glfwGetWindowSize(window, &width, &height);
  if (room_x <= 0 || room_y <= 0 || (width <= room_x && height <= room_y)) return;
  glfwSetWindowSize(window, std::max(kLeastWidth, std::min(width, room_x)),
                    std::max(kLeastHeight, std::min(height, room_y)));
}

}  // namespace

Result<std::unique_ptr<Screen>> Screen::open(const std::string& title, std::optional<Size> size) {
  glfwSetErrorCallback([](int, const char* text) { glfw_error() = text; });
  if (!glfwInit()) return no_screen(glfw_error());
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 2);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_DEPTH_BITS, 0);  // all that is drawn is flat
  glfwWindowHint(GLFW_STENCIL_BITS, 0);
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "compmond");
  glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "compmond");
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);  // until its size is known
  const Size first = size.value_or(kUsual);
  GLFWwindow* window = glfwCreateWindow(first.width, first.height, title.c_str(), nullptr, nullptr);
  if (!window) {
    glfwTerminate();
    return no_screen(glfw_error());
  }
  std::unique_ptr<Screen> out(new Screen(window));
  glfwSetWindowUserPointer(window, out.get());
  glfwSetWindowSizeLimits(window, kLeastWidth, kLeastHeight, GLFW_DONT_CARE, GLFW_DONT_CARE);
  if (!size) fit(window);
  glfwShowWindow(window);
  glfwMakeContextCurrent(window);
  glfwSwapInterval(1);
  out->watch();
  return out;
}

Screen::~Screen() {
  if (drawing_) {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
  }
  glfwDestroyWindow(window_);
  glfwTerminate();
}

float Screen::scale() const {
  float x = 1, y = 1;
  glfwGetWindowContentScale(window_, &x, &y);
  int width = 0, framebuffer = 0, unused = 0;
  glfwGetWindowSize(window_, &width, &unused);
  glfwGetFramebufferSize(window_, &framebuffer, &unused);
  // Where a window's size is in points already (Wayland), the compositor scales.
  return framebuffer > 0 && width > 0 ? std::max(1.f, x * float(width) / float(framebuffer)) : x;
}

// ImGui's own callbacks come on top of these and pass everything on.
void Screen::watch() {
  glfwSetKeyCallback(window_, [](GLFWwindow* w, int key, int, int action, int mods) {
    Screen& self = owner(w);
    self.touched_ = true;
    if (action != GLFW_RELEASE && self.input_.key)
      self.input_.key(key, (mods & GLFW_MOD_CONTROL) != 0, (mods & GLFW_MOD_SHIFT) != 0);
  });
  glfwSetCharCallback(window_, [](GLFWwindow* w, unsigned code_point) {
    Screen& self = owner(w);
    self.touched_ = true;
    if (self.input_.character) self.input_.character(code_point);
  });
  glfwSetCursorPosCallback(window_,
                           [](GLFWwindow* w, double, double) { owner(w).touched_ = true; });
  glfwSetMouseButtonCallback(window_,
                             [](GLFWwindow* w, int, int, int) { owner(w).touched_ = true; });
  glfwSetScrollCallback(window_, [](GLFWwindow* w, double, double) { owner(w).touched_ = true; });
  glfwSetCursorEnterCallback(window_, [](GLFWwindow* w, int) { owner(w).touched_ = true; });
  glfwSetWindowFocusCallback(window_, [](GLFWwindow* w, int) { owner(w).touched_ = true; });
  glfwSetFramebufferSizeCallback(window_,
                                 [](GLFWwindow* w, int, int) { owner(w).touched_ = true; });
  glfwSetWindowRefreshCallback(window_, [](GLFWwindow* w) { owner(w).touched_ = true; });
}

void Screen::set_title(const std::string& title) { glfwSetWindowTitle(window_, title.c_str()); }

Result<void> Screen::start_drawing() {
  if (!ImGui_ImplGlfw_InitForOpenGL(window_, true) || !ImGui_ImplOpenGL3_Init("#version 150"))
    return no_screen("OpenGL could not be set up");
  drawing_ = true;
  return {};
}

bool Screen::wait(double seconds) {
  if (seconds > 0)
    glfwWaitEventsTimeout(seconds);
  else
    glfwPollEvents();
  return std::exchange(touched_, false);
}

void Screen::wake() { glfwPostEmptyEvent(); }

bool Screen::closing() const { return glfwWindowShouldClose(window_) != 0; }

void Screen::draw(const std::function<void(ImVec2)>& frame, Picture* picture) {
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  ImGui::NewFrame();
  frame(ImGui::GetIO().DisplaySize);
  ImGui::Render();
  int width = 0, height = 0;
  glfwGetFramebufferSize(window_, &width, &height);
  glViewport(0, 0, width, height);
  ImDrawData* data = ImGui::GetDrawData();
  for (int i = 0; i < data->CmdListsCount; ++i)
    for (ImDrawCmd& command : data->CmdLists[i]->CmdBuffer)
      if (ground_of(command)) command.UserCallback = clear;
  ImGui_ImplOpenGL3_RenderDrawData(data);
  if (picture) *picture = read_back(width, height);
  glfwSwapBuffers(window_);
}

}  // namespace compmond::ui
