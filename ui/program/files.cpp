// SPDX-License-Identifier: Apache-2.0
#include "ui/program/files.h"

#include <fmt/format.h>
#include <stb_image_write.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>

#include "base/safe_file.h"

namespace compmond::ui {
namespace {

std::string folder() {
  if (char here[4096]; ::getcwd(here, sizeof here) && ::access(here, W_OK) == 0) return here;
  const char* home = std::getenv("HOME");
  return home ? home : "/tmp";
}

}  // namespace

std::string output_path(const std::string& spec_name, const std::string& ending) {
  std::string name;
  for (const char c : spec_name.substr(0, 60))
    name += (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ? c : '-';
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  tm local{};
  ::localtime_r(&now.tv_sec, &local);
  char stamp[32];
  std::strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &local);
  return fmt::format("{}/compmond-{}-{}.{:03}{}", folder(), name, stamp, now.tv_nsec / 1'000'000,
                     ending);
}

Result<void> write_snapshot(const std::string& path, const snapshot::Snapshot& snapshot) {
  return write_file_whole(path, to_json(snapshot) + "\n");
}

Result<void> write_png(const std::string& path, const Screen::Picture& picture) {
  std::string png;
  const auto append = [](void* context, void* data, int size) {
    static_cast<std::string*>(context)->append(static_cast<const char*>(data), size_t(size));
  };
  if (!stbi_write_png_to_func(append, &png, picture.width, picture.height, 3, picture.rgb.data(),
                              picture.width * 3))
    return fail(Exit::kInternal, fmt::format("cannot write {}", path),
                "the picture could not be encoded");
  return write_file_whole(path, png);
}

}  // namespace compmond::ui
