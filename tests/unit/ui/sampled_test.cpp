// SPDX-License-Identifier: Apache-2.0
// What the window says of a run that knows no calls.
#include <doctest/doctest.h>

#include "snapshot/estimate_text.h"
#include "stage.h"
#include "ui/views/kinds.h"
#include "ui/views/shared/estimated.h"

using namespace compmond;
using namespace compmond::ui;
using snapshot::Estimated;

namespace {

struct SampledStage : Stage {
  explicit SampledStage(const char* view, snapshot::View answer = sampled_host(),
                        float height = 1000)
      : Stage(1280, height) {
    REQUIRE(app.show_view(view));
    // Of the map larger boxes, which say more.
    if (std::string(view) == "Map") model.settings.options["frame/details"] = 0;
    feed(*this, std::move(answer));
    if (std::string(view) == "Map") arrange();
    for (int i = 0; i < 40; ++i) frame();
  }
  void hover(const char* text) {
    const ImVec2 at = find(text);
    move(at.x, at.y);
    settle();
  }
};

Estimated about(double ns, uint64_t samples) {
  Estimated out;
  out.net_real_ns = out.raw_ns = snapshot::Estimate{ns, 0.96 * ns, 1.04 * ns};
  out.cpu_ns = snapshot::Estimate{0.84 * ns, 0, ns};
  out.waiting_ns = snapshot::Estimate{0.16 * ns, 0, ns};
  out.samples = samples;
  return out;
}

snapshot::SamplesHealth waiting_sampled(double share) {
  snapshot::SamplesHealth out;
  out.off_cpu_share = share;
  return out;
}

}  // namespace

TEST_CASE("sampled: an estimate is its value with half its interval, or only a bound") {
  const auto real = &Estimated::net_real_ns;
  CHECK(estimate_text(about(1.25e9, 1204), real) == "1.25 s ±4 %");
  CHECK(estimate_text(about(1.25e9, 4), real) == "<1.30 s");
  CHECK(estimate_text({}, real) == "–");
  Estimated unsampled = about(1e9, 90);
  unsampled.waiting_ns = snapshot::Estimate{};
  CHECK(estimate_text(unsampled, &Estimated::waiting_ns) == "–");
  CHECK(interval_text(unsampled, &Estimated::waiting_ns) == "not known");
  Estimated none = about(1e9, 90);
  none.net_real_ns = snapshot::Estimate{0, 0, 12e6};
  CHECK(estimate_text(none, real) == "<12.0 ms");  // on stacks, but never innermost
  Estimated cut = about(1.25e9, 1204);
  cut.raw_ns->at_least = true;
  CHECK(value_text(cut, &Estimated::raw_ns) == "≥1.25 s");
  CHECK(value_text(cut, real) == "1.25 s");
  CHECK(interval_text(about(1.25e9, 9), real) == "1.25 s, 95 % between 1.20 s and 1.30 s");
  CHECK(samples_text(about(1e9, 1204)) == "estimated from 1,204 samples");
}

TEST_CASE("sampled: times that lack waits nobody looked at are marked") {
  const auto real = &Estimated::net_real_ns, waiting = &Estimated::waiting_ns;
  Estimated of = about(1.25e9, 1204);
  of.net_real_ns->at_least = true;
  CHECK(estimate_text(of, real) == "≥1.25 s ±4 %");
  of.waiting_ns = {{200e6, 190e6, 210e6}, true};
  CHECK(value_text(of, waiting) == "≥200 ms");
  CHECK(estimate_words(of, waiting_sampled(0.4)).find("only part of the time") !=
        std::string::npos);
}

