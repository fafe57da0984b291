// SPDX-License-Identifier: Apache-2.0
#include "uprobe/input_counter.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <numeric>
#include <utility>
#include <vector>

#include "record/inputs.h"

namespace compmond::uprobe {

namespace {

static_assert(engine::Inputs::kStrata == CM_STRATA);

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

// Each time anew, so that all that it costs is measured as often as it is to be.
Result<std::unique_ptr<InputCounter>> InputCounter::open(Parts parts) {
  std::unique_ptr<InputCounter> out(new InputCounter(parts));
  do {
    out->end();
    if (auto on = out->on(); !on) return Unexpected(on.error());
  } while (out->call_.wanted());
  return out;
}

InputCounter::~InputCounter() { end(); }

void InputCounter::end() {
  bpf_link__destroy(std::exchange(calls_, nullptr));
  end_receiving();
  on_ = false;
}

InputCounter::How InputCounter::Seen::best() const {
  const auto elsewhere = double(inputs - std::min(inputs, received));
  if (inputs >= kEnough && elsewhere <= kElsewhere * double(inputs)) return How::kReceives;
  return elsewhere <= kMostElsewhere * double(inputs) ? How::kBoth : How::kCalls;
}

InputCounter::How InputCounter::next() const {
  if (!parts_.receives) return How::kCalls;
  return judged_ns_ == 0 || parts_.clock() - judged_ns_ >= kStays ? How::kBoth : best_;
}

Result<void> InputCounter::attach(bpf_program* program, bpf_link*& link, const char* name,
                                  InputPrice& price) {
  const bool measures = price.wanted();
  if (measures) price.nobody_looks();
  link = bpf_program__attach(program);
  if (!link)
    return fail_errno(Exit::kUnavailable,
                      fmt::format("cannot count what the targets read (tp_btf/{})", name), errno,
                      "Needs a kernel with BTF (CONFIG_DEBUG_INFO_BTF), 5.11 or later.");
  if (measures) price.somebody_looks();
  return {};
}

// Where it cannot, calls tell.
void InputCounter::begin_receiving() {
  parts_.sockets_alone = how_ == How::kReceives;
  if (receives_) return;
  InputPrice& price = how_ == How::kReceives ? alone_ : beside_;
  const bool measures = price.wanted();
  if (measures) price.nobody_looks();
  if (!attach(parts_.receives, receives_, "sock_recv_length", others_)) {
    parts_.receives = nullptr;
    how_ = How::kCalls;
    return;
  }
  ++receiving_;
  if (!measures) return;
  parts_.measuring = uint32_t(::getpid());
  price.somebody_looks();
  parts_.measuring = 0;
}

void InputCounter::end_receiving() { bpf_link__destroy(std::exchange(receives_, nullptr)); }

Result<void> InputCounter::on() {
  if (on_) return {};
  how_ = next();
  parts_.counting = parts_.counting + 1;
  if (how_ != How::kBoth) end_receiving();
  if (how_ != How::kCalls) begin_receiving();
  if (how_ != How::kReceives)
    if (auto done = attach(parts_.calls, calls_, "sys_exit", call_); !done) {
      end_receiving();
      return done;
    }
  on_ = true;
  before_ = seen();
  return {};
}

void InputCounter::off() {
  if (on_) judge();
  bpf_link__destroy(std::exchange(calls_, nullptr));
  on_ = false;
  if (next() != How::kBoth) end_receiving();
}

InputCounter::Seen InputCounter::seen() const {
  Seen out{.ns = parts_.clock()};
  for (const cm_inputs& one : by_cpu(parts_.counts)) {
    out.inputs += std::accumulate(std::begin(one.size), std::end(one.size), uint64_t(0));
    out.received += one.received;
  }
  return out;
}

InputCounter::Seen InputCounter::looked() const {
  if (how_ != How::kBoth) return looked_;
  const Seen now = seen();
  return {looked_.inputs + now.inputs - before_.inputs,
          looked_.received + now.received - before_.received, looked_.ns + now.ns - before_.ns};
}

bool InputCounter::is_time(const Seen& seen) const {
  return seen.enough() && (judged_ns_ == 0 || parts_.clock() - judged_ns_ >= kStays);
}

void InputCounter::judge() {
  looked_ = looked();
  if (how_ != How::kBoth || !is_time(looked_)) return;
  best_ = std::exchange(looked_, Seen()).best();
  judged_ns_ = parts_.clock();
}

void InputCounter::spare_receives() {
  if (judged_ns_ == 0 || best_ != How::kBoth) return;  // they may suffice
  looked_ = {};
  best_ = How::kCalls;
  judged_ns_ = parts_.clock();
  if (!on_) end_receiving();
}

bool InputCounter::would_change() const {
  if (!on_ || !parts_.receives) return false;
  if (how_ != How::kBoth) return next() != how_;
  const Seen seen = looked();
  return next() != How::kBoth || (is_time(seen) && seen.best() != How::kBoth);
}

engine::Inputs InputCounter::read() const {
  engine::Inputs out;
  out.call_ns = call_.ns();
  out.other_ns = others_.ns();
  out.receive_ns = (how_ == How::kReceives ? alone_ : beside_).ns();
  for (const cm_inputs& one : by_cpu(parts_.counts)) {
    out.calls += one.calls;
    out.receives += one.receives;
    out.others += one.others;
    out.received += one.received;
    for (size_t h = 0; h < engine::Inputs::kStrata; ++h) {
      out.descriptor[h] += one.descriptor[h];
      out.size[h] += one.size[h];
    }
  }
  if (receives_ && how_ != How::kReceives) out.receiving = receiving_;
  out.missed = missed(parts_.calls) + missed(parts_.receives);
  return out;
}

}  // namespace compmond::uprobe
