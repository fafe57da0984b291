// SPDX-License-Identifier: Apache-2.0
#include "unwind/made_code.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/limits.h"

namespace compmond::unwind {
namespace {

constexpr uint64_t kReadAgainNs = 250'000'000;  // a look is a system call, and most find nothing
constexpr size_t kChunk = 64u << 10;
constexpr size_t kLast = 64;  // bytes that no two perf maps have at one place

}  // namespace

void MadeCode::tell(uint32_t pid, sampling::ImageNumber image, uint64_t first, Fd file) {
  next_place_ = std::max(next_place_, first);
  auto told = std::make_shared<File>();
  told->image = image;
  told->fd = std::move(file);
  files_[pid] = std::move(told);
}

void MadeCode::fork(uint32_t parent, uint32_t child) {
  const auto from = files_.find(parent);
  if (from == files_.end() || parent == child) return;
  const auto shared = from->second;
  files_[child] = shared;
}

void MadeCode::forget(uint32_t pid) { files_.erase(pid); }

void MadeCode::name(uint32_t pid, uint64_t time_ns, std::vector<sampling::Frame>& frames,
                    std::vector<sampling::Function>& met) {
  const auto known = files_.find(pid);
  if (known == files_.end()) return;
  File& file = *known->second;
  for (sampling::Frame& frame : frames) {
    if (frame.image != sampling::kNoImage) continue;
    if (time_ns >= file.next_ns) {
      file.next_ns = time_ns + kReadAgainNs;
      read_on(pid, file);
    }
    PerfMap::Found* found = file.map.find(frame.vaddr);
    if (!found) continue;
    auto& [start, code] = *found;
    if (code.place == 0) {
      if (functions_ == limits::kFunctions) continue;
      ++functions_;
      code.place = next_place_;
      next_place_ += code.end - start;
      met.push_back({file.image, code.place, next_place_, code.name});
    }
    frame = {file.image, code.place + (frame.vaddr - start)};
  }
}

// Whether what was read of it is still there.
bool MadeCode::goes_on(const File& file, uint64_t size) {
  std::array<char, kLast> now;
  return file.read > 0 && size >= file.read &&
         ::pread(file.fd.get(), now.data(), file.last.size(),
                 off_t(file.read - file.last.size())) == ssize_t(file.last.size()) &&
         std::equal(file.last.begin(), file.last.end(), now.begin());
}

void MadeCode::read_on(uint32_t pid, File& file) {
  struct stat st {};
  if (!file.fd.valid() || ::fstat(file.fd.get(), &st) != 0) return;
  const auto size = uint64_t(st.st_size);
  if (!goes_on(file, size)) {
    file.map = PerfMap(limits::kPerfMapCode);
    file.read = 0;
    file.last.clear();
  }
  const uint64_t end = std::min<uint64_t>(size, limits::kPerfMapBytes);
  std::array<char, kChunk> bytes;
  while (file.read < end && !file.map.full()) {
    outside_.step(pid);
    const auto wanted = size_t(std::min<uint64_t>(end - file.read, bytes.size()));
    const ssize_t got = ::pread(file.fd.get(), bytes.data(), wanted, off_t(file.read));
    if (got <= 0) break;
    const std::string_view more(bytes.data(), size_t(got));
    file.map.append(more);
    file.read += more.size();
    file.last += more.substr(more.size() - std::min(more.size(), kLast));
    file.last.erase(0, file.last.size() - std::min(file.last.size(), kLast));
  }
  outside_.step(0);
  report(pid, file, file.map.full() || size > limits::kPerfMapBytes);
}

void MadeCode::report(uint32_t pid, File& file, bool cut) {
  const bool skipped = file.map.skipped() > 0;
  if ((file.reported || !skipped) && (file.reported_cut || !cut)) return;
  file.reported |= skipped;
  file.reported_cut |= cut;
  outside_.report({pid, file.map.lines(), file.map.skipped(), cut});
}

}  // namespace compmond::unwind
