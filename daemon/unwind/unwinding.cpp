// SPDX-License-Identifier: Apache-2.0
#include "unwind/unwinding.h"

#include <fcntl.h>

#include "walk/walker.h"

namespace compmond::unwind {

namespace {

Fd copy_of(const Fd& file) {
  return Fd(file.valid() ? ::fcntl(file.get(), F_DUPFD_CLOEXEC, 0) : -1);
}

}  // namespace

void Unwinding::add(const sampling::Image& image, const Fd& file) {
  images_.add(image.number, image.path, copy_of(file));
}

void Unwinding::name_code(uint32_t pid, sampling::ImageNumber image, const Fd& perf_map) {
  made_code_.tell(pid, image, kFirstMadePlace, copy_of(perf_map));
}

void Unwinding::fork(uint32_t parent, uint32_t child) {
  spaces_.fork(parent, child);
  made_code_.fork(parent, child);
}

void Unwinding::forget(uint32_t pid) {
  spaces_.forget(pid);
  made_code_.forget(pid);
}

void Unwinding::walk(
    std::span<const sampling::RawSample> samples,
    const std::function<void(size_t index, const sampling::Walked& walked)>& take) {
  for (size_t i = 0; i < samples.size(); ++i) {
    const cm_sample& head = *samples[i].head;
    unwind::walk(samples[i], spaces_.find(head.pid), images_, walked_);
    functions_.meet(walked_.frames, walked_.functions);
    made_code_.name(head.pid, head.time_ns, walked_.frames, walked_.functions);
    take(i, walked_);
  }
}

}  // namespace compmond::unwind
