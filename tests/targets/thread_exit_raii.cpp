// SPDX-License-Identifier: Apache-2.0
// thread_exit_raii: pthread_exit inside two nested calls unwinds them; the destructors of both must
// run.
#include <pthread.h>

#include "wait.h"

namespace {

int destroyed = 0;

struct Guard {
  ~Guard() { ++destroyed; }
};

}  // namespace

PROBED void leave() {
  const Guard guard;
  pthread_exit(nullptr);
}

PROBED void inner() {
  const Guard guard;
  leave();
}

PROBED void outer() {
  const Guard guard;
  inner();
}

int main(int argc, char** argv) {
  wait_for_start(&argc, &argv);
  const auto run = [](void*) -> void* {
    outer();
    return nullptr;
  };
  for (int i = 0; i < 5; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, nullptr, run, nullptr) != 0) return 1;
    pthread_join(thread, nullptr);
  }
  printf("destroyed %d\n", destroyed);
}
