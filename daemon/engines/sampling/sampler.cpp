// SPDX-License-Identifier: Apache-2.0
#include "sampler/sampler.h"

#include <sys/eventfd.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/clock.h"
#include "mapped_code/opener.h"
#include "sampler/feed.h"
#include "sampler/kernel.h"
#include "sampler/stretches.h"
#include "sampler/timer.h"
#include "target/process.h"

namespace compmond::sampler {
namespace {

using engine::Recording;

constexpr double kMinHz = 1, kMaxHz = 10'000;

}  // namespace

struct Sampler::Impl : ProcessSink {
  Impl(std::unique_ptr<Kernel> loaded, Timer time, Opener opens, const Options& given)
      : options(given),
        kernel(std::move(loaded)),
        opener(std::move(opens)),
        timer(std::move(time)),
        stretches(*kernel, given.hz, kernel->sees_waits(), timer.cpus()) {}

  Options options;
  std::unique_ptr<Kernel> kernel;
  Opener opener;
  Images images{[this](pid_t pid, const target::Mapping& mapping) {
    return opener.mapped_file(pid, mapping);
  }};
  PerfMaps perf_maps{[this](pid_t pid, const Fd& tmp) { return opener.perf_map(pid, tmp); }};
  std::unique_ptr<Feed> feed;                            // of the thread that drains
  Fd changed{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};  // by others than that thread
  std::vector<int> news;                                 // what ends its rest
  mutable std::mutex mutex;                              // of all below
  Timer timer;
  bool timer_runs = false;
  Stretches stretches;
  Recording recording = Recording::kOff;
  std::vector<Change> changes;
  std::vector<Move> moves;
  uint64_t events_lost = 0;

