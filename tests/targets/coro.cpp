// SPDX-License-Identifier: Apache-2.0
// coro [N]: a C++20 coroutine yields N numbers; each resume is an ordinary call.
#include <coroutine>
#include <exception>

#include "wait.h"

namespace {

struct Numbers {
  struct promise_type {
    long value = 0;
    Numbers get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(long next) {
      value = next;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
};

}  // namespace

PROBED long square(long value) { return value * value; }

namespace {

Numbers squares(long count) {
  for (long i = 0; i < count; ++i) co_yield square(i);
}

}  // namespace

PROBED bool step(void* frame) {
  const auto handle = std::coroutine_handle<Numbers::promise_type>::from_address(frame);
  handle.resume();
  return !handle.done();
}

int main(int argc, char** argv) {
  wait_for_start(&argc, &argv);
  const Numbers numbers = squares(argument(argc, argv, 1, 10));
  long sum = 0;
  while (step(numbers.handle.address())) sum += numbers.handle.promise().value;
  numbers.handle.destroy();
  printf("sum %ld\n", sum);
}
