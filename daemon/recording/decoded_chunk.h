// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "log_format/sample_block.h"
#include "log_format/slice_block.h"
#include "record/event.h"

namespace compmond::recording {

// Some consecutive deliveries of a log, decoded: what a source handed to its sink, call by call.
// Samples and slices are in chunks of their own.
struct DecodedChunk {
  struct Delivery {
    record::ThreadId thread = 0;
    int32_t announces = -1;         // index in `threads`, and no events; -1: events
    uint32_t first = 0, count = 0;  // events[first, first + count)
  };
  std::vector<Delivery> deliveries;
  std::vector<record::ThreadInfo> threads;
  std::vector<record::Event> events;
  std::optional<SampleBlock> samples;  // then there is nothing else
  std::optional<SliceBlock> slices;    // likewise

  bool empty() const { return deliveries.empty() && !samples && !slices; }
  void clear() {
    deliveries.clear();
    threads.clear();
    events.clear();
    samples.reset();
    slices.reset();
  }
  // Hands all events to the sink, in order.
  void feed(record::EventSink& sink) const;
};

}  // namespace compmond::recording
