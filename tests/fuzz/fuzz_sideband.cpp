// SPDX-License-Identifier: Apache-2.0
// sampler::parse_sideband on any records: it ends, what it tells is possible, and each record says
// the same alone as among others. An input is: which processes are wanted (u8: all whose number has
// a bit of it, 0: all), then the records.
#include <linux/perf_event.h>

#include <cstring>
#include <vector>

#include "bytes.h"
#include "check.h"
#include "mapped_code/sideband_record.h"

namespace compmond::fuzz {
namespace {

using namespace sampler;

struct Told {
  std::vector<SidebandEvent> events;
  size_t malformed = 0;
};

Told told(std::span<const std::byte> records, uint8_t wanted) {
  Told out;
  out.malformed = parse_sideband(
      records, [&](uint32_t pid) { return wanted == 0 || (pid & wanted) != 0; }, out.events);
  return out;
}

void check_possible(const Told& all, uint8_t wanted) {
  for (const SidebandEvent& event : all.events) {
    const auto* mapped = std::get_if<CodeMapped>(&event.what);
    const auto* executed = std::get_if<Executed>(&event.what);
    FUZZ_CHECK(!mapped || mapped->start < mapped->end);
    FUZZ_CHECK(!mapped || mapped->path.find('\0') == std::string::npos);
    const uint32_t pid = mapped ? mapped->pid : executed ? executed->pid : wanted;
    FUZZ_CHECK(wanted == 0 || (pid & wanted) != 0);
  }
}

// Adds up what the records say one by one.
void check_alone(std::span<const std::byte> records, uint8_t wanted, const Told& all) {
  size_t events = 0, malformed = 0;
  while (!records.empty()) {
    perf_event_header header{};
    const bool whole = records.size() >= sizeof header;
    if (whole) std::memcpy(&header, records.data(), sizeof header);
    const bool sensible = whole && header.size >= sizeof header && header.size <= records.size();
    const Told one = told(sensible ? records.first(header.size) : records, wanted);
    FUZZ_CHECK(one.events.size() + one.malformed <= 1);
    for (const SidebandEvent& event : one.events) {
      FUZZ_CHECK(events < all.events.size());
      FUZZ_CHECK(event.time_ns == all.events[events].time_ns);
      FUZZ_CHECK(event.what.index() == all.events[events++].what.index());
    }
    malformed += one.malformed;
    if (!sensible) break;
    records = records.subspan(header.size);
  }
  FUZZ_CHECK(events == all.events.size() && malformed == all.malformed);
}

}  // namespace
}  // namespace compmond::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace compmond;
  fuzz::Bytes bytes(data, size);
  const auto wanted = bytes.take<uint8_t>();
  const auto records = std::as_bytes(bytes.rest());
  const fuzz::Told all = fuzz::told(records, wanted);
  fuzz::check_possible(all, wanted);
  fuzz::check_alone(records, wanted, all);
  return 0;
}
