// SPDX-License-Identifier: Apache-2.0
#include "sampler/sampler.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include "base/clock.h"
#include "sampler/bpf/told.h"
#include "sampler/kernel.h"
#include "sampler/mappings.h"
#include "sampler/ring.h"
#include "sampler/sideband.h"
#include "sampler/stretches.h"
#include "sampler/timer.h"
#include "sampler/walker.h"
#include "target/process.h"

namespace compmond::sampler {
namespace {

using engine::Recording;

constexpr double kMinHz = 1, kMaxHz = 10'000;
// What a process executes is told some µs before that it is observed.
constexpr uint64_t kCandidateNs = 1'000'000'000;

sampling::RawSample as_sample(std::span<const std::byte> record) {
  const auto* head = reinterpret_cast<const cm_sample*>(record.data());
  if (record.size() < sizeof *head) return {};
  const auto behind = record.subspan(sizeof *head);
  const size_t at = std::min<size_t>(head->stack_at, behind.size());
  return {head, behind.subspan(at, std::min<size_t>(head->stack_bytes, behind.size() - at))};
}

}  // namespace

struct Sampler::Impl {
  Impl(std::unique_ptr<Kernel> loaded, Ring sample_ring, Ring news_ring, Sideband side, Timer time,
       sampling::Unwinder& unwinder, const Options& given)
      : options(given),
        kernel(std::move(loaded)),
        samples(std::move(sample_ring)),
        news(std::move(news_ring)),
        sideband(std::move(side)),
        timer(std::move(time)),
        mappings(images, unwinder, given.all_of_exe),
        walker(*kernel, unwinder),
        stretches(*kernel, given.hz, kernel->sees_waits(), timer.cpus()) {}

  struct Change {  // of the list of targets, by its user
    uint32_t pid = 0;
    bool added = false;
    std::vector<sampling::Mapping> code;
  };

  Options options;
  std::unique_ptr<Kernel> kernel;
  Images images;
  // Of the thread that drains.
  Ring samples, news;
  Sideband sideband;
  std::vector<SidebandEvent> events;  // read, and not applied yet
  std::vector<cm_process> told;       // likewise
  std::vector<sampling::RawSample> raw;
  Timer timer;
  Mappings mappings;
  Walker walker;
  // Of all threads.
  mutable std::mutex mutex;
  Stretches stretches;
  Recording recording = Recording::kOff;
  bool timer_runs = false;
  std::vector<Change> changes;
  std::vector<Arrival> arrivals;
  uint64_t events_lost = 0;  // of those that tell of code

