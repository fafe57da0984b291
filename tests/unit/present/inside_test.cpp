// SPDX-License-Identifier: Apache-2.0
#include "present/inside.h"

#include <doctest/doctest.h>

#include "present/estimated.h"
#include "small_run.h"

using namespace compmond;
using namespace compmond::present::test;
using snapshot::Inside;
using snapshot::Whose;

namespace {

constexpr sampling::ImageNumber kMainFile = sampling::kFirstFile, kLibc = kMainFile + 1;

// The small run, whose operation i is at 256 (i + 1) of the program, with functions known and not.
struct LookedInto : Run {
  LookedInto() {
    plan.images.push_back({0, "/main", true, nullptr, 8, 100});
    for (size_t i = 0; i < plan.operations.size(); ++i) {
      plan.operations[i].image = 0;
      plan.operations[i].ways[0].code = {{256 * (i + 1), 256}};
    }
    states = plan::OperationStates(plan);
    samples.emplace(present::estimate_model_of(spec, plan));
    samples->on_image({kMainFile, "/main", 8, 100, ""});
    samples->on_image({kLibc, "/lib/libc.so.6", 8, 101, ""});
    samples->on_function({kMainFile, 768, 1024, "fc()"});
    samples->on_function({kMainFile, 512, 600, ""});
    samples->on_function({kLibc, 0x100, 0x200, "memcpy"});
  }
  void put(int count, const std::vector<sampling::Frame>& frames, bool in_kernel = false,
           sampling::Ended ended = sampling::Ended::kComplete) {
    for (int i = 0; i < count; ++i) {
      sampling::Sample sample;
      sample.pid = sample.tid = 10;
      sample.time_ns = ++at_;
      sample.in_kernel = in_kernel;
      sample.ended = ended;
      sample.frames = frames;
      samples->on_sample(sample);
    }
  }
  void finish() {
    sampling::Stretch stretch;
    stretch.end_ns = 1000 * kMs;
    stretch.hz = double(at_);
    stretch.processes = {{10, 10 * at_ * kMs}};  // 10 ms each
    samples->on_stretch(stretch);
  }
  Result<snapshot::View> ask(const snapshot::AnalysisRequest& request, bool with_samples = true) {
    present::RunParts parts = this->parts();
    if (with_samples) parts.samples.emplace(present::RunSamples{*samples, 200});
    snapshot::ViewRequest all;
    all.analysis = request;
    return answer_view(parts, all, {}, analyst);
  }
  Inside inside_of(const std::string& component, uint32_t limit = 1000) {
    snapshot::AnalysisRequest request;
    request.report = snapshot::Report::kInside;
    request.component = component;
    request.limit = limit;
    const auto view = ask(request);
    if (!view) FAIL(view.error().text());
    REQUIRE(well_formed(*view->analysis));
    left_out = view->analysis->left_out;
    return *view->analysis->as<Inside>();
  }

  std::optional<estimate::SampleStore> samples;
  uint64_t left_out = 0;

 private:
  uint64_t at_ = 0;
};

constexpr sampling::Frame kFc{kMainFile, 800}, kFb{kMainFile, 520}, kFbBehind{kMainFile, 700};
constexpr sampling::Frame kMemcpy{kLibc, 0x110}, kUnknownLibc{kLibc, 0x900};

const Inside::Function& labelled(const Inside& inside, const std::string& name) {
  for (const Inside::Function& function : inside.functions)
    if (label(function) == name) return function;
  FAIL("no function " << name);
  return inside.functions.front();
}

double ms(double ns) { return ns / 1e6; }

}  // namespace

TEST_CASE("inside: a name is short where no other function of the report has that one too") {
  LookedInto run;
  run.samples->on_function({kLibc, 0x200, 0x300, "std::find(int)"});
  run.samples->on_function({kLibc, 0x300, 0x400, "std::find(char)"});
  run.samples->on_function({kLibc, 0x400, 0x500, "void std::sort<int*>(int*, int*)"});
  for (const uint64_t at : {0x210, 0x310, 0x410}) run.put(10, {{kLibc, at}, kFc});
  run.finish();
  const Inside inside = run.inside_of("C");
  CHECK(labelled(inside, "std::find(int)").short_name.empty());
  CHECK(labelled(inside, "std::find(char)").short_name.empty());
  CHECK(labelled(inside, "std::sort<int*>").name == "void std::sort<int*>(int*, int*)");
}

