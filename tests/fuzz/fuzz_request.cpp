// SPDX-License-Identifier: Apache-2.0
// What a client may say: request_from_line never fails in another way than with a place and a
// remedy, and what it takes survives the way there and back.
#include <string>

#include "bytes.h"
#include "check.h"
#include "protocol/protocol.h"
#include "protocol/view.h"

namespace compmond::fuzz {
namespace {

void check_line(const std::string& line) {
  FUZZ_CHECK(!line.empty() && line.front() == '{');
  FUZZ_CHECK(line.find('\n') == line.npos);
}

void check_request(const snapshot::Request& request) {
  FUZZ_CHECK(int(request.view.has_value()) + int(request.control.has_value()) +
                 int(request.token.has_value()) ==
             1);
  const std::string line = request.view      ? to_line(*request.view)
                           : request.control ? to_line(*request.control)
                                             : to_line(*request.token);
  check_line(line);
  const auto again = snapshot::request_from_line(line);
  FUZZ_CHECK(again.has_value());
  FUZZ_CHECK(again->view == request.view && again->control == request.control &&
             again->token == request.token);
}

void check_refusal(const Error& error) {
  FUZZ_CHECK(error.code == Exit::kData);
  FUZZ_CHECK(!error.what.empty() && !error.why.empty() && !error.next.empty());
  const std::string line = to_line(snapshot::Refusal{0, error.text()});
  check_line(line);
  FUZZ_CHECK(snapshot::answer_from_line(line)->refusal.has_value());
}

}  // namespace
}  // namespace compmond::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace compmond;
  const auto text = fuzz::text_of(data, size);
  const auto request = snapshot::request_from_line(text);
  if (request)
    fuzz::check_request(*request);
  else
    fuzz::check_refusal(request.error());
  (void)snapshot::answer_from_line(text);  // a window reads what a daemon says
  return 0;
}
