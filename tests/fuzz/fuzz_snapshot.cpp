// SPDX-License-Identifier: Apache-2.0
// snapshot::from_json and to_json are each other's inverse, and any text may be a name.
#include <string>

#include "bytes.h"
#include "check.h"
#include "snapshot/snapshot.h"

namespace compmond::fuzz {
namespace {

using snapshot::Snapshot;

void check_round_trip(const Snapshot& snapshot) {
  const std::string text = to_json(snapshot, JsonLayout::kCompact);
  FUZZ_CHECK(text.find('\n') == text.npos);  // one line on the socket
  const auto again = snapshot::from_json(text);
  FUZZ_CHECK(again.has_value());
  FUZZ_CHECK(*again == snapshot);
  const auto pretty = snapshot::from_json(to_json(snapshot));
  FUZZ_CHECK(pretty.has_value() && *pretty == snapshot);
}

// Names come from the observed program: what is not UTF-8 is replaced once and stays the same then.
void check_any_name(const std::string& name) {
  Snapshot snapshot;
  snapshot.host.name = name;
  snapshot.components.emplace_back().name = name;
  snapshot.components.emplace_back().parent = name;
  snapshot.threads.push_back({-1, 1, name, 2, 3});
  snapshot.health.refused.push_back({name, name});
  const auto replaced = snapshot::from_json(to_json(snapshot));
  FUZZ_CHECK(replaced.has_value());
  check_round_trip(*replaced);
}

void check_error(const Error& error) {
  FUZZ_CHECK(error.code == Exit::kData);
  FUZZ_CHECK(!error.what.empty() && !error.why.empty() && !error.next.empty());
  FUZZ_CHECK(error.text().find('\n') == std::string::npos);
}

}  // namespace
}  // namespace compmond::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace compmond;
  const auto text = fuzz::text_of(data, size);
  const auto snapshot = snapshot::from_json(text);
  if (snapshot)
    fuzz::check_round_trip(*snapshot);
  else
    fuzz::check_error(snapshot.error());
  if (size <= 64) fuzz::check_any_name(std::string(text));
  return 0;
}
