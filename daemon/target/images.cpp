// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <algorithm>

#include "names/wildcard.h"
#include "target/proc_folder.h"
#include "target/process.h"
#include "text/match.h"

namespace compmond::target {
namespace {

// A library's name without its last version numbers also names it: libz.so.1 is the file
// libz.so.1.2.13.
bool names(std::string_view selector, std::string_view path) {
  if (names::wildcard_match(selector, path)) return true;
  const size_t selector_name = selector.rfind('/') + 1,
               name = path.rfind('/') + 1;  // npos + 1 is 0
  return names::wildcard_match(selector.substr(0, selector_name), path.substr(0, name)) &&
         selector_name < selector.size() &&
         names::wildcard_match(std::string(selector.substr(selector_name)) + ".*",
                               path.substr(name));
}

}  // namespace

Result<std::vector<MappedImage>> executable_images(const Process& process) {
  auto mappings = process.mappings();
  if (!mappings) return Unexpected(mappings.error());
  struct stat exe {};
  if (auto file = process.open_exe(); file && ::fstat(file->get(), &exe) != 0) exe = {};
  std::vector<MappedImage> images;
  for (const Mapping& mapping : *mappings) {
    if (!mapping.executable) continue;
    const bool known = std::any_of(images.begin(), images.end(), [&](const MappedImage& image) {
      return image.inode == mapping.inode && image.device == mapping.device;
    });
    if (known) continue;
    const bool main = exe.st_ino != 0
                          ? mapping.inode == exe.st_ino && same_device(mapping.device, exe.st_dev)
                          : mapping.path == process.exe();
    images.push_back({mapping.path, main, mapping.deleted, mapping.device, mapping.inode, mapping});
  }
  std::stable_partition(images.begin(), images.end(),
                        [](const MappedImage& image) { return image.main; });
  return images;
}

bool image_matches(const std::string& selector, const std::string& path) {
  if (selector.empty()) return false;
  if (selector.find('/') == std::string::npos) return names(selector, text::leaf(path));
  // Since /lib and /bin are links, maps show where they lead to.
  return names(selector, path) || (selector[0] == '/' && names("/usr" + selector, path));
}

}  // namespace compmond::target
