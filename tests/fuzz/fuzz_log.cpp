// SPDX-License-Identifier: Apache-2.0
// recording::LogReader on any file. Since hashes keep arbitrary bytes out, the first byte says what
// the rest is: a whole file, the payload of a chunk of events, of samples, of slices, of an index,
// of a state or of a header. Samples and slices go on into stores.
#include <string>
#include <vector>

#include "bytes.h"
#include "check.h"
#include "estimate/sample_store.h"
#include "log_format/codec.h"
#include "log_format/sample_codec.h"
#include "log_format/slice_codec.h"
#include "memory_file.h"
#include "recording/log_file.h"
#include "recording/log_reader.h"
#include "replay/logged_slices.h"

namespace compmond::fuzz {
namespace {

using record::ThreadId;

// What a reader promises its sink.
class Sink : public record::EventSink {
 public:
  void on_thread(ThreadId thread, const record::ThreadInfo&) override {
    FUZZ_CHECK(thread == threads++);
  }
  void on_events(ThreadId thread, std::span<const record::Event> events) override {
    FUZZ_CHECK(thread < threads);
    FUZZ_CHECK(!events.empty());
    for (const record::Event& event : events) FUZZ_CHECK(event.kind < record::EventKind::kUnknown);
    count += events.size();
  }
  ThreadId threads = 0;
  uint64_t count = 0;
};

// What a reader promises of samples; a store takes them all.
class Samples {
 public:
  void take(const recording::SampleBlock& block) {
    for (const sampling::Image& image : block.images) store_.on_image(image);
    for (const sampling::Function& function : block.functions) store_.on_function(function);
    auto stretch = block.stretches.begin();
    for (size_t i = 0; i <= block.samples.size(); ++i) {
      for (; stretch != block.stretches.end() && stretch->after == i; ++stretch) {
        FUZZ_CHECK(stretch->stretch.start_ns >= stretched_ns_);
        FUZZ_CHECK(stretch->stretch.end_ns >= stretch->stretch.start_ns);
        stretched_ns_ = stretch->stretch.end_ns;
        store_.on_stretch(stretch->stretch);
      }
      if (i < block.samples.size()) take(block, block.samples[i]);
    }
    FUZZ_CHECK(stretch == block.stretches.end());
    (void)store_.sums({0, UINT64_MAX});
  }
  uint64_t count = 0;

 private:
  void take(const recording::SampleBlock& block, const recording::SampleBlock::Taken& taken) {
    std::vector<sampling::Frame> frames;
    for (uint32_t at = taken.innermost; at != recording::SampleBlock::kNoCall;
         at = block.calls[at].caller) {
      FUZZ_CHECK(at < block.calls.size());
      frames.push_back(block.calls[at].frame);
      FUZZ_CHECK(frames.size() <= recording::kMaxDepth);
    }
    sampling::Sample sample = taken.sample;
    sample.frames = frames;
    store_.on_sample(sample);
    ++count;
  }

  estimate::SampleStore store_{{{{0, 8, 100, "", {{256, 256}}}}, {-1}}};
  uint64_t stretched_ns_ = 0;
};

uint64_t read_all(recording::LogReader& reader, size_t file_size) {
  Sink sink;
  Samples samples;
  replay::LoggedSlices slices;
  for (recording::DecodedChunk chunk; reader.next(chunk);) {
    chunk.feed(sink);
    if (chunk.samples) samples.take(*chunk.samples);
    if (chunk.slices) {
      FUZZ_CHECK(chunk.slices->steps.size() <= recording::kMaxSliceSteps);
      slices.add(std::move(chunk.slices->steps));
    }
  }
  const std::vector<Window> whole{{0, UINT64_MAX}};
  FUZZ_CHECK(slices.store().count(whole, 2).size() == 2);
  uint64_t bytes = 0;
  for (const recording::Damage& damage : reader.damage()) {
    bytes += damage.bytes;
    FUZZ_CHECK(damage.bytes > 0 || damage.events > 0 || damage.samples > 0);
    FUZZ_CHECK(damage.from_ns <= damage.to_ns);
    FUZZ_CHECK(!to_text(damage, reader.header().start_ns).empty());
  }
  FUZZ_CHECK(bytes <= file_size);
  return sink.count + samples.count;
}

void read_file(std::string_view content) {
  const Fd file = file_of({reinterpret_cast<const uint8_t*>(content.data()), content.size()});
  auto reader = recording::LogReader::open(file.proc_path());
  if (!reader) {
    FUZZ_CHECK(reader.error().code == Exit::kData);
    FUZZ_CHECK(!reader.error().why.empty() && !reader.error().next.empty());
    return;
  }
  for (const recording::Operation& operation : reader->header().operations)
    FUZZ_CHECK(size_t(operation.component) < reader->header().components.size());
  const uint64_t events = read_all(*reader, content.size());
  const auto damage = reader->damage();
  reader->rewind();
  FUZZ_CHECK(read_all(*reader, content.size()) == events);
  FUZZ_CHECK(reader->damage() == damage);
  reader->seek(reader->begin_ns() + 1);
  read_all(*reader, content.size());
}

recording::Header header() {
  recording::Header out;
  out.components = {{"A", -1}};
  out.operations.resize(2);
  return out;
}

std::string chunk(recording::ChunkType type, std::string_view payload, Bytes& rest) {
  recording::ChunkHead head;
  head.type = type;
  if (recording::holds_evidence(type)) {
    head.events = rest.take<uint16_t>();
    head.min_ns = rest.take<uint32_t>();
    const uint64_t span = rest.take<uint16_t>();
    head.max_ns = head.min_ns + (type == recording::ChunkType::kEvents ? span : span << 20);
  }
  return seal(head, payload);
}

// One chunk of this payload among sound ones.
void read_payload(recording::ChunkType type, Bytes bytes) {
  std::string file;
  recording::ChunkHead head;
  if (type != recording::ChunkType::kHeader) file = header_chunk(header(), head);
  Bytes numbers = bytes;
  if (recording::holds_evidence(type)) (void)bytes.take(8);
  const auto rest = bytes.rest();
  const std::string_view payload(reinterpret_cast<const char*>(rest.data()), rest.size());
  const uint64_t at = file.size();
  file += chunk(type, payload, numbers);
  if (type == recording::ChunkType::kIndex) file += recording::make_trailer(at);
  read_file(file);
}

}  // namespace
}  // namespace compmond::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace compmond;
  if (size == 0) return 0;
  const fuzz::Bytes bytes(data + 1, size - 1);
  const bool packed = data[0] == 5 || data[0] == 6;  // others are as they were before these
  const auto type = recording::ChunkType(packed ? data[0] : data[0] % 5);
  if (packed || data[0] % 5 != 0)
    fuzz::read_payload(type, bytes);
  else
    fuzz::read_file(fuzz::text_of(data + 1, size - 1));
  return 0;
}
