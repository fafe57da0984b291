// SPDX-License-Identifier: Apache-2.0
#include "estimate/sample_store.h"

#include <algorithm>
#include <utility>

namespace compmond::estimate {

namespace {

constexpr uint64_t kGroupNs = 1'000'000'000;      // at least: what a tile is for
constexpr double kExpected = 10;                  // samples: none comes once in 20,000 times
constexpr uint64_t kGroupNsMost = 10 * kGroupNs;  // an idle target's figures are that late
constexpr size_t kGroupSamplesMost = 1u << 16;

}  // namespace

SampleStore::Options SampleStore::options_of(size_t history_bytes) {
  return {limits::kSampleTilesBytes, history_bytes / limits::kRecentSamplesShare,
          history_bytes / limits::kStacksShare};
}

SampleStore::SampleStore(Model model, Options options)
    : attribution_(std::move(model)),
      stacks_(options.stacks_bytes),
      recent_(options.recent_bytes),
      timeline_(options.tiles_bytes),
      all_(0, 0) {}

void SampleStore::on_image(const sampling::Image& image) {
  const std::lock_guard lock(mutex_);
  attribution_.on_image(image);
  if (image.number >= limits::kImages) return;
  if (image.number >= paths_.size()) paths_.resize(image.number + 1);
  paths_[image.number] = image.path;
}

void SampleStore::on_function(const sampling::Function& function) {
  const std::lock_guard lock(mutex_);
  functions_.add(function);
}

void SampleStore::on_sample(const sampling::Sample& sample) {
  const std::lock_guard lock(mutex_);
  const StackTable::Stack& stack = stacks_.intern(sample.frames, sample.ended, attribution_);
  const bool on_cpu = sample.kind == sampling::Sample::Kind::kOnCpu;
  RecentSample recent{.time_ns = sample.time_ns,
                      .stack = stack.id,
                      .pid = sample.pid,
                      .tid = sample.tid,
                      .component = component_of(*stack.attributed),
                      .kind = sample.kind,
                      .in_kernel = sample.in_kernel,
                      .in_probe = sample.in_probe};
  if (!on_cpu) {
    recent.weight_ns = sample.weight_ns;
    recent.off_ns = sample.off_ns;
    recent.runnable_ns = sample.runnable_ns;
  }
  if (waiting_.size() >= limits::kWaitingSamples) {
    waiting_.pop_front();
    ++dropped_;
  }
  waiting_.push_back(
      {recent_.push(recent), sample.kind, sample.in_probe,
       OffSample{sample.time_ns, sample.pid, sample.tid, sample.ended, stack.attributed,
                 recent.off_ns, recent.runnable_ns, recent.weight_ns}});
}

void SampleStore::on_stretch(const sampling::Stretch& stretch) {
  const std::lock_guard lock(mutex_);
  if (group_ && group_->hz != stretch.hz) settle();
  if (!group_) group_ = Group{Tile(stretch.start_ns, stretch.end_ns), stretch.hz, 0, {}, {}};
  add(stretch);
  take_waiting(stretch.end_ns);
  const uint64_t length = group_->tile.end_ns - group_->tile.start_ns;
  const bool expected = group_->expected >= kExpected || stretch.hz <= 0;
  if ((length >= kGroupNs && expected) || length >= kGroupNsMost ||
      group_->samples.size() >= kGroupSamplesMost)
    settle();
}

void SampleStore::add(const sampling::Stretch& stretch) {
  Tile& tile = group_->tile;
  tile.end_ns = stretch.end_ns;
  Totals& totals = tile.totals;
  const uint64_t time = stretch.end_ns - stretch.start_ns;
  totals.time_ns += time;
  totals.lost += stretch.lost + std::exchange(dropped_, 0);
  if (stretch.hz > 0) totals.on_time_ns += time;
  if (stretch.sees_probes) totals.probes_time_ns += time;
  if (stretch.off_cpu) {
    totals.off_time_ns += time;
    totals.off_period_ms_us += stretch.off_cpu_period_ns / 1000 * (time / 1'000'000);
  }
  for (const sampling::Stretch::ProcessTime& process : stretch.processes) {
    (stretch.hz > 0 ? totals.cpu_ns : totals.unsampled_cpu_ns) += process.cpu_ns;
    Sums cpu;
    cpu.on_ns = process.cpu_ns;
    tile.add(Key(Kind::kProcessCpu, process.pid), cpu);
    if (stretch.hz > 0) group_->expected += stretch.hz * double(process.cpu_ns) / 1e9;
  }
}

void SampleStore::take_waiting(uint64_t before_ns) {
  Waits open(group_->tile);
  std::erase_if(waiting_, [&](Waiting& waiting) {
    OffSample& sample = waiting.sample;
    if (sample.time_ns >= before_ns) return false;
    if (waiting.kind == sampling::Sample::Kind::kOffCpu) {
      add_wait(sample, open);
      return true;
    }
    group_->samples.push_back({sample.time_ns, sample.pid, sample.tid, sample.ended,
                               waiting.in_probe, std::move(sample.attributed)});
    group_->numbers.push_back(waiting.number);
    return true;
  });
  open.finish();
}

void SampleStore::add_wait(const OffSample& sample, Waits& open) {
  const auto ends = [&](const Tile& tile) {
    return sample.time_ns >= tile.start_ns && sample.time_ns < tile.end_ns;
  };
  const uint64_t from = sample.time_ns - std::min(sample.time_ns, sample.off_ns);
  timeline_.spread(from, sample.time_ns, [&](Tile& tile, double part) {
    add_off_cpu(tile, sample, part, ends(tile));
    add_off_cpu(all_, sample, part, ends(tile));
  });
  const Tile& tile = group_->tile;
  const double part = part_within(from, sample.time_ns, tile.start_ns, tile.end_ns);
  if (part > 0) open.add(sample, part, ends(tile));
}

double SampleStore::Group::weight_ns() const {
  return samples.empty() ? 0 : double(tile.totals.cpu_ns) / double(samples.size());
}

Tile SampleStore::Group::settled() const {
  Tile out = tile;
  add_on_cpu(out, samples, weight_ns());
  return out;
}

void SampleStore::settle() {
  const uint64_t weight = rounded(group_->weight_ns());
  for (const uint64_t number : group_->numbers) recent_.weigh(number, weight);
  Tile tile = group_->settled();
  if (timeline_.tiles().empty()) all_ = Tile(tile.start_ns, tile.end_ns);
  all_.extend(tile);
  probe_shares_.add(tile);
  timeline_.push(std::move(tile));
  group_.reset();
}

int SampleStore::component_of(const Attributed& attributed) const {
  return attributed.operation == kNoOperation ? -1
                                              : attribution_.component_of(attributed.operation);
}

std::vector<ProbeShare> SampleStore::probe_shares(Window window, size_t most) const {
  const std::lock_guard lock(mutex_);
  return probe_shares_.newest(window, most);
}

int SampleStore::operation_of(const sampling::Frame& frame) const {
  const std::lock_guard lock(mutex_);
  return attribution_.operation_of(frame);
}

FunctionId SampleStore::function_of(const sampling::Frame& frame) const {
  const std::lock_guard lock(mutex_);
  return functions_.function_of(frame);
}

SampleStore::Named SampleStore::named(FunctionId function) const {
  const std::lock_guard lock(mutex_);
  Named out;
  out.name = functions_.name_of(function);
  if (function.image < paths_.size()) out.image = paths_[function.image];
  out.has_operations = attribution_.has_operations(function.image);
  return out;
}

std::string SampleStore::path_of(sampling::ImageNumber image) const {
  if (image == sampling::kVdso) return "[vdso]";
  const std::lock_guard lock(mutex_);
  return image < paths_.size() ? paths_[image] : std::string();
}

SampleStore::Counts SampleStore::counts() const {
  const std::lock_guard lock(mutex_);
  Counts out;
  out.stacks = stacks_.size();
  out.forgotten_stacks = stacks_.forgotten();
  out.tiles = timeline_.tiles().size();
  out.complete_since_ns = recent_.complete_since_ns();
  out.memory_bytes = stacks_.memory_bytes() + recent_.memory_bytes() + timeline_.memory_bytes() +
                     all_.memory_bytes() + functions_.memory_bytes() +
                     probe_shares_.memory_bytes() + waiting_.size() * sizeof(Waiting);
  if (group_)
    out.memory_bytes += group_->tile.memory_bytes() + group_->samples.size() * sizeof(OnSample);
  return out;
}

}  // namespace compmond::estimate