  void run_timer();
  std::vector<Change> take_changes() override;
  void on_begin(pid_t pid, pid_t parent, uint64_t cpu_ns, uint64_t time_ns) override;
  void on_end(pid_t pid, uint64_t cpu_ns, uint64_t time_ns) override;
};

// With the mutex held. Where nobody is observed, and nobody can come, no CPU is interrupted.
void Sampler::Impl::run_timer() {
  const bool on =
      recording == Recording::kOn && (options.targets.all_of_exe || kernel->targets().any());
  if (on != timer_runs) timer.run(on);
  timer_runs = on;
}

std::vector<ProcessSink::Change> Sampler::Impl::take_changes() {
  const std::lock_guard lock(mutex);
  return std::exchange(changes, {});
}

void Sampler::Impl::on_begin(pid_t pid, pid_t parent, uint64_t cpu_ns, uint64_t time_ns) {
  const std::lock_guard lock(mutex);
  stretches.add(pid, cpu_ns);
  if (options.moves) moves.push_back({pid, parent, time_ns});
}

void Sampler::Impl::on_end(pid_t pid, uint64_t cpu_ns, uint64_t time_ns) {
  const std::lock_guard lock(mutex);
  stretches.remove(pid, cpu_ns, time_ns);
  if (options.moves) moves.push_back({pid, 0, time_ns, true});
}

Sampler::Sampler(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Sampler::~Sampler() = default;

Result<std::unique_ptr<Sampler>> Sampler::open(const Options& wanted,
                                               sampling::Unwinder& unwinder) {
  Options options = wanted;
  options.hz = std::clamp(options.hz, kMinHz, kMaxHz);
  auto opener = Opener::start();
  if (!opener) return Unexpected(std::move(opener.error()));
  auto kernel = Kernel::load(
      {.waits = options.off_cpu, .targets = options.targets, .ring_bytes = options.ring_bytes});
  if (!kernel) return Unexpected(kernel.error());
  auto timer = Timer::open(options.hz, (*kernel)->timer_program());
  if (!timer) return Unexpected(timer.error());
  auto impl =
      std::make_unique<Impl>(std::move(*kernel), std::move(*timer), std::move(*opener), options);
  auto feed = Feed::open(*impl->kernel, impl->images, impl->perf_maps, unwinder,
                         options.targets.all_of_exe, *impl);
  if (!feed) return Unexpected(feed.error());
  impl->feed = std::move(*feed);
  impl->news = impl->feed->descriptors();
  impl->news.push_back(impl->changed.get());
  return std::unique_ptr<Sampler>(new Sampler(std::move(impl)));
}

Result<void> Sampler::add(pid_t pid) {
  auto process = target::Process::watch(pid, {});
  if (!process) return Unexpected(process.error());
  const auto change = [&](Impl::Change one) {
    const std::lock_guard lock(impl_->mutex);
    impl_->changes.push_back(std::move(one));
  };
  impl_->perf_maps.remember(pid);
  change({pid, true, {}});  // what it maps from now on is told as events
  auto code = process->code_mappings();
  if (code) {
    std::vector<sampling::Mapping> mapped;
    for (const target::Mapping& one : *code)
      mapped.push_back({one.start, one.end, one.offset, impl_->images.number_of(pid, one)});
    change({pid, true, std::move(mapped)});
  }
  const uint64_t before = process->cpu_time_ns();
  auto added = code ? impl_->kernel->targets().add(pid, monotonic_ns()) : Unexpected(code.error());
  if (!added) {
    change({pid, false, {}});
    return added;
  }
  const std::lock_guard lock(impl_->mutex);
  impl_->stretches.add(pid, before);
  impl_->run_timer();
  ::eventfd_write(impl_->changed.get(), 1);
  return {};
}

void Sampler::remove(pid_t pid) {
  impl_->kernel->targets().remove(pid);
  const std::lock_guard lock(impl_->mutex);
  impl_->changes.push_back({pid, false, {}});
  if (impl_->options.moves) impl_->moves.push_back({pid, 0, monotonic_ns(), true});
  if (const auto used = process_cpu_ns(pid)) impl_->stretches.remove(pid, *used, monotonic_ns());
  ::eventfd_write(impl_->changed.get(), 1);
}

std::optional<uint64_t> Sampler::since(pid_t pid) const {
  return impl_->kernel->targets().since(pid);
}
uint64_t Sampler::without_place() const { return impl_->kernel->without_place(); }
std::vector<pid_t> Sampler::all() const { return impl_->kernel->targets().all(); }

void Sampler::set_recording(Recording recording) {
  const std::lock_guard lock(impl_->mutex);
  impl_->recording = recording;
  if (recording == Recording::kOn) impl_->run_timer();
  impl_->stretches.record(recording);
  if (recording != Recording::kOn) impl_->run_timer();
  ::eventfd_write(impl_->changed.get(), 1);
}

void Sampler::drain(sampling::SampleSink& sink) {
  eventfd_t changes = 0;
  ::eventfd_read(impl_->changed.get(), &changes);
  uint64_t now = monotonic_ns();
  impl_->feed->drain(sink, now);
  if (impl_->feed->ending()) {
    impl_->kernel->tell_ended();
    now = monotonic_ns();
    impl_->feed->drain(sink, now);
  }
  std::vector<sampling::Stretch> ended;
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->events_lost = impl_->feed->lost();
    ended = impl_->stretches.take_ended(now);
    impl_->stretches.poll();
    impl_->run_timer();
    if (impl_->timer_runs) impl_->timer.jitter(now);
  }
  for (const sampling::Stretch& stretch : ended) sink.on_stretch(stretch);
}

sampling::SampleSource::Rest Sampler::rest() {
  if (impl_->feed->pending() || impl_->feed->ending()) return {};
  const std::lock_guard lock(impl_->mutex);
  return {impl_->stretches.rest_ns(), impl_->news};
}

uint64_t Sampler::cost_ns() const {
  const Counts counts = impl_->kernel->counts();
  return counts.samples_ns + counts.own_looks_ns;
}

std::vector<Sampler::Move> Sampler::take_moves() {
  const std::lock_guard lock(impl_->mutex);
  return std::exchange(impl_->moves, {});
}

bool Sampler::samples_waits() const { return impl_->kernel->sees_waits(); }

std::vector<std::string> Sampler::notes() const {
  auto out = impl_->kernel->notes();
  for (std::string& note : impl_->images.notes()) out.push_back(std::move(note));
  for (std::string& note : impl_->perf_maps.notes()) out.push_back(std::move(note));
  const std::lock_guard lock(impl_->mutex);
  if (impl_->events_lost > 0)
    out.push_back(fmt::format(
        "{} changes of processes' memory were not told: code that came and went may not be named",
        impl_->events_lost));
  return out;
}

}  // namespace compmond::sampler
