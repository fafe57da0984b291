// SPDX-License-Identifier: Apache-2.0
#include "placing/later_loads.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/clock.h"
#include "target/proc_folder.h"

namespace compmond::run {
namespace {

constexpr uint64_t kEveryNs = 20'000'000, kRest = 100;  // as long as a look took, so many times

bool executes(const std::vector<target::Mapping>& maps, const plan::PlannedImage& image) {
  return std::ranges::any_of(maps, [&](const target::Mapping& one) {
    return one.executable && !one.writable && one.inode == image.inode &&
           target::same_device(one.device, image.device);
  });
}

}  // namespace

void LaterLoads::await(engine::Scope scope, size_t operation, size_t way, uint64_t now_ns) {
  const auto [one, fresh] = awaited_.try_emplace({scope.pid, scope.image});
  if (fresh) one->second.since_ns = now_ns;
  one->second.ways[operation] = way;
}

void LaterLoads::await_those_that_fell(pid_t pid, uint64_t now_ns) {
  for (const auto& [image, ways] : fell_)
    for (const auto& [operation, way] : ways) await({image, pid}, operation, way, now_ns);
}

bool LaterLoads::awaits(int image, size_t operation) const {
  return std::ranges::any_of(awaited_, [&](const auto& one) {
    return one.first.second == image && one.second.ways.contains(operation);
  });
}

LaterLoads::Loads LaterLoads::look(uint64_t now_ns, const std::function<bool(pid_t)>& lives) {
  Loads out;
  if (awaited_.empty() || now_ns < next_ns_) return out;
  pid_t pid = 0;
  std::vector<target::Mapping> maps;  // its own
  for (auto one = awaited_.begin(); one != awaited_.end();) {
    const auto [process, image] = one->first;
    if (!lives(process)) {
      one = awaited_.erase(one);
      continue;
    }
    if (pid != process) {
      pid = process;
      const auto text = target::read_maps(target::live_folder(pid));
      maps = text ? target::parse_maps(*text) : std::vector<target::Mapping>();
    }
    const auto next = std::next(one);
    if (executes(maps, plan_.images[size_t(image)])) {
      one->second.since_ns = std::max(one->second.since_ns, looked_ns_);
      out.insert(awaited_.extract(one));
    }
    one = next;
  }
  looked_ns_ = now_ns;
  const uint64_t end_ns = std::max(now_ns, monotonic_ns());
  next_ns_ = end_ns + std::max(kEveryNs, kRest * (end_ns - now_ns));
  return out;
}

}  // namespace compmond::run