  void run_timer();
  void take_changes();
  void read();
  void hand_over(sampling::SampleSink& sink, uint64_t now_ns);
  void apply(const cm_process& process);
  void adopt(uint32_t pid);
  void make_up_for_loss();
  void tell_images(sampling::SampleSink& sink);
};

// With the mutex held. Where nobody is observed, and nobody can come, no CPU is interrupted.
void Sampler::Impl::run_timer() {
  const bool on = recording == Recording::kOn && (options.all_of_exe || !kernel->all().empty());
  if (on != timer_runs) timer.run(on);
  timer_runs = on;
}

void Sampler::Impl::take_changes() {
  std::vector<Change> now;
  {
    const std::lock_guard lock(mutex);
    now = std::exchange(changes, {});
  }
  for (const Change& change : now)
    change.added ? mappings.observe(change.pid, change.code) : mappings.forget(change.pid);
}

void Sampler::Impl::read() {
  // Where the rings end, before what is to be known of their records is read.
  const uint64_t samples_end = samples.written(), news_end = news.written();
  take_changes();
  sideband.read(events);
  news.read(news_end, [&](std::span<const std::byte> record) {
    if (record.size() < sizeof(cm_process)) return;
    std::memcpy(&told.emplace_back(), record.data(), sizeof(cm_process));
  });
  news.release();
  samples.read(samples_end, [&](std::span<const std::byte> record) {
    if (const auto sample = as_sample(record); sample.head) raw.push_back(sample);
  });
  const auto by_time = [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; };
  std::ranges::stable_sort(events, by_time);
  std::ranges::stable_sort(told, by_time);
  std::ranges::stable_sort(
      raw, [](const auto& a, const auto& b) { return a.head->time_ns < b.head->time_ns; });
}

void Sampler::Impl::apply(const cm_process& process) {
  const std::lock_guard lock(mutex);
  const pid_t pid = pid_t(process.pid);
  switch (process.what) {
    case CM_FORKED:
      mappings.fork(process.parent, process.pid);
      stretches.add(pid, 0);
      arrivals.push_back({pid, pid_t(process.parent), process.time_ns});
      return;
    case CM_EXECUTED:
      if (!mappings.knows(process.pid)) arrivals.push_back({pid, 0, process.time_ns});
      mappings.executed(process.pid);
      stretches.add(pid, process.cpu_ns);
      return;
    default:  // CM_LEFT, CM_ENDED
      mappings.forget(process.pid);
      stretches.remove(pid, process.cpu_ns, process.time_ns);
  }
}

// Samples of a process that nobody told of: that news had no room.
void Sampler::Impl::adopt(uint32_t pid) {
  const std::lock_guard lock(mutex);
  mappings.observe(pid, read_code_of(pid_t(pid), images));
  stretches.add(pid_t(pid), process_cpu_ns(pid_t(pid)).value_or(0));
  arrivals.push_back({pid_t(pid), 0, monotonic_ns()});
}

// What was mapped meanwhile is not known: as things are now is the best guess.
void Sampler::Impl::make_up_for_loss() {
  const uint64_t lost = mappings.lost();
  if (lost == events_lost) return;
  mappings.read_all_again();
  const std::lock_guard lock(mutex);
  events_lost = lost;
}

void Sampler::Impl::tell_images(sampling::SampleSink& sink) {
  for (const sampling::Image* image : mappings.take_images()) sink.on_image(*image);
}

// Merges what happened to processes with their samples, so that each is unwound with what was
// mapped at its time.
void Sampler::Impl::hand_over(sampling::SampleSink& sink, uint64_t now_ns) {
  size_t done = 0, event = 0, change = 0;  // of raw, events, told
  const auto walk_until = [&](size_t end) {
    tell_images(sink);
    walker.walk(std::span(raw).subspan(done, end - done), sink);
    done = end;
  };
  const auto apply_until = [&](uint64_t time_ns, size_t sample) {
    for (;;) {
      const uint64_t a = event < events.size() ? events[event].time_ns : UINT64_MAX;
      const uint64_t b = change < told.size() ? told[change].time_ns : UINT64_MAX;
      if (std::min(a, b) > time_ns) return;
      if (a > b || mappings.concerns(events[event])) walk_until(sample);
      a <= b ? mappings.apply(events[event++]) : apply(told[change++]);
    }
  };
  for (size_t i = 0; i < raw.size(); ++i) {
    apply_until(raw[i].head->time_ns, i);
    if (!mappings.knows(raw[i].head->pid)) adopt(raw[i].head->pid);
  }
  apply_until(now_ns, raw.size());
  walk_until(raw.size());
  tell_images(sink);
  raw.clear();
  samples.release();
  events.erase(events.begin(), events.begin() + ptrdiff_t(event));
  told.erase(told.begin(), told.begin() + ptrdiff_t(change));
}

Sampler::Sampler(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Sampler::~Sampler() = default;

Result<std::unique_ptr<Sampler>> Sampler::open(const Options& wanted,
                                               sampling::Unwinder& unwinder) {
  Options options = wanted;
  options.hz = std::clamp(options.hz, kMinHz, kMaxHz);
  auto kernel = Kernel::load({.waits = options.off_cpu,
                              .follow_forks = options.follow_forks,
                              .all_of_exe = options.all_of_exe,
                              .exe_inode = options.exe_inode,
                              .exe_device = options.exe_device,
                              .ring_bytes = options.ring_bytes});
  if (!kernel) return Unexpected(kernel.error());
  auto samples = (*kernel)->open_samples();
  if (!samples) return Unexpected(samples.error());
  auto news = (*kernel)->open_news();
  if (!news) return Unexpected(news.error());
  auto sideband = Sideband::open();
  if (!sideband) return Unexpected(sideband.error());
  auto timer = Timer::open(options.hz, (*kernel)->timer_program());
  if (!timer) return Unexpected(timer.error());
  return std::unique_ptr<Sampler>(new Sampler(
      std::make_unique<Impl>(std::move(*kernel), std::move(*samples), std::move(*news),
                             std::move(*sideband), std::move(*timer), unwinder, options)));
}

Result<void> Sampler::add(pid_t pid) {
  auto process = target::Process::watch(pid, {});
  if (!process) return Unexpected(process.error());
  const uint64_t before = process->cpu_time_ns();
  if (auto added = impl_->kernel->add(pid, monotonic_ns()); !added) return added;
  auto code = process->code_mappings();  // later changes are told as events
  if (!code) {
    impl_->kernel->remove(pid);
    return Unexpected(code.error());
  }
  Impl::Change change{uint32_t(pid), true, {}};
  for (const target::Mapping& one : *code)
    change.code.push_back({one.start, one.end, one.offset, impl_->images.number_of(pid, one)});
  const std::lock_guard lock(impl_->mutex);
  impl_->changes.push_back(std::move(change));
  impl_->stretches.add(pid, before);
  impl_->run_timer();
  return {};
}

void Sampler::remove(pid_t pid) {
  impl_->kernel->remove(pid);
  const std::lock_guard lock(impl_->mutex);
  impl_->changes.push_back({uint32_t(pid), false, {}});
  if (const auto used = process_cpu_ns(pid)) impl_->stretches.remove(pid, *used, monotonic_ns());
}

bool Sampler::has(pid_t pid) const { return impl_->kernel->has(pid); }
std::vector<pid_t> Sampler::all() const { return impl_->kernel->all(); }

void Sampler::set_recording(Recording recording) {
  const std::lock_guard lock(impl_->mutex);
  impl_->recording = recording;
  if (recording == Recording::kOn) impl_->run_timer();
  impl_->stretches.record(recording);
  if (recording != Recording::kOn) impl_->run_timer();
}

void Sampler::drain(sampling::SampleSink& sink) {
  const uint64_t now = monotonic_ns();
  impl_->read();
  impl_->hand_over(sink, now);
  impl_->make_up_for_loss();
  impl_->mappings.drop_candidates(now - kCandidateNs);
  std::vector<sampling::Stretch> ended;
  {
    const std::lock_guard lock(impl_->mutex);
    ended = impl_->stretches.take_ended(now);
    impl_->stretches.poll();
    impl_->run_timer();
    if (impl_->timer_runs) impl_->timer.jitter(now);
  }
  for (const sampling::Stretch& stretch : ended) sink.on_stretch(stretch);
}

std::vector<Sampler::Arrival> Sampler::take_arrivals() {
  const std::lock_guard lock(impl_->mutex);
  return std::exchange(impl_->arrivals, {});
}

bool Sampler::samples_waits() const { return impl_->kernel->sees_waits(); }

std::vector<std::string> Sampler::notes() const {
  auto out = impl_->kernel->notes();
  for (std::string& note : impl_->images.notes()) out.push_back(std::move(note));
  const std::lock_guard lock(impl_->mutex);
  if (impl_->events_lost > 0)
    out.push_back(fmt::format(
        "{} changes of processes' memory were not told: code that came and went may not be named",
        impl_->events_lost));
  return out;
}

}  // namespace compmond::sampler
