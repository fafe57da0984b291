// SPDX-License-Identifier: Apache-2.0
#include <iterator>
#include <string>

#include "json_texts.h"
#include "protocol/protocol.h"

namespace compmond::fuzz {
namespace {

// With all that may be asked for.
snapshot::ViewRequest full_request() {
  snapshot::ViewRequest out;
  out.id = 7;
  out.window = {2.5, 10, 20};
  out.metric = "mean";
  out.filter = {{"A/B"}, {"work"}, {12, 13}, 5000};
  out.strip = {{100, 200, 300}};
  out.executions = {{1, 2, 3, 4}};
  out.details = "A";
  out.analysis = {snapshot::Report::kTraces,
                  snapshot::Level::kComponent,
                  3,
                  4,
                  "work",
                  5,
                  snapshot::Sort::kDuration,
                  true,
                  6,
                  "A/B",
                  "f"};
  return out;
}

}  // namespace
}  // namespace compmond::fuzz

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  using namespace compmond;
  static const std::string kSound[] = {
      snapshot::to_line(fuzz::full_request()),
      snapshot::to_line(snapshot::ControlRequest{4, snapshot::Action::kSeek, 1.25}),
      snapshot::to_line(snapshot::TokenRequest{4, "0123456789abcdef"})};
  return fuzz::mutate_json(data, size, most, seed, kSound[seed / 7 % std::size(kSound)]);
}
