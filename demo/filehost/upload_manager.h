// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "filehost/access_control.h"
#include "filehost/file_handler.h"
#include "filehost/plugin_manager.h"
#include "filehost/request.h"

namespace fh {

// A file that waits to be stored.
struct PendingUpload {
  File file;
  Duration disk;
};

// Takes files in: asks whether that is allowed, lets the plugins look at them, has them stored, by
// a thread of its own if it is told to.
class UploadManager {
 public:
  UploadManager(AccessControl& access, PluginManager& plugins, FileHandler& files)
      : access_(access), plugins_(plugins), files_(files) {}
  ~UploadManager();  // everything that was received is stored then
  // From now on receive() returns before the file is stored. To be called once, before anything
  // else.
  void store_in_background();
  // in; throws AccessDenied
  uint64_t receive(const Request& request);

 private:
  void serve_queue();
  // in
  void store_pending(PendingUpload* upload);  // takes it over
  // out
  void ask_access(const Request& request);
  uint32_t ask_plugins(const File& file);
  uint64_t store_file(File& file, Duration disk);
  void hand_over(PendingUpload* upload);  // takes it over

  AccessControl& access_;
  PluginManager& plugins_;
  FileHandler& files_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<PendingUpload>> pending_;
  bool closed_ = false;
  std::thread background_;
};

}  // namespace fh
