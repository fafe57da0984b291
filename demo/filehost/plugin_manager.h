// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "filehost/request.h"

namespace fh {

// Runs the plugins that are responsible for a file: a scan for every one, a preview for pictures.
class PluginManager {
 public:
  // in
  uint32_t inspect(const File& file);

 private:
  // out: to the plugins
  uint32_t run_scan(const Bytes& content);
  uint32_t run_preview(const Bytes& content);
};

}  // namespace fh
