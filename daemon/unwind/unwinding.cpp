// SPDX-License-Identifier: Apache-2.0
#include "unwind/unwinding.h"

#include <fcntl.h>

#include "unwind/walker.h"

namespace compmond::unwind {

void Unwinding::add(const sampling::Image& image, const Fd& file) {
  images_.add(image.number, image.path,
              Fd(file.valid() ? ::fcntl(file.get(), F_DUPFD_CLOEXEC, 0) : -1));
}

void Unwinding::walk(
    std::span<const sampling::RawSample> samples,
    const std::function<void(size_t index, const sampling::Walked& walked)>& take) {
  for (size_t i = 0; i < samples.size(); ++i) {
    unwind::walk(samples[i], spaces_.find(samples[i].head->pid), images_, walked_);
    functions_.meet(walked_.frames, walked_.functions);
    take(i, walked_);
  }
}

}  // namespace compmond::unwind
