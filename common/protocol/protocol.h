// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "protocol/action.h"
#include "protocol/view.h"
#include "protocol/view_request.h"
#include "snapshot/words.h"

// The lines between a client and the daemon, protocol compmond.view/1: requests, answers, and what
// goes before and beside them.
namespace compmond::snapshot {

// The first line that a client gets.
struct Hello {
  std::string version;  // of compmond
  std::string spec_name;
  struct Metric {
    std::string name, description;
    bool needs_calls = false;  // samples do not suffice
    bool operator==(const Metric&) const = default;
  };
  std::vector<Metric> metrics;
  bool control = false;  // whether this client may send control requests
  bool operator==(const Hello&) const = default;
};

// Something that is to be done rather than shown.
struct ControlRequest {
  uint64_t id = 0;
  Word<Action> action;  // kSnapshot writes the file that --snapshot names, kRecord that of --record
  // play: times the original speed, 0: as fast as it goes; step: events; seek: seconds after the
  // run's start. The other actions take none.
  std::optional<double> value;
  // enable, disable: a component, an operation, or a pattern of their names. The others take none.
  std::string target = {};
  bool operator==(const ControlRequest&) const = default;
};
struct ControlAnswer {
  uint64_t id = 0;
  std::string done;   // what was done, for people
  std::string error;  // or why not
  bool operator==(const ControlAnswer&) const = default;
};

// The first line of a client where a token is asked for (--listen beyond this host); always
// allowed.
struct TokenRequest {
  uint64_t id = 0;
  std::string token;
  bool operator==(const TokenRequest&) const = default;
};

// What the daemon says to a line that it cannot take, before it hangs up where it must; and when it
// ends.
struct Refusal {
  uint64_t id = 0;
  std::string error;
  bool ends = false;  // compmond does, and hangs up
  bool operator==(const Refusal&) const = default;
};

// One line each, without the newline.
std::string to_line(const ViewRequest& request);
std::string to_line(const ControlRequest& request);
std::string to_line(const TokenRequest& request);
std::string to_line(const View& view);
std::string to_line(const Hello& hello);
std::string to_line(const ControlAnswer& answer);
std::string to_line(const Refusal& refusal);

// A request line; Exit::kData with a JSON pointer on anything else. Unknown keys are errors: a
// misspelt filter must not pass for none.
struct Request {
  std::optional<ViewRequest> view;  // exactly one of them
  std::optional<ControlRequest> control;
  std::optional<TokenRequest> token;
};
Result<Request> request_from_line(std::string_view line);

// A line from the daemon; exactly one is set. Unknown keys are ignored.
struct Answer {
  std::optional<Hello> hello;
  std::optional<View> view;
  std::optional<ControlAnswer> control;
  std::optional<Refusal> refusal;
};
Result<Answer> answer_from_line(std::string_view line);

}  // namespace compmond::snapshot