TEST_CASE("sampled: own times rest on own samples") {
  const auto real = &Estimated::net_real_ns, raw = &Estimated::raw_ns;
  Estimated of = about(1.25e9, 1204);
  of.own_samples = 1;
  CHECK(estimate_text(of, real) == "<1.30 s");
  CHECK(estimate_text(of, raw) == "1.25 s ±4 %");
  CHECK(where_text(of, waiting_sampled(1)) == "few own samples");
  CHECK(samples_text(of) ==
        "estimated from 1,204 samples, 1 of them its own: too few for a value of own times");
  of.own_samples = 11;
  of.net_real_ns = snapshot::Estimate{120e6, 50e6, 320e6};
  CHECK(estimate_text(of, real) == "120 ms ±112 %");
  of.net_real_ns = snapshot::Estimate{120e6, 10e6, 700e6};
  CHECK(interval_text(of, real) == "less than 700 ms: few of its samples weigh most of it");
  of.net_real_ns = snapshot::Estimate{1.25e9, 1.2e9, 1.3e9};
  of.own_samples = 1100;
  CHECK(estimate_text(of, real) == "1.25 s ±4 %");
  CHECK(samples_text(of) == "estimated from 1,204 samples, 1,100 of them its own");
}

TEST_CASE("sampled: the larger part of the time is named, where it is known") {
  CHECK(where_text(about(1e9, 90), waiting_sampled(1)) == "84 % on CPU");
  Estimated waiting = about(1e9, 90);
  std::swap(waiting.cpu_ns, waiting.waiting_ns);
  CHECK(where_text(waiting, waiting_sampled(1)) == "84 % waiting");
  CHECK(where_text(about(1e9, 90), waiting_sampled(0)) == "on CPU alone");
  CHECK(where_text(about(1e9, 3), waiting_sampled(1)) == "3 samples only");
  CHECK(where_text(about(1e9, 0), waiting_sampled(1)) == "not seen");
}

TEST_CASE("sampled: no view says that there were no calls") {
  for (const ViewKind& kind : view_kinds()) {
    const SampledStage stage(kind.label());
    for (const std::string wrong :
         {"0 calls", "no calls", "none called", "0/s", "events/s", "overhead 0"})
      CHECK_MESSAGE(!stage.shows(wrong), kind.label() << ": " << wrong);
  }
}

TEST_CASE("sampled: views of single executions say why they are empty, and ask for none") {
  size_t empty = 0;
  for (const ViewKind& kind : view_kinds()) {
    const SampledStage stage(kind.label());
    CHECK(stage.shows(std::string(kNoSingleCalls) + kind.label()) == kind.needs_calls);
    CHECK(stage.shows("without --engine sampling") == kind.needs_calls);
    if (!kind.needs_calls) continue;
    ++empty;
    CHECK_FALSE(stage.app.request().executions);
    CHECK_FALSE(stage.app.request().analysis);
    CHECK_FALSE(stage.app.animates());
  }
  CHECK(empty == 7);
}

TEST_CASE("sampled: where probes see some components, views of single executions show these") {
  snapshot::View mixed = sampled_host();
  mixed.snapshot->components[0] = file_host().snapshot->components[0];
  const SampledStage stage("Timing", std::move(mixed));
  CHECK_FALSE(stage.shows(kNoSingleCalls));
  CHECK(stage.app.request().executions);
}

TEST_CASE("sampled: the map says times, where they were spent, and what no sample met") {
  SampledStage stage("Map");
  for (const std::string text :
       {"estimated from 1,204 samples", "3.50 s", "84 % on CPU", "91 % waiting", "<12.0 ms",
        "<7.00 ms", "1.25 s", "in the spec, not seen in 1,204 samples", "on CPU waiting"})
    CHECK_MESSAGE(stage.shows(text), text);
  CHECK_FALSE(stage.shows("hatched"));  // too few samples are no fault: there is a bound
  CHECK_FALSE(stage.app.animates());    // dots that drift would be calls
  stage.hover("84 % on CPU");
  CHECK(stage.shows("estimated from"));
  CHECK(stage.shows("95 % between"));
}

