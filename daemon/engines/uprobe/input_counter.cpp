// SPDX-License-Identifier: Apache-2.0
#include "uprobe/input_counter.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <numeric>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "record/inputs.h"

namespace compmond::uprobe {

namespace {

static_assert(engine::Inputs::kStrata == CM_STRATA);

// What one takes: the fastest of some batches, since others only ever make it slower.
double least_ns(const auto& call) {
  constexpr int kBatches = 20, kCalls = 100;
  uint64_t least = UINT64_MAX;
  for (int batch = 0; batch < kBatches; ++batch) {
    const uint64_t began = monotonic_ns();
    for (int i = 0; i < kCalls; ++i) call();
    least = std::min(least, monotonic_ns() - began);
  }
  return double(least) / kCalls;
}

// A call of the system that does next to nothing.
double call_ns() {
  return least_ns([] { ::syscall(SYS_getppid); });
}

// The receiving of one byte that stays there.
double receive_ns() {
  std::array<int, 2> ends;
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return 0;
  const Fd to(ends[0]), from(ends[1]);
  char byte = 0;
  if (::send(to.get(), &byte, 1, MSG_NOSIGNAL) != 1) return 0;
  return least_ns([&] { ::recv(from.get(), &byte, 1, MSG_PEEK); });
}

// A neighbour on the machine may slow all of one, which would tell that looking costs nothing, or
// twice as much. No more than that: the targets may have to wait for a CPU meanwhile, and they do
// when nobody counts, so that other times would tell of too many inputs then.
constexpr int kTimings = 3;

uint64_t missed(const bpf_program* program) {
  bpf_prog_info info{};
  uint32_t size = sizeof info;
  return program && bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size) == 0
             ? info.recursion_misses
             : 0;
}

std::vector<cm_inputs> by_cpu(const bpf_map* counts) {
  std::vector<cm_inputs> out(size_t(std::max(1, libbpf_num_possible_cpus())));
  const uint32_t zero = 0;
  if (bpf_map_lookup_elem(bpf_map__fd(counts), &zero, out.data()) != 0) out.clear();
  return out;
}

}  // namespace

bool InputCounter::kernel_tells_receives() {
  return libbpf_find_vmlinux_btf_id("sock_recv_length", BPF_TRACE_RAW_TP) > 0;
}

Result<std::unique_ptr<InputCounter>> InputCounter::open(Parts parts) {
  std::unique_ptr<InputCounter> out(new InputCounter(parts));
  for (int round = 0; round < kTimings; ++round) {
    out->off();
    if (auto on = out->on(); !on) return Unexpected(on.error());
  }
  return out;
}

InputCounter::~InputCounter() { off(); }

InputCounter::How InputCounter::next() const {
  if (!parts_.receives) return How::kCalls;
  if (judged_ns_ == 0 || parts_.clock() - judged_ns_ >= kStays) return How::kBoth;
  return sockets_suffice_ ? How::kReceives : How::kCalls;
}

Result<void> InputCounter::attach(bpf_program* program, bpf_link*& link, const char* name) {
  link = bpf_program__attach(program);
  if (link) return {};
  const int err = errno;
  off();
  return fail_errno(Exit::kUnavailable,
                    fmt::format("cannot count what the targets read (tp_btf/{})", name), err,
                    "Needs a kernel with BTF (CONFIG_DEBUG_INFO_BTF), 5.11 or later.");
}

Result<void> InputCounter::on() {
  if (on_) return {};
  how_ = next();
  Timing& timing = how_ == How::kReceives ? receive_ : call_;
  const auto measured_ns = how_ == How::kReceives ? receive_ns : call_ns;
  const bool times = timing.taken < kTimings;
  if (times) timing.without = std::min(timing.without, measured_ns());
  parts_.counting = parts_.counting + 1;
  parts_.sockets_alone = how_ == How::kReceives;
  before_ = seen();
  if (how_ != How::kReceives)
    if (auto done = attach(parts_.calls, calls_, "sys_exit"); !done) return done;
  if (how_ != How::kCalls)
    if (auto done = attach(parts_.receives, receives_, "sock_recv_length"); !done) return done;
  on_ = true;
  if (times) timing.with = std::min(timing.with, measured_ns());
  timing.taken += times;
  return {};
}

void InputCounter::off() {
  if (on_) judge();
  bpf_link__destroy(std::exchange(calls_, nullptr));
  bpf_link__destroy(std::exchange(receives_, nullptr));
  on_ = false;
}

InputCounter::Seen InputCounter::seen() const {
  Seen out;
  for (const cm_inputs& one : by_cpu(parts_.counts)) {
    out.inputs += std::accumulate(std::begin(one.size), std::end(one.size), uint64_t(0));
    out.sockets += one.sockets;
  }
  return out;
}

void InputCounter::judge() {
  if (how_ != How::kBoth) return;
  const Seen now = seen();
  looked_.inputs += now.inputs - before_.inputs;
  looked_.sockets += now.sockets - before_.sockets;
  before_ = now;
  if (looked_.inputs < kEnough) return;
  const auto elsewhere = double(looked_.inputs - std::min(looked_.inputs, looked_.sockets));
  sockets_suffice_ = elsewhere <= kElsewhere * double(looked_.inputs);
  judged_ns_ = parts_.clock();
  looked_ = {};
}

bool InputCounter::would_change() const {
  if (!on_ || !parts_.receives) return false;
  if (how_ == How::kBoth) return looked_.inputs + seen().inputs - before_.inputs >= kEnough;
  return parts_.clock() - judged_ns_ >= kStays;
}

engine::Inputs InputCounter::read() const {
  engine::Inputs out;
  out.call_ns = (how_ == How::kReceives ? receive_ : call_).cost();
  for (const cm_inputs& one : by_cpu(parts_.counts)) {
    out.calls += one.calls + one.receives;
    for (size_t h = 0; h < engine::Inputs::kStrata; ++h) {
      out.descriptor[h] += one.descriptor[h];
      out.size[h] += one.size[h];
    }
  }
  out.missed = missed(parts_.calls) + missed(parts_.receives);
  return out;
}

}  // namespace compmond::uprobe
