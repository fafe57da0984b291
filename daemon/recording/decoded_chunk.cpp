// SPDX-License-Identifier: Apache-2.0
#include "recording/decoded_chunk.h"

#include <span>

namespace compmond::recording {

void DecodedChunk::feed(record::EventSink& sink) const {
  for (const Delivery& delivery : deliveries) {
    if (delivery.announces >= 0)
      sink.on_thread(delivery.thread, threads[size_t(delivery.announces)]);
    if (delivery.count > 0)
      sink.on_events(delivery.thread, std::span(events).subspan(delivery.first, delivery.count));
  }
}

}  // namespace compmond::recording
