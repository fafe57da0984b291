// SPDX-License-Identifier: Apache-2.0
#include "filehost/upload_manager.h"

#include <pthread.h>

namespace fh {

UploadManager::~UploadManager() {
  if (!background_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
  background_.join();
}

void UploadManager::store_in_background() {
  background_ = std::thread([this] { serve_queue(); });
  pthread_setname_np(background_.native_handle(), "uploads");
}

void UploadManager::serve_queue() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return closed_ || !pending_.empty(); });
    if (pending_.empty()) return;
    PendingUpload* const next = pending_.front().release();
    pending_.pop_front();
    lock.unlock();
    store_pending(next);
    lock.lock();
  }
}

void UploadManager::store_pending(PendingUpload* upload) {
  const std::unique_ptr<PendingUpload> owned(upload);
  store_file(upload->file, upload->disk);
}

void UploadManager::hand_over(PendingUpload* upload) {
  {
    const std::lock_guard lock(mutex_);
    pending_.emplace_back(upload);
  }
  changed_.notify_one();
}

uint64_t UploadManager::receive(const Request& request) {
  ask_access(request);
  std::this_thread::sleep_for(request.network);
  File file{request.path, request.content, {}, 0};
  const uint32_t findings = ask_plugins(file);
  if (background_.joinable()) {
    const uint64_t bytes = file.content.size();
    hand_over(new PendingUpload{std::move(file), request.disk});
    return bytes + findings % 2;
  }
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
