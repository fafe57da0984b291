// SPDX-License-Identifier: Apache-2.0
#include "protocol/view.h"

#include <doctest/doctest.h>

#include "protocol/protocol.h"

using namespace compmond;
using namespace compmond::snapshot;

namespace {

ViewRequest full_request() {
  ViewRequest r;
  r.id = 7;
  r.window = {2.5, 10, 20};
  r.metric = "mean";
  r.filter = {{"A/B"}, {"work"}, {12, 13}, 5000};
  r.snapshot = false;
  r.strip = {{100, 200, 300}};
  r.executions = {{1, 2, 3, 4}};
  r.details = "A";
  r.analysis = {
      Report::kTraces, Level::kComponent, 3, 4, "work", 5, Sort::kDuration, true, 6, "A/B", "f"};
  return r;
}

View full_view() {
  View v;
  v.id = 9;
  v.run = {1, 2, false, true, 3.5, 4, true, 2.5, 9};
  v.snapshot.emplace().metric = "overall";
  v.strip = StripView{1, 2, 2, {"A"}, {{5, 6}}, {0, 1}, {}, {{1, 2, 3, 1.5}}};
  ExecutionsView e{1,
                   9,
                   {{"A", "work"}},
                   {{0, -1, 4, 5, 6, 7, 1, 2, 3, 4, Ending::kOpen}},
                   {{0, 4, 5, 1, 6, 7, 2, 3, 1}},
                   8,
                   true};
  v.executions = e;
  v.details = DetailsView{"A", {{1, 2, 3}}, e};
  AnalysisView& a = v.analysis.emplace();
  a.report = snapshot::Report::kTraces;
  a.level = snapshot::Level::kOperation;
  a.start_ns = 1;
  a.end_ns = 9;
  a.traces = 2;
  a.executions = 3;
  a.broken = 4;
  a.unfinished = 5;
  a.left_out = 6;
  a.partial = true;
  a.analysed_since_ns = 2;
  a.operations = {{"A", "work"}};
  a.content = Traces{{{1, 4, 5, 6, 7, 0, 8, 2, 1, true, 3, "alice"}}};
  return v;
}

std::string refusal_of(std::string_view line) {
  const auto request = request_from_line(line);
  REQUIRE(!request);
  CHECK(request.error().code == Exit::kData);
  return request.error().text();
}

}  // namespace

TEST_CASE("view: a request survives the way there") {
  const auto back = request_from_line(to_line(full_request()));
  REQUIRE(back);
  CHECK(back->view == full_request());
  CHECK(!back->control);
  for (const ControlRequest& wanted :
       {ControlRequest{3, Action::kStop, {}}, ControlRequest{4, Action::kSeek, 1.25}}) {
    const auto control = request_from_line(to_line(wanted));
    REQUIRE(control);
    CHECK(control->control == wanted);
  }
  const auto token = request_from_line(to_line(TokenRequest{4, "0123"}));
  REQUIRE(token);
  CHECK(token->token == TokenRequest{4, "0123"});
  CHECK(!token->view);
}

TEST_CASE("view: a request may leave everything to the defaults") {
  const auto request = request_from_line(R"({"request":"view"})");
  REQUIRE(request);
  CHECK(request->view == ViewRequest{});
}

TEST_CASE("view: an answer survives the way back") {
  const auto view = answer_from_line(to_line(full_view()));
  REQUIRE(view);
  CHECK(view->view == full_view());
  const Hello hello{"1.0", "shop", {{"overall", "all of it"}}, true};
  CHECK(answer_from_line(to_line(hello))->hello == hello);
  CHECK(answer_from_line(to_line(ControlAnswer{1, "written", ""}))->control ==
        ControlAnswer{1, "written", ""});
  CHECK(answer_from_line(to_line(Refusal{2, "too long"}))->refusal == Refusal{2, "too long"});
}

TEST_CASE("view: a line is one line, whatever the names are") {
  View v = full_view();
  v.details->component = "a\nb\xff";
  const std::string text = to_line(v);
  CHECK(text.find('\n') == std::string::npos);
  CHECK(answer_from_line(text));
}

TEST_CASE("view: what is no request is refused with its place") {
  for (const char* text : {"{", ""})
    CHECK(refusal_of(text).find("it is not JSON") != std::string::npos);
  CHECK(refusal_of(std::string(2000, '[') + std::string(2000, ']')).find("nested too deeply") !=
        std::string::npos);
  CHECK(refusal_of(R"({"request":"view","id":123456789012345678901})").find("64 bits") !=
        std::string::npos);
  CHECK(refusal_of(R"({"request":"view","id":1,"id":2})").find("'id' appears twice") !=
        std::string::npos);
  CHECK(refusal_of("[]").find("no object") != std::string::npos);
  CHECK(refusal_of("{}").find("'request' is missing") != std::string::npos);
  CHECK(refusal_of(R"({"request":"dance"})").find("there is no request 'dance'") !=
        std::string::npos);
  CHECK(refusal_of(R"({"request":"view","strip":{"columns":-1}})").find("'/strip/columns'") !=
        std::string::npos);
  CHECK(refusal_of(R"({"request":"view","strip":{}})").find("'columns' is missing") !=
        std::string::npos);
}

TEST_CASE("view: a control request's value is a number or is not there") {
  const auto plain = request_from_line(R"({"request":"control","action":"step"})");
  REQUIRE(plain);
  CHECK(plain->control == ControlRequest{0, Action::kStep, {}});
  const auto whole = request_from_line(R"({"request":"control","action":"seek","value":3})");
  REQUIRE(whole);
  CHECK(whole->control == ControlRequest{0, Action::kSeek, 3});
  const auto unknown = request_from_line(R"({"request":"control","action":"dance"})");
  REQUIRE(unknown);
  CHECK(!unknown->control->action.known());
  CHECK(unknown->control->action.text() == "dance");  // which the refusal names
  CHECK(refusal_of(R"({"request":"control","action":"seek","value":"3"})").find("'/value'") !=
        std::string::npos);
  CHECK(refusal_of(R"({"request":"control","action":"seek","value":1e999})").find("not JSON") !=
        std::string::npos);
  CHECK(refusal_of(R"({"request":"control","action":"seek","values":3})").find("key 'values'") !=
        std::string::npos);
  CHECK(refusal_of(R"({"request":"control","value":3})").find("'action' is missing") !=
        std::string::npos);
}

TEST_CASE("view: the run of a daemon that tells nothing of a replay is read") {
  const auto view = answer_from_line(
      R"({"answer":"view","id":1,"run":{"start_ns":1,"now_ns":2,"live":true,"replay":false,)"
      R"("events_per_s":3.0,"complete_since_ns":0}})");
  REQUIRE(view);
  CHECK(view->view->run == RunState{1, 2, true, false, 3.0, 0, false, 0, 0});
}

TEST_CASE("view: a misspelt key does not pass for a missing one") {
  CHECK(refusal_of(R"({"request":"view","filter":{"thread":[1]}})").find("the key 'thread'") !=
        std::string::npos);
  CHECK(refusal_of(R"({"request":"view","windows":{}})").find("the key 'windows'") !=
        std::string::npos);
  CHECK(refusal_of(R"({"request":"view","analysis":{"report":"traces","filter":1}})")
            .find("the key 'filter'") != std::string::npos);
  CHECK(refusal_of(R"({"request":"view","analysis":{"report":"trace","trace":-1}})")
            .find("'/analysis/trace'") != std::string::npos);
}
