// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "protocol/protocol.h"
#include "protocol/view.h"

namespace compmond::serve {

// Where answers come from. Called on the server's thread, one request at a time.
class Answers {
 public:
  virtual ~Answers() = default;
  // What a client is told first; the server fills in what this one may do.
  virtual snapshot::Hello hello() = 0;
  virtual Result<snapshot::View> view(const snapshot::ViewRequest& request) = 0;
  // Does what a control request names and tells what was done, for people.
  virtual Result<std::string> control(const snapshot::ControlRequest& request) = 0;
};

}  // namespace compmond::serve