TEST_CASE("sampled: a metric that needs calls says so, in the menu and on the map") {
  snapshot::View answer = sampled_host();
  answer.snapshot->metric = "p99";
  SampledStage stage("Map", std::move(answer));
  CHECK(stage.shows("'p99' needs calls, which samples do not tell"));
  const ImVec2 menu = stage.find("overall");
  stage.click(menu.x, menu.y);
  CHECK(stage.shows("p99 needs calls, which samples do not tell"));
  CHECK(stage.shows("overall real time"));
}

TEST_CASE("sampled: the table shows estimates, and why the other columns are empty") {
  SampledStage stage("Table");
  stage.model.settings.options["frame/details"] = 0;
  stage.settle();
  for (const std::string text : {"on CPU", "waiting", "3.50 s", "±4 %", "<12.0 ms", "≥4.90 s", "–"})
    CHECK_MESSAGE(stage.shows(text), text);
  const ImVec2 head = stage.find("calls"), row = stage.find("FileDecrypter");
  stage.move(head.x, row.y);
  stage.settle();
  CHECK(stage.shows("Samples know no single calls. Run with probes for this figure."));
  stage.hover("±4 %");
  CHECK(stage.shows("95 % between 3.36 s and 3.64 s"));
  CHECK(stage.shows("estimated from 1,200 samples"));
}

TEST_CASE("sampled: columns of samples are not there where there are none") {
  Stage stage(1280, 800);
  REQUIRE(stage.app.show_view("Table"));
  feed(stage);
  CHECK_FALSE(stage.shows("on CPU"));
  CHECK_FALSE(stage.shows("waiting"));
}

TEST_CASE("sampled: the details say estimates and no executions") {
  SampledStage stage("Table", sampled_host(), 1400);
  stage.model.selection.component = "FileEncrypter";
  stage.settle();
  for (const std::string text :
       {"2.45 s ±4 %", "220 ms ±4 %", "2.23 s ±4 %", "≥4.90 s ±4 %", "840",
        "Samples know no single calls. Run with probes for latencies.",
        "newest executions Samples know no single calls.", "1.25 s", "fh::FileEncrypter::send"})
    CHECK_MESSAGE(stage.shows(text), text);
  CHECK_FALSE(stage.shows("probe cost"));
  CHECK_FALSE(stage.shows("exit mode"));
  CHECK_FALSE(stage.shows("not observed"));
}

TEST_CASE("sampled: few samples, and none, are told as what they are") {
  SampledStage stage("Table", sampled_host(), 1400);
  stage.model.selection.component = "AccessControl";
  stage.settle();
  CHECK(stage.shows("Samples are too few for values"));
  stage.model.selection.component = "PluginManager";
  stage.settle();
  CHECK(stage.shows("In no sample of this window"));
}

TEST_CASE("sampled: the neighbour that no sample met is dim, not a zero") {
  SampledStage stage("Table", sampled_host(), 1400);
  stage.model.selection.component = "HTTPServer";
  stage.settle();
  CHECK(stage.shows("DirReader –"));
}

TEST_CASE("sampled: status bar and health tell of samples, and that no probe is placed") {
  SampledStage stage("Health");
  for (const std::string text :
       {"sampled 20 of 20 operations", "1,204 samples",
        "25.0 % of CPU time, 50.0 % of waiting elsewhere", "libc.so.6", "no probe placed",
        "All figures can be trusted", "199 Hz", "No probe placed", "6, 0.50 %", "1, 0.08 %",
        "2.40 s", "700 ms", "sampling, by timer: writes nothing into it"})
    CHECK_MESSAGE(stage.shows(text), text);
  for (const std::string text : {"accounts", "throttled", "inside", "Records"})
    CHECK_MESSAGE(!stage.shows(text), text);
}

TEST_CASE("sampled: health and status bar tell what is missing") {
  snapshot::View answer = sampled_host();
  auto& samples = *answer.snapshot->health.samples;
  samples.lost = 17;
  samples.broken = 90;
  samples.off_cpu_share = 0.4;
  SampledStage stage("Health", std::move(answer));
  for (const std::string text :
       {"What to keep in mind", "17 samples were lost", "Waiting was sampled in 40.0 % of the time",
        "The callers of 7.97 % of the stacks are not known", "lost 17", "waiting sampled 40.0 %"})
    CHECK_MESSAGE(stage.shows(text), text);
}

