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

// What a call of the system takes that does next to nothing: the fastest of many batches, since
// others only ever make it slower.
double call_ns() {
  constexpr int kBatches = 50, kCalls = 200;
  uint64_t least = UINT64_MAX;
  for (int batch = 0; batch < kBatches; ++batch) {
    const uint64_t began = monotonic_ns();
    for (int i = 0; i < kCalls; ++i) ::syscall(SYS_getppid);
    least = std::min(least, monotonic_ns() - began);
  }
  return double(least) / kCalls;
}

}  // namespace

Result<std::unique_ptr<InputCounter>> InputCounter::open(bpf_program* program, bpf_map* counts,
                                                         volatile uint32_t& counting) {
  std::unique_ptr<InputCounter> out(new InputCounter(program, counts, counting));
  const double before_ns = call_ns();
  if (auto on = out->on(); !on) return Unexpected(on.error());
  out->call_ns_ = std::max(0.0, call_ns() - before_ns);
  return out;
}

InputCounter::InputCounter(bpf_program* program, bpf_map* counts, volatile uint32_t& counting)
    : program_(program), counts_(counts), counting_(counting) {}

InputCounter::~InputCounter() { off(); }

Result<void> InputCounter::on() {
  if (link_) return {};
  counting_ = counting_ + 1;
  link_ = bpf_program__attach(program_);
  if (link_) return {};
  return fail_errno(Exit::kUnavailable, "cannot count what the targets read (tp_btf/sys_exit)",
                    errno, "Needs a kernel with BTF (CONFIG_DEBUG_INFO_BTF), 5.11 or later.");
}

void InputCounter::off() {
  bpf_link__destroy(link_);
  link_ = nullptr;
}

engine::Inputs InputCounter::read() const {
  engine::Inputs out;
  out.call_ns = call_ns_;
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
