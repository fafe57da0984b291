// SPDX-License-Identifier: Apache-2.0
// recording::LogReader on any file. Since hashes keep arbitrary bytes out, the first byte says what
// the rest is: a whole file, the payload of a chunk of events, of an index, of a state or of a
// header.
#include <string>
#include <vector>

#include "bytes.h"
#include "check.h"
#include "memory_file.h"
#include "recording/codec.h"
#include "recording/log_file.h"
#include "recording/log_reader.h"

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
    for (const record::Event& event : events) FUZZ_CHECK(event.kind <= record::EventKind::kContext);
    count += events.size();
  }
  ThreadId threads = 0;
  uint64_t count = 0;
};

uint64_t read_all(recording::LogReader& reader, size_t file_size) {
  Sink sink;
  while (reader.next(sink)) {
  }
  uint64_t bytes = 0;
  for (const recording::Damage& damage : reader.damage()) {
    bytes += damage.bytes;
    FUZZ_CHECK(damage.bytes > 0 || damage.events > 0);
    FUZZ_CHECK(damage.from_ns <= damage.to_ns);
    FUZZ_CHECK(!to_text(damage, reader.header().start_ns).empty());
  }
  FUZZ_CHECK(bytes <= file_size);
  return sink.count;
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
  if (type == recording::ChunkType::kEvents) {
    head.events = rest.take<uint16_t>();
    head.min_ns = rest.take<uint32_t>();
    head.max_ns = head.min_ns + rest.take<uint16_t>();
  }
  return seal(head, payload);
}

// One chunk of this payload among sound ones.
void read_payload(recording::ChunkType type, Bytes bytes) {
  std::string file;
  recording::ChunkHead head;
  if (type != recording::ChunkType::kHeader) file = header_chunk(header(), head);
  Bytes numbers = bytes;
  if (type == recording::ChunkType::kEvents) (void)bytes.take(8);
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
  fuzz::Bytes bytes(data + 1, size - 1);
  switch (data[0] % 5) {
    case 1:
    case 2:
    case 3:
    case 4:
      fuzz::read_payload(recording::ChunkType(data[0] % 5), bytes);
      break;
    default:
      fuzz::read_file(fuzz::text_of(data + 1, size - 1));
  }
  return 0;
}
