// SPDX-License-Identifier: Apache-2.0
#include "sampler/newcomers.h"

#include "base/clock.h"

namespace compmond::sampler {

size_t Newcomers::drain(record::EventSink& sink) {
  now_ns_ = monotonic_ns();
  for (const Sampler::Arrival& arrival : sampler_.take_arrivals())
    sink.on_thread(next_++, {uint32_t(arrival.pid), uint32_t(arrival.pid), arrival.time_ns, ""});
  return 0;
}

}  // namespace compmond::sampler
