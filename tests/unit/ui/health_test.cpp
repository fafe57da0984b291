// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "stage.h"

using namespace compmond;
using namespace compmond::ui;

namespace {

struct HealthStage : Stage {
  explicit HealthStage(snapshot::View answer = file_host()) : Stage(1280, 1000) {
    REQUIRE(app.show_view("Health"));
    feed(*this, std::move(answer));
  }
};

}  // namespace

TEST_CASE("health: a run without flaws says that all figures can be trusted") {
  HealthStage stage;
  CHECK(stage.shows("All figures can be trusted"));
  CHECK(stage.shows("push, ret-sites"));
  CHECK(stage.shows("312 ns"));
  CHECK(stage.shows("418 ns"));
  CHECK(stage.shows("/usr/bin/filehost"));
  CHECK(stage.shows("uprobe, by session"));
}

TEST_CASE("health: each engine at work is named, and what it leaves alone") {
  snapshot::View answer = file_host();
  answer.snapshot->health.engines = {{"uprobe", "multi", true}, {"sampling", "timer", false}};
  HealthStage stage(std::move(answer));
  CHECK(stage.shows("uprobe, by multi"));
  CHECK(stage.shows("sampling, by timer: writes nothing into it"));
}

TEST_CASE("health: every flaw is told with its reason") {
  snapshot::View answer = file_host();
  auto& health = answer.snapshot->health;
  health.lost = health.lost_ring = 12;
  health.balanced = false;
  health.attached = 18;
  health.refused = {{"fh::log_line", "it is inlined at all of its 3 call sites"}};
  health.throttled = {"fh::FileReader::next_block"};
  health.notes = {"the executable was replaced on disk"};
  answer.snapshot->components[3].figures.uncertain = true;
  HealthStage stage(std::move(answer));
  for (const char* text :
       {"What to keep in mind", "12 of 247,280 records were lost", "The accounts do not hold",
        "18 of 20", "fh::log_line", "it is inlined at all of its 3 call sites",
        "fh::FileReader::next_block", "the executable was replaced on disk", "buffer full",
        "(of probes: --ring)", "1 uncertain real time:"})
    CHECK_MESSAGE(stage.shows(text), text);
  CHECK_FALSE(stage.shows("All figures can be trusted"));
}

TEST_CASE("health: what samples see of the probes' cost stands below what is charged for it") {
  snapshot::View answer = file_host();
  answer.snapshot->health.overhead_checked.emplace();
  answer.snapshot->health.overhead_checked->end_ns = 10'000'000'000;
  answer.snapshot->health.overhead_checked->by_costs_pct = 17.5;
  answer.snapshot->health.overhead_checked->by_samples_pct = 34.5;
  answer.snapshot->health.overhead_checked->low_pct = 32;
  answer.snapshot->health.overhead_checked->high_pct = 37;
  HealthStage stage(std::move(answer));
  CHECK(stage.shows("of the newest 10.0 s"));
  CHECK(stage.shows("17.5 %"));
  CHECK(stage.shows("as samples see that"));
  CHECK(stage.shows("34.5 % ± 2.5"));
}

TEST_CASE("health: what others pay stands with the cost") {
  snapshot::View answer = file_host();
  answer.snapshot->health.strangers =
      snapshot::Health::Strangers{1'234, 2, false, 1.5e6, 0.3, {"/lib/libx.so"}};
  const HealthStage stage(std::move(answer));
  for (const char* text : {"others pay", "0.30 %, 1.50 ms", "calls of 2 other processes", "1,234"})
    CHECK_MESSAGE(stage.shows(text), text);
}

TEST_CASE("health: hostile names reach the screen harmless") {
  snapshot::View answer = file_host();
  answer.snapshot->health.refused = {{"evil\x1b[31m%s%n\xff\u202e", "rea\nson"}};
  HealthStage stage(std::move(answer));
  CHECK(stage.shows("evil%s%n"));
  CHECK(stage.shows("reason"));
}

TEST_CASE("health: that the run is busy stands first, as a doubt among doubts") {
  snapshot::View answer = file_host();
  answer.snapshot->health.throttled = {"fh::FileReader::next"};
  answer.snapshot->health.notes = {"busy: time from samples", "the file was replaced"};
  const HealthStage stage(std::move(answer));
  const ImVec2 busy = stage.find("busy: time from samples");
  CHECK(stage.shows("What to keep in mind"));
  CHECK(busy.y < stage.find("away because the probes were too dear").y);
  CHECK(busy.y < stage.find("the file was replaced").y);
  const ImU32 amber = stage.theme.amber;
  const auto glyphs = stage.glyphs();
  CHECK(std::ranges::any_of(glyphs, [&](const Glyph& glyph) {
    return std::abs((glyph.min.y + glyph.max.y) / 2 - busy.y) < 8 && glyph.colour == amber;
  }));
}
