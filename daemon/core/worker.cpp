// SPDX-License-Identifier: Apache-2.0
#include "core/worker.h"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "base/thread.h"

namespace compmond {

class Worker::Impl {
 public:
  ~Impl();
  Result<void> start(std::string what);
  void run(std::function<void()> work);
  void wait();

 private:
  void loop();

  std::thread thread_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::function<void()> work_;  // begun and not done
  bool ending_ = false;
};

Result<void> Worker::Impl::start(std::string what) {
  auto thread = start_thread(std::move(what), [this] { loop(); });
  if (!thread) return Unexpected(std::move(thread.error()));
  thread_ = std::move(*thread);
  return {};
}

Worker::Impl::~Impl() {
  if (!thread_.joinable()) return;
  wait();
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void Worker::Impl::loop() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return work_ || ending_; });
    if (ending_) return;
    lock.unlock();
    work_();  // nobody else touches it until it is done
    lock.lock();
    work_ = nullptr;
    changed_.notify_all();
  }
}

void Worker::Impl::run(std::function<void()> work) {
  wait();
  const std::lock_guard lock(mutex_);
  work_ = std::move(work);
  changed_.notify_all();
}

void Worker::Impl::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !work_; });
}

Worker::Worker(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Worker::Worker(Worker&&) noexcept = default;
Worker& Worker::operator=(Worker&&) noexcept = default;
Worker::~Worker() = default;

Result<Worker> Worker::start(std::string what) {
  auto impl = std::make_unique<Impl>();
  if (auto started = impl->start(std::move(what)); !started)
    return Unexpected(std::move(started.error()));
  return Worker(std::move(impl));
}

void Worker::run(std::function<void()> work) { impl_->run(std::move(work)); }
void Worker::wait() { impl_->wait(); }

}  // namespace compmond
