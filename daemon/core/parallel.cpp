// SPDX-License-Identifier: Apache-2.0
#include "core/parallel.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <utility>
#include <vector>

namespace compmond {

std::thread make_thread(std::function<void()> work) { return std::thread(std::move(work)); }

void in_parallel(size_t count, size_t together, const std::function<void(size_t)>& work,
                 const MakeThread& make) {
  std::atomic<size_t> next = 0;
  const auto take = [&] {
    for (size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::thread> others;
  others.reserve(std::min(count, together));
  try {
    while (others.size() + 1 < std::min(count, together)) others.push_back(make(take));
  } catch (const std::system_error&) {  // then with fewer
  }
  take();
  for (std::thread& other : others) other.join();
}

}  // namespace compmond