TEST_CASE("inside: functions by own time with whose they are, callers last") {
  LookedInto run;
  run.put(40, {kMemcpy, kFc, kFb});
  run.put(20, {kFc, kFb});
  run.put(10, {kUnknownLibc, kFc, kFb}, true);
  run.put(10, {{sampling::kNoImage, 0x7000}, kFc}, false, sampling::Ended::kBroken);
  run.put(20, {kFb});
  run.finish();
  const Inside inside = run.inside_of("C");
  CHECK(ms(inside.total.cpu_ns.value_ns) == doctest::Approx(800));
  CHECK(inside.total.cpu_ns.low_ns < inside.total.cpu_ns.value_ns);
  CHECK(inside.total.samples == 80);
  CHECK(inside.taken == 100);
  CHECK(inside.broken == 10);
  CHECK(inside.truncated == 0);
  CHECK(ms(inside.all_cpu_ns) == doctest::Approx(1000));
  CHECK(inside.off_cpu_share == 0);
  REQUIRE(inside.functions.size() == 7);
  CHECK(label(inside.functions[0]) == "memcpy");
  CHECK(inside.functions[0].whose == Whose::kLibrary);
  CHECK(inside.functions[0].image == "/lib/libc.so.6");
  CHECK(ms(inside.functions[0].own.cpu_ns.value_ns) == doctest::Approx(400));
  CHECK(label(inside.functions[1]) == "fc");
  CHECK(inside.functions[1].name == "fc()");
  CHECK(inside.functions[1].whose == Whose::kOwn);
  CHECK(ms(inside.functions[1].total.cpu_ns.value_ns) == doctest::Approx(800));
  CHECK(labelled(inside, "[kernel]").own.samples == 10);
  CHECK(labelled(inside, "unknown in libc.so.6").total.samples == 10);
  CHECK(labelled(inside, "(code of no file)").whose == Whose::kUnknown);
  const Inside::Function& caller = labelled(inside, "0x200 in main");
  CHECK(caller.total.samples == 0);
  CHECK(&caller >= &inside.functions[5]);
  CHECK(labelled(inside, "(callers missing)").whose == Whose::kMissing);
}

TEST_CASE("inside: the trees are those of the estimates, and cut by what has least time") {
  LookedInto run;
  run.put(6, {kMemcpy, kFc, kFb});
  run.put(3, {kFc, kFb, kUnknownLibc});
  run.put(1, {kUnknownLibc, kFc, kFbBehind});
  run.finish();
  const Inside all = run.inside_of("C");
  CHECK(run.left_out == 0);
  REQUIRE(all.callees.size() == 4);
  CHECK(all.callees[0].samples == 10);
  CHECK(label(all.functions[size_t(all.callees[1].function)]) == "fc");
  CHECK(ms(all.callees[1].own_cpu_ns) == doctest::Approx(30));
  CHECK(label(all.functions[size_t(all.callees[2].function)]) == "memcpy");
  CHECK(all.callees[2].parent == 1);
  REQUIRE(all.callers.size() == 4);
  CHECK(label(all.functions[size_t(all.callers[1].function)]) == "0x200 in main");
  CHECK(all.callers[1].samples == 9);
  CHECK(label(all.functions[size_t(all.callers[2].function)]) == "unknown in main");
  CHECK(all.callers[3].parent == 1);
  const Inside cut = run.inside_of("C", 2);
  CHECK(cut.callees.size() == 2);
  CHECK(cut.callers.size() == 2);
  CHECK(cut.functions.size() == 3);  // two, and the caller
  CHECK(run.left_out == 2 + 2 + 1);
}

TEST_CASE("inside: without samples, or of what is not there, it says so") {
  LookedInto run;
  run.finish();
  snapshot::AnalysisRequest request;
  request.report = snapshot::Report::kInside;
  CHECK(run.ask(request).error().why.find("neither") == 0);
  request.component = "A";
  CHECK(run.ask(request, false).error().why.find("no samples") != std::string::npos);
  CHECK(run.inside_of("C").callees.size() == 1);
  request.component = "Nobody";
  CHECK(run.ask(request).error().why == "there is no component 'Nobody'");
  request.component = "A";
  request.operation = "fb";
  CHECK(run.ask(request).error().why == "there is no operation 'fb'");
}

TEST_CASE("inside: one word names a component or an operation, or what was meant") {
  LookedInto run;
  const auto named = [&](const std::string& name) {
    return present::inside_request(run.spec, run.plan, name, true);
  };
  run.spec.components[1].path = "Outer/Inner";
  run.plan.operations[2].name = "fetch";
  CHECK(named("A")->component == "A");
  CHECK(named("A")->report == snapshot::Report::kInside);
  CHECK(named("Outer/Inner")->component == "Outer/Inner");
  CHECK(named("Inner")->component == "Outer/Inner");
  CHECK(named("fetch")->operation == "fetch");
  CHECK(named("fetch")->component.empty());
  CHECK(named("fetsh").error().next.starts_with("Did you mean 'fetch'? The components are "));
  CHECK(named("Iner").error().next.starts_with(
      "Did you mean 'Inner'? The components are Outer/Inner"));
  CHECK(named("quite something else").error().next.starts_with("The components are "));
  run.plan.operations[0].name = "fetch";
  CHECK(named("fetch").error().why == "2 operations are called 'fetch'");
  run.spec.components[2].path = "Other/Inner";
  CHECK(named("Inner").error().next == "Say which: Outer/Inner or Other/Inner.");
  CHECK(present::inside_request(run.spec, run.plan, "A", false).error().why.find("no samples") !=
        std::string::npos);
}
