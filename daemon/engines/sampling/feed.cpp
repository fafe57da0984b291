// SPDX-License-Identifier: Apache-2.0
#include "sampler/feed.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>
#include <utility>

#include "base/clock.h"
#include "sampler/cpu_times.h"

namespace compmond::sampler {
namespace {

// A last thread takes milliseconds from when it begins to end; longer: the news of it was lost.
constexpr uint64_t kEndsWithinNs = 10'000'000'000;

sampling::RawSample as_sample(std::span<const std::byte> record) {
  const auto* head = reinterpret_cast<const cm_sample*>(record.data());
  if (record.size() < sizeof *head) return {};
  const auto behind = record.subspan(sizeof *head);
  const size_t at = std::min<size_t>(head->stack_at, behind.size());
  const size_t returns = std::min<size_t>(head->returns, at / sizeof(cm_return));
  return {head,
          behind.subspan(at, std::min<size_t>(head->stack_bytes, behind.size() - at)),
          {reinterpret_cast<const cm_return*>(behind.data()), returns}};
}

}  // namespace

Result<std::unique_ptr<Feed>> Feed::open(Kernel& kernel, Images& images, PerfMaps& perf_maps,
                                         sampling::Unwinder& unwinder, bool candidates,
                                         ProcessSink& processes) {
  auto samples = kernel.open_samples();
  if (!samples) return Unexpected(samples.error());
  auto news = kernel.open_news();
  if (!news) return Unexpected(news.error());
  auto sideband = Sideband::open();
  if (!sideband) return Unexpected(sideband.error());
  return std::unique_ptr<Feed>(
      new Feed({std::move(*samples), std::move(*news), std::move(*sideband)}, kernel, images,
               perf_maps, unwinder, candidates, processes));
}

Feed::Feed(Rings rings, Kernel& kernel, Images& images, PerfMaps& perf_maps,
           sampling::Unwinder& unwinder, bool candidates, ProcessSink& processes)
    : rings_(std::move(rings)),
      images_(images),
      mappings_(images, perf_maps, unwinder, candidates),
      walker_(kernel, unwinder),
      processes_(processes) {}

std::vector<int> Feed::descriptors() const {
  std::vector<int> out = rings_.sideband.descriptors();
  out.push_back(rings_.samples.fd());
  out.push_back(rings_.news.fd());
  return out;
}

void Feed::drain(sampling::SampleSink& sink, uint64_t now_ns) {
  read(now_ns);
  hand_over(sink, now_ns);
  make_up_for_loss();
  mappings_.drop_candidates(now_ns);
}

void Feed::read(uint64_t now_ns) {
  // Each is read after what needs it: code after the samples that hit it, forks after the
  // children's code.
  const uint64_t samples_end = rings_.samples.written();
  for (const auto& change : processes_.take_changes()) {
    const auto pid = uint32_t(change.pid);
    if (!change.added) {
      left_.push_back(pid);
      continue;
    }
    if (std::erase(left_, pid) > 0) mappings_.forget(pid);
    mappings_.observe(pid, change.code);
  }
  rings_.sideband.fetch();
  std::unordered_set<uint32_t> children;
  read_news(now_ns);
  for (const cm_process& one : news_) children.insert(one.pid);
  rings_.sideband.parse(
      [&](uint32_t pid) { return mappings_.wants(pid) || children.contains(pid); }, events_);
  rings_.samples.read(samples_end, [&](std::span<const std::byte> record) {
    if (const auto sample = as_sample(record); sample.head) samples_.push_back(sample);
  });
  const auto by_time = [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; };
  std::ranges::stable_sort(events_, by_time);
  std::ranges::stable_sort(news_, by_time);
  std::ranges::stable_sort(
      samples_, [](const auto& a, const auto& b) { return a.head->time_ns < b.head->time_ns; });
}

void Feed::read_news(uint64_t now_ns) {
  rings_.news.read(rings_.news.written(), [&](std::span<const std::byte> record) {
    cm_process one;
    if (record.size() < sizeof one) return;
    std::memcpy(&one, record.data(), sizeof one);
    if (one.what == CM_ENDED) ending_.erase(one.pid);
    if (one.what == CM_ENDING)
      ending_[one.pid] = one.time_ns;
    else
      news_.push_back(one);
  });
  rings_.news.release();
  // News of an end can be lost, which is counted.
  std::erase_if(ending_, [&](const auto& of) { return now_ns > of.second + kEndsWithinNs; });
}

void Feed::hand_over(sampling::SampleSink& sink, uint64_t now_ns) {
  walked_ = event_ = piece_ = 0;
  for (size_t i = 0; i < samples_.size(); ++i) {
    const cm_sample& head = *samples_[i].head;
    apply_until(head.time_ns, i, sink);
    if (!mappings_.knows(head.pid)) adopt(head.pid);
  }
  apply_until(now_ns, samples_.size(), sink);
  walk_until(samples_.size(), sink);
  samples_.clear();
  rings_.samples.release();
  for (const uint32_t pid : std::exchange(left_, {})) mappings_.forget(pid);
  events_.erase(events_.begin(), events_.begin() + ptrdiff_t(event_));
  news_.erase(news_.begin(), news_.begin() + ptrdiff_t(piece_));
}

// Applies what happened to processes until then, after the samples that came before it.
void Feed::apply_until(uint64_t time_ns, size_t sample, sampling::SampleSink& sink) {
  for (;;) {
    const uint64_t event = event_ < events_.size() ? events_[event_].time_ns : UINT64_MAX;
    const uint64_t piece = piece_ < news_.size() ? news_[piece_].time_ns : UINT64_MAX;
    if (std::min(event, piece) > time_ns) return;
    if (event > piece) {
      walk_until(sample, sink);
      apply(news_[piece_++]);
    } else {
      if (mappings_.concerns(events_[event_])) walk_until(sample, sink);
      mappings_.apply(events_[event_++]);
    }
  }
}

void Feed::walk_until(size_t sample, sampling::SampleSink& sink) {
  for (size_t i = walked_; i < sample; ++i)
    mappings_.name_code(samples_[i].head->pid, samples_[i].head->time_ns);
  for (const sampling::Image* image : mappings_.take_images()) sink.on_image(*image);
  walker_.walk(std::span(samples_).subspan(walked_, sample - walked_), sink);
  walked_ = sample;
}

void Feed::apply(const cm_process& process) {
  const pid_t pid = pid_t(process.pid);
  switch (process.what) {
    case CM_FORKED:
      mappings_.fork(process.parent, process.pid);
      return processes_.on_begin(pid, pid_t(process.parent), 0, process.time_ns);
    case CM_EXECUTED:
      if (!mappings_.knows(process.pid))
        processes_.on_begin(pid, 0, process.cpu_ns, process.time_ns);
      return mappings_.executed(process.pid);
    default:  // CM_LEFT, CM_ENDED
      mappings_.forget(process.pid);
      processes_.on_end(pid, process.cpu_ns,
                        process.what == CM_ENDED ? process.ended_ns : process.time_ns);
  }
}

// A sample of a process that nobody told of: that piece of news had no room.
void Feed::adopt(uint32_t pid) {
  const pid_t process = pid_t(pid);
  mappings_.observe(pid, read_code_of(process, images_));
  processes_.on_begin(process, 0, process_cpu_ns(process).value_or(0), monotonic_ns());
}

// What was mapped meanwhile is not known: as things are now is the best guess.
void Feed::make_up_for_loss() {
  if (mappings_.lost() == lost_) return;
  lost_ = mappings_.lost();
  mappings_.read_all_again();
}

}  // namespace compmond::sampler
