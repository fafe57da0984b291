// SPDX-License-Identifier: Apache-2.0
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "base/invoker.h"
#include "front/screen_process.h"

namespace compmond::front {
namespace {

constexpr const char* kWhat = "no window";

// What a screen needs to know of its display, its language and its drawing; all else stays here.
constexpr std::array kKept = {"DISPLAY",
                              "WAYLAND_DISPLAY",
                              "XAUTHORITY",
                              "XDG_RUNTIME_DIR",
                              "XDG_SESSION_TYPE",
                              "LANG",
                              "LC_ALL",
                              "LC_CTYPE",
                              "LC_NUMERIC",
                              "LC_TIME",
                              "TZ",
                              "LIBGL_ALWAYS_SOFTWARE"};

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value && *value;
}

bool can_run(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

std::string find_program() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (const auto beside = self.parent_path() / "compmond-ui"; !error && can_run(beside))
    return beside;
  const char* path = std::getenv("PATH");
  std::string_view rest = path ? path : "";
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(':'), rest.size());
    const std::filesystem::path folder(rest.substr(0, end));
    if (folder.is_absolute() && can_run(folder / "compmond-ui")) return folder / "compmond-ui";
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

void add_user(ScreenPlan& plan, const passwd& user) {
  plan.environment.push_back(fmt::format("HOME={}", user.pw_dir));
  plan.environment.push_back(fmt::format("USER={}", user.pw_name));
  plan.environment.push_back(fmt::format("LOGNAME={}", user.pw_name));
  plan.environment.push_back("PATH=/usr/local/bin:/usr/bin:/bin");
  const std::string runtime = fmt::format("/run/user/{}", user.pw_uid);
  if (!is_set("XDG_RUNTIME_DIR") && ::access(runtime.c_str(), F_OK) == 0)  // sudo takes it away
    plan.environment.push_back("XDG_RUNTIME_DIR=" + runtime);
}

}  // namespace

bool has_display() { return is_set("DISPLAY") || is_set("WAYLAND_DISPLAY"); }

Result<ScreenPlan> plan_screen() {
  if (!has_display())
    return fail(Exit::kUnavailable, kWhat, "there is no display (DISPLAY, WAYLAND_DISPLAY)",
                "On another machine: compmond-ui --connect, with --listen here.");
  ScreenPlan plan;
  plan.program = find_program();
  if (plan.program.empty())
    return fail(Exit::kNoInput, kWhat, "compmond-ui is neither beside compmond nor in PATH",
                "Build or install it, or see the figures here with --headless.");
  const auto by = invoker();
  if (::geteuid() == 0 && !by)
    return fail(Exit::kUnavailable, kWhat, "a window never runs as root, and root started compmond",
                "Start compmond with sudo as the user whose display it is, look at it from there "
                "with compmond-ui --connect, or see the figures here with --headless.");
  const passwd* user = ::getpwuid(by ? by->uid : ::getuid());
  for (const char* name : kKept)
    if (is_set(name)) plan.environment.push_back(fmt::format("{}={}", name, std::getenv(name)));
  if (user) add_user(plan, *user);
  if (!by && is_set("XDG_CONFIG_HOME"))  // with sudo it could be root's
    plan.environment.push_back(fmt::format("XDG_CONFIG_HOME={}", std::getenv("XDG_CONFIG_HOME")));
  if (!by) return plan;
  plan.drop = true;
  plan.uid = by->uid;
  plan.gid = by->gid;
  plan.groups = {by->gid};
  if (user) {
    int count = 256;  // more groups than any user needs for a display
    std::vector<gid_t> groups(size_t(count), 0);
    if (::getgrouplist(user->pw_name, by->gid, groups.data(), &count) >= 0) {
      groups.resize(size_t(count));
      plan.groups = std::move(groups);
    }
  }
  return plan;
}

}  // namespace compmond::front
