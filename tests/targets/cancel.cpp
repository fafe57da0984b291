// SPDX-License-Identifier: Apache-2.0
// cancel: a thread is cancelled inside two nested calls; the outer one's destructor must run.
#include <pthread.h>
#include <semaphore.h>

#include "wait.h"

namespace {

sem_t inside;
int destroyed = 0;

struct Guard {
  ~Guard() { ++destroyed; }
};

}  // namespace

PROBED void blocked() {
  sem_post(&inside);
  for (;;) pause();
}

PROBED void holder() {
  const Guard guard;
  blocked();
}

int main(int argc, char** argv) {
  wait_for_start(&argc, &argv);
  sem_init(&inside, 0, 0);
  pthread_t thread;
  const auto run = [](void*) -> void* {
    holder();
    return nullptr;
  };
  if (pthread_create(&thread, nullptr, run, nullptr) != 0) return 1;
  sem_wait(&inside);
  pthread_cancel(thread);
  void* result = nullptr;
  pthread_join(thread, &result);
  printf("cancelled %d destroyed %d\n", result == PTHREAD_CANCELED ? 1 : 0, destroyed);
}
