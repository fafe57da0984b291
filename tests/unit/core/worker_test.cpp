// SPDX-License-Identifier: Apache-2.0
#include "core/worker.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

using namespace compmond;

TEST_CASE("worker: does one thing after the other, on one thread, in order") {
  std::vector<int> order;
  std::vector<std::thread::id> on(3);
  {
    Worker worker = *Worker::start("cannot test");
    worker.wait();  // nothing was begun
    for (int i = 0; i < 3; ++i)
      worker.run([&, i] {
        order.push_back(i);
        on[size_t(i)] = std::this_thread::get_id();
      });
    worker.wait();
    CHECK(order == std::vector{0, 1, 2});
  }
  CHECK(on[0] == on[2]);
  CHECK(on[0] != std::this_thread::get_id());
}

TEST_CASE("worker: its end waits for what was begun, also once it was moved") {
  std::atomic<bool> may_end = false, ended = false;
  std::thread lets_it([&] {
    for (int i = 0; i < 100; ++i) std::this_thread::yield();
    may_end = true;
  });
  {
    Worker worker = *Worker::start("cannot test");
    worker.run([&] {
      while (!may_end) std::this_thread::yield();
      ended = true;
    });
    Worker other = std::move(worker);
  }
  CHECK(ended);
  lets_it.join();
}
