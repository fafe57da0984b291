// SPDX-License-Identifier: Apache-2.0
#include "filehost/plugin_manager.h"

namespace fh {

uint32_t PluginManager::inspect(const File& file) {
  uint32_t findings = run_scan(file.content);
  if (file.path.ends_with(".png")) findings += run_preview(file.content);
  return findings & 0xff;
}

uint32_t PluginManager::run_scan(const Bytes& content) {
  uint32_t state = 1;
  uint32_t findings = 0;
  for (const uint8_t byte : content) {
    state = (state * 33) ^ byte;
    findings += state % 65521 == 0 ? 1 : 0;
  }
  return findings;
}

uint32_t PluginManager::run_preview(const Bytes& content) {
  uint32_t sum = 0;
  for (size_t i = 0; i + 64 < content.size(); i += 16) {
    for (size_t j = 0; j < 64; j += 4) sum += content[i + j] * static_cast<uint32_t>(j + 1);
  }
  return sum;
}

}  // namespace fh
