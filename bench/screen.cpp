// SPDX-License-Identifier: Apache-2.0
// bench_screen: what a frame of compmond-ui takes to build, without a display and without drawing
// it: an answer is taken in, the frame laid out, its draw lists made. frame/<view>/<components>/
// <seconds of the run>.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <imgui.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

#include "protocol/protocol.h"
#include "screen_run.h"
#include "ui/frame/app.h"
#include "ui/views/kinds.h"

namespace compmond::bench {
namespace {

const ImVec2 kSize{1280, 800};
constexpr double kFrame = 0.04;  // seconds
constexpr int64_t kComponents[] = {10, 100, 1000}, kSeconds[] = {10, 3600};

template <class T>
T needed(Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "bench_screen: %s\n", result.error().text().c_str());
  std::exit(1);
}

// The fonts of all screens: drawing their glyphs takes longer than thousands of frames.
ui::Theme& fonts(ImFontAtlas*& atlas) {
  static ImFontAtlas shared;
  static ui::Theme theme = [] {
    ImGuiContext* context = ImGui::CreateContext(&shared);
    ImGui::SetCurrentContext(context);
    ui::Theme made = ui::make_theme(true, 1);
    if (auto loaded = ui::load_fonts(made); !loaded) {
      std::fprintf(stderr, "bench_screen: %s\n", loaded.error().text().c_str());
      std::exit(1);
    }
    ImGui::DestroyContext(context);
    return made;
  }();
  atlas = &shared;
  return theme;
}

class Screen {
 public:
  explicit Screen(const std::string& view) : theme_(fonts(atlas_)) {
    context_ = ImGui::CreateContext(atlas_);
    ImGui::SetCurrentContext(context_);
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;  // as with OpenGL 3.2
    io.DisplaySize = kSize;
    io.DeltaTime = float(kFrame);
    io.MousePos = {-1, -1};
    ui::apply_style(theme_);
    model_.clock_s = 100;
    model_.link.state = ui::Link::State::kConnected;
    model_.hello.spec_name = "bench";
    app_.show_view(view);
  }
  ~Screen() { ImGui::DestroyContext(context_); }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  snapshot::ViewRequest request() const { return app_.request(); }

  void frame(snapshot::View answer) {
    model_.clock_s += kFrame;
    ui::take(model_, std::move(answer));
    frame();
  }
  // Until what is arranged beside the frames is there.
  void come_to_rest(const snapshot::View& answer) {
    model_.window.live = false;
    frame(answer);
    do {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      model_.clock_s += kFrame;
      frame();
    } while (app_.view().animates(model_));
    model_.window.live = true;
  }

 private:
  void frame() {
    ImGui::NewFrame();
    app_.frame(kSize);
    ImGui::Render();
  }

  ImFontAtlas* atlas_ = nullptr;
  ImGuiContext* context_ = nullptr;
  ui::Theme theme_;
  ui::Model model_;
  ui::App app_{model_, theme_, ui::view_kinds()};
};

// The newest one only: an hour of a thousand components is large.
ScreenRun& run(int64_t components, int64_t seconds) {
  static std::pair<int64_t, int64_t> key;
  static std::unique_ptr<ScreenRun> made;
  if (!made || key != std::pair(components, seconds)) {
    made.reset();
    made = std::make_unique<ScreenRun>(size_t(components), uint64_t(seconds));
    key = {components, seconds};
  }
  return *made;
}

void frame(benchmark::State& state, const std::string& view) {
  ScreenRun& data = run(state.range(0), state.range(1));
  Screen screen(view);
  // Two answers in turn, so that figures move and bars ease. The first tells the range to ask for.
  snapshot::ViewRequest request = screen.request();
  screen.come_to_rest(needed(data.answer(request, 0)));
  request = screen.request();
  const snapshot::View answers[] = {needed(data.answer(request, 0)),
                                    needed(data.answer(request, 1'000'000'000))};
  size_t turn = 0;
  for (auto _ : state) {
    snapshot::View answer = answers[turn++ % 2];
    time_round(state, [&] { screen.frame(std::move(answer)); });
  }
  state.counters["vertices"] = ImGui::GetDrawData()->TotalVtxCount;
}

// What compmond-ui's other thread does with each answer: its line becomes a value.
void decode_answer(benchmark::State& state) {
  ScreenRun& data = run(state.range(0), state.range(1));
  Screen screen("Timing");
  screen.frame(needed(data.answer(screen.request(), 0)));
  const std::string line = snapshot::to_line(needed(data.answer(screen.request(), 0)));
  for (auto _ : state)
    time_round(state, [&] { benchmark::DoNotOptimize(snapshot::answer_from_line(line)); });
  state.counters["bytes"] = double(line.size());
}

void register_all() {
  for (const int64_t seconds : kSeconds)
    for (const int64_t components : kComponents) {
      for (const ui::ViewKind& kind : ui::view_kinds())
        benchmark::RegisterBenchmark(
            fmt::format("frame/{}", kind.label()).c_str(),
            [name = std::string(kind.label())](benchmark::State& state) { frame(state, name); })
            ->Args({components, seconds})
            ->UseManualTime()
            ->Unit(benchmark::kMicrosecond);
      benchmark::RegisterBenchmark("decode", decode_answer)
          ->Args({components, seconds})
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond);
    }
}

}  // namespace
}  // namespace compmond::bench

int main(int argc, char** argv) {
  compmond::bench::register_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 64;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
