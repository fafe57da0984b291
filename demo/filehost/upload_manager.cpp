// SPDX-License-Identifier: Apache-2.0
#include "filehost/upload_manager.h"

#include <thread>

namespace fh {

uint64_t UploadManager::receive(const Request& request) {
  ask_access(request);
  std::this_thread::sleep_for(request.network);
  File file{request.path, request.content, {}, 0};
  const uint32_t findings = ask_plugins(file);
  return store_file(file, request.disk) + findings % 2;
}

void UploadManager::ask_access(const Request& request) {
  const std::string purpose = "upload of " + request.path;
  if (access_.check(request.user, request.path) > AccessControl::kOwner) {
    throw AccessDenied(purpose);
  }
}

uint32_t UploadManager::ask_plugins(const File& file) {
  const uint32_t findings = plugins_.inspect(file);
  return findings > 100 ? 100 : findings;
}

uint64_t UploadManager::store_file(File& file, Duration disk) {
  const uint64_t written = files_.store(file, disk);
  file.content.clear();
  return written;
}

}  // namespace fh