TEST_CASE("sampled: a window without samples says so") {
  snapshot::View answer = sampled_host();
  for (auto& component : answer.snapshot->components) component.figures.estimated = Estimated{};
  SampledStage elsewhere("Table", answer);
  CHECK(elsewhere.shows("None of the 1,204 samples of this window met an operation of the spec"));
  answer.snapshot->health.samples->taken = 0;
  SampledStage none("Table", std::move(answer));
  CHECK(none.shows("No sample in this window"));
}

TEST_CASE("sampled: a live window ends where samples are known, and says so") {
  snapshot::View answer = sampled_host();
  const uint64_t now = answer.run.now_ns, known = now - 800'000'000;
  snapshot::Snapshot& snapshot = *answer.snapshot;
  snapshot.now_ns = now;
  snapshot.health.samples->known_until_ns = snapshot.window_end_ns = known;
  snapshot.window_start_ns = known - 5'000'000'000;
  SampledStage stage("Table", std::move(answer));
  CHECK(stage.model.interval().end_ns == known);
  CHECK(stage.model.interval().start_ns == stage.model.figures_interval().start_ns);
  CHECK(stage.shows("live, samples to 0.8 s ago") != stage.shows("live, samples to 0.9 s ago"));
  CHECK(stage.shows("window 5.00 s (follows samples)"));
  pause(stage.model);
  CHECK(stage.model.window.end_ns == known);
}

TEST_CASE("sampled: of a window that ends beyond what is known the known part counts") {
  snapshot::View answer = sampled_host();
  snapshot::Snapshot& snapshot = *answer.snapshot;
  snapshot.now_ns = snapshot.window_end_ns = answer.run.now_ns;
  snapshot.health.samples->known_until_ns = answer.run.now_ns - 1'000'000'000;
  snapshot.window_start_ns = answer.run.now_ns - 2'000'000'000;
  SampledStage stage("Table", std::move(answer));
  set_window(stage.model, stage.model.run.now_ns - 2'000'000'000, stage.model.run.now_ns);
  stage.settle();
  CHECK(stage.model.figures_interval().length() == 1'000'000'000);
  CHECK(stage.shows("paused, just now, samples to 1.0 s ago") !=
        stage.shows("paused, just now, samples to 1.1 s ago"));
}

TEST_CASE("sampled: once the run has ended nothing is said of samples to come") {
  snapshot::View answer = sampled_host();
  answer.run.live = false;
  answer.snapshot->now_ns = answer.snapshot->health.samples->known_until_ns = answer.run.now_ns;
  answer.snapshot->window_end_ns = answer.run.now_ns;
  SampledStage stage("Table", std::move(answer));
  CHECK(!stage.shows("samples to"));
  CHECK(!stage.shows("follows samples"));
}

TEST_CASE("estimates: why one is a lower bound is the reason that there is") {
  snapshot::Estimated of;
  of.cpu_ns = snapshot::Estimate{5e8, 4e8, 6e8};
  of.waiting_ns = snapshot::MarkedEstimate(snapshot::Estimate{5e8, 4e8, 6e8}, true);
  of.net_real_ns = snapshot::MarkedEstimate(snapshot::Estimate{1e9, 8e8, 1.2e9}, true);
  of.samples = 100;
  snapshot::SamplesHealth health;
  const auto tells = [&](const char* why) {
    return estimate_words(of, health).find(why) != std::string::npos;
  };
  health.off_cpu_share = 0.5;
  CHECK(tells("waiting was sampled only part of the time"));
  health.off_cpu_share = 0.997;
  CHECK(tells("waiting was sampled only part of the time"));
  health.off_cpu_share = 1;
  health.lost = 20;
  CHECK(tells("samples were lost"));
  of.cpu_ns->at_least = true;
  CHECK(tells("some stacks were cut"));
}
