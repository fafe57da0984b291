// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "filehost/access_control.h"
#include "filehost/file_handler.h"
#include "filehost/plugin_manager.h"
#include "filehost/request.h"

namespace fh {

// Takes files in: asks whether that is allowed, lets the plugins look at them, has them stored.
class UploadManager {
 public:
  UploadManager(AccessControl& access, PluginManager& plugins, FileHandler& files)
      : access_(access), plugins_(plugins), files_(files) {}
  // in; throws AccessDenied
  uint64_t receive(const Request& request);

 private:
  // out
  void ask_access(const Request& request);
  uint32_t ask_plugins(const File& file);
  uint64_t store_file(File& file, Duration disk);

  AccessControl& access_;
  PluginManager& plugins_;
  FileHandler& files_;
};

}  // namespace fh
