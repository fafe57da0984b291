// SPDX-License-Identifier: Apache-2.0
#include "uprobe/input_counter.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "base/clock.h"
#include "record/inputs.h"

namespace compmond::uprobe {

namespace {

static_assert(engine::Inputs::kStrata == CM_STRATA);

// What a call of the system takes that does next to nothing: the fastest of some batches, since
// others only ever make it slower.
double call_ns() {
  constexpr int kBatches = 20, kCalls = 100;
  uint64_t least = UINT64_MAX;
  for (int batch = 0; batch < kBatches; ++batch) {
    const uint64_t began = monotonic_ns();
    for (int i = 0; i < kCalls; ++i) ::syscall(SYS_getppid);
    least = std::min(least, monotonic_ns() - began);
  }
  return double(least) / kCalls;
}

// At first: a neighbour on the machine may slow all of one, which would tell that looking costs
// nothing, or twice as much.
constexpr int kTimings = 3;

}  // namespace

Result<std::unique_ptr<InputCounter>> InputCounter::open(bpf_program* program, bpf_map* counts,
                                                         volatile uint32_t& counting) {
  std::unique_ptr<InputCounter> out(new InputCounter(program, counts, counting));
  for (int round = 0; round < kTimings; ++round) {
    out->off();
    if (auto on = out->on(); !on) return Unexpected(on.error());
  }
  return out;
}

InputCounter::InputCounter(bpf_program* program, bpf_map* counts, volatile uint32_t& counting)
    : program_(program), counts_(counts), counting_(counting) {}

InputCounter::~InputCounter() { off(); }

Result<void> InputCounter::on() {
  if (link_) return {};
  without_ns_ = std::min(without_ns_, call_ns());
  counting_ = counting_ + 1;
  link_ = bpf_program__attach(program_);
  if (link_) {
    with_ns_ = std::min(with_ns_, call_ns());
    return {};
  }
  return fail_errno(Exit::kUnavailable, "cannot count what the targets read (tp_btf/sys_exit)",
                    errno, "Needs a kernel with BTF (CONFIG_DEBUG_INFO_BTF), 5.11 or later.");
}

void InputCounter::off() {
  bpf_link__destroy(link_);
  link_ = nullptr;
}

engine::Inputs InputCounter::read() const {
  engine::Inputs out;
  out.call_ns = std::max(0.0, with_ns_ - without_ns_);
  std::vector<cm_inputs> of(size_t(std::max(1, libbpf_num_possible_cpus())));
  const uint32_t zero = 0;
  if (bpf_map_lookup_elem(bpf_map__fd(counts_), &zero, of.data()) == 0)
    for (const cm_inputs& one : of) {
      out.calls += one.calls;
      for (size_t h = 0; h < engine::Inputs::kStrata; ++h) {
        out.descriptor[h] += one.descriptor[h];
        out.size[h] += one.size[h];
      }
    }
  bpf_prog_info info{};
  uint32_t size = sizeof info;
  if (bpf_obj_get_info_by_fd(bpf_program__fd(program_), &info, &size) == 0)
    out.missed = info.recursion_misses;
  return out;
}

}  // namespace compmond::uprobe
