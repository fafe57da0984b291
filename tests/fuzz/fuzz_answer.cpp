// SPDX-License-Identifier: Apache-2.0
// What a window reads of a daemon: answer_from_line takes a line or says why not, and what it takes
// survives the way there and back.
#include <string>

#include "bytes.h"
#include "check.h"
#include "protocol/protocol.h"
#include "protocol/view.h"

namespace compmond::fuzz {
namespace {

using namespace snapshot;

void check_again(const std::string& line, const Answer& answer) {
  FUZZ_CHECK(line.find('\n') == line.npos);
  const auto again = answer_from_line(line);
  FUZZ_CHECK(again.has_value());
  FUZZ_CHECK(again->hello == answer.hello && again->view == answer.view &&
             again->control == answer.control && again->refusal == answer.refusal);
}

void check_answer(const Answer& answer) {
  FUZZ_CHECK(int(answer.hello.has_value()) + int(answer.view.has_value()) +
                 int(answer.control.has_value()) + int(answer.refusal.has_value()) ==
             1);
  if (answer.hello) check_again(to_line(*answer.hello), answer);
  if (answer.view) check_again(to_line(*answer.view), answer);
  if (answer.control) check_again(to_line(*answer.control), answer);
  if (answer.refusal) check_again(to_line(*answer.refusal), answer);
}

}  // namespace
}  // namespace compmond::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace compmond;
  const auto answer = snapshot::answer_from_line(fuzz::text_of(data, size));
  if (answer)
    fuzz::check_answer(*answer);
  else
    FUZZ_CHECK(answer.error().code == Exit::kData && !answer.error().why.empty());
  return 0;
}
