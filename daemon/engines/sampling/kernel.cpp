// SPDX-License-Identifier: Apache-2.0
#include "sampler/kernel.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <utility>

#include "base/fd.h"
#include "bpf_engine/load_error.h"
#include "bpf_engine/needs.h"
#include "sampler.skel.h"
#include "sampler/bpf/told.h"

namespace compmond::sampler {
namespace {

constexpr const char* kCannotLoad = "cannot load the BPF programs that take samples";

Unexpected load_error(int err) {
  return bpf_engine::load_error(
      kCannotLoad, err,
      "Needs a kernel with BTF (CONFIG_DEBUG_INFO_BTF), 5.15 or later: see "
      "`compmond doctor`.");
}

}  // namespace

struct Kernel::Impl {
  // What not every kernel has.
  struct Features {
    bool back = false;    // a tracepoint where a thread is back on its CPU (6.16)
    bool asleep = false;  // memory of threads that sleep can be read (5.18)
  };
  static Features find_features();

  Options options;
  Features features;
  bool waits = false;
  sampler_bpf* skeleton = nullptr;

  ~Impl() {
    if (skeleton) sampler_bpf::destroy(skeleton);
  }
  Result<void> prepare();
  Result<void> attach();
  bool look_at_switches();
  void look_away();
  int tops() const { return bpf_map__fd(skeleton->maps.stack_tops); }
};

Kernel::Impl::Features Kernel::Impl::find_features() {
  Features out;
  btf* kernel = btf__load_vmlinux_btf();
  if (!kernel) return out;
  out.back = btf__find_by_name_kind(kernel, "btf_trace_sched_exit_tp", BTF_KIND_TYPEDEF) > 0;
  out.asleep = btf__find_by_name_kind(kernel, "bpf_copy_from_user_task", BTF_KIND_FUNC) > 0;
  btf__free(kernel);
  return out;
}

Result<void> Kernel::Impl::prepare() {
  bpf_engine::set_rule(*skeleton->rodata, options.targets);
  auto& p = skeleton->progs;
  for (bpf_program* program : {p.on_switch, p.on_back}) bpf_program__set_autoload(program, waits);
  bpf_program__set_autoload(p.cut_waits, waits && features.asleep);
  auto& m = skeleton->maps;
  int err = bpf_engine::TargetMap::size(m.targets);
  // Programs of perf events may use maps only whose memory is there beforehand (before 6.1).
  if (!err) err = bpf_map__set_map_flags(m.targets, 0);
  if (!err) err = bpf_map__set_max_entries(m.samples, uint32_t(options.ring_bytes));
  if (err) return fail_errno(Exit::kInternal, "cannot size the BPF maps", -err);
  return {};
}

namespace {

Result<void> attach_one(bpf_program* program, bpf_link*& link) {
  link = bpf_program__attach(program);
  if (link) return {};
  return fail_errno(Exit::kUnavailable,
                    fmt::format("cannot attach '{}'", bpf_program__name(program)), errno);
}

void run_once(const bpf_program* program) {
  bpf_test_run_opts run{};
  run.sz = sizeof run;
  (void)bpf_prog_test_run_opts(bpf_program__fd(program), &run);
}

void run_iterator(const bpf_link* link) {
  const Fd run(bpf_iter_create(bpf_link__fd(link)));
  char nothing[16];
  while (run.valid() && ::read(run.get(), nothing, sizeof nothing) > 0) {
  }
}

}  // namespace

Result<void> Kernel::Impl::attach() {
  auto& p = skeleton->progs;
  auto& l = skeleton->links;
  run_once(p.find_ways_in);
  for (auto [program, link] :
       {std::pair{p.on_fork, &l.on_fork}, std::pair{p.on_exec, &l.on_exec},
        std::pair{p.on_thread_exit, &l.on_thread_exit},
        std::pair{p.on_thread_free, &l.on_thread_free}, std::pair{p.cut_waits, &l.cut_waits}}) {
    if (!bpf_program__autoload(program)) continue;
    if (auto attached = attach_one(program, *link); !attached) return attached;
  }
  if (!waits) return {};
  if (!look_at_switches()) return fail_errno(Exit::kUnavailable, "cannot look at switches", errno);
  look_away();
  return {};
}

// Each takes some 0.2 ms of this thread, and nothing of a target.
bool Kernel::Impl::look_at_switches() {
  auto& l = skeleton->links;
  if (!l.on_switch) l.on_switch = bpf_program__attach(skeleton->progs.on_switch);
  if (!l.on_back) l.on_back = bpf_program__attach(skeleton->progs.on_back);
  return l.on_switch && l.on_back;
}

void Kernel::Impl::look_away() {
  auto& l = skeleton->links;
  for (bpf_link** link : {&l.on_switch, &l.on_back})
    bpf_link__destroy(std::exchange(*link, nullptr));
}

Kernel::Kernel(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Kernel::~Kernel() = default;

Result<std::unique_ptr<Kernel>> Kernel::load(const Options& options) {
  if (auto same = bpf_engine::see_what_kernel_sees(); !same) return Unexpected(same.error());
  auto impl = std::make_unique<Impl>();
  impl->options = options;
  bpf_engine::listen_to_libbpf();
  impl->features = Impl::find_features();
  impl->waits = options.waits && impl->features.back;
  impl->skeleton = sampler_bpf::open();
  if (!impl->skeleton) return load_error(errno);
  if (auto prepared = impl->prepare(); !prepared) return Unexpected(prepared.error());
  if (const int err = sampler_bpf::load(impl->skeleton); err != 0) return load_error(-err);
  if (auto attached = impl->attach(); !attached) return Unexpected(attached.error());
  return std::unique_ptr<Kernel>(new Kernel(std::move(impl)));
}

int Kernel::timer_program() const { return bpf_program__fd(impl_->skeleton->progs.on_timer); }
bool Kernel::sees_waits() const { return impl_->waits; }
uint64_t Kernel::without_place() const { return impl_->skeleton->bss->without_place; }
bool Kernel::sees_probes() const { return impl_->skeleton->bss->sees_probes; }

std::vector<std::string> Kernel::notes() const {
  if (!impl_->options.waits) return {};
  if (!impl_->waits)
    return {"waiting times are not sampled: this kernel lacks sched_exit_tp (Linux 6.16)"};
  if (!impl_->features.asleep)
    return {
        "a thread that sleeps counts only when it wakes up: this kernel cannot read its stack "
        "before (Linux 5.18)"};
  return {};
}

bpf_engine::TargetMap Kernel::targets() const {
  return bpf_engine::TargetMap(impl_->skeleton->maps.targets);
}

bool Kernel::begin(const Pace& pace, uint64_t now_ns) {
  auto& knobs = *impl_->skeleton->bss;
  auto& data = *impl_->skeleton->data;
  data.keep = uint32_t(std::lround(std::min(pace.keep, 1.0) * double(UINT32_MAX)));
  if (pace.waits) data.wait_period_ns = pace.wait_period_ns;
  const bool waits = pace.waits && (knobs.waits_count || impl_->look_at_switches());
  const bool anew = waits && !knobs.waits_count;
  if (anew) {
    knobs.waits_since_ns = now_ns;
    __atomic_fetch_add(&knobs.waits_round, 1, __ATOMIC_RELEASE);
  }
  knobs.waits_count = waits;
  __atomic_store_n(&knobs.sampling, true, __ATOMIC_RELEASE);
  if (anew) cut_waits();  // those that wait already
  if (!waits) impl_->look_away();
  return waits;
}

void Kernel::end() {
  auto& knobs = *impl_->skeleton->bss;
  __atomic_store_n(&knobs.sampling, false, __ATOMIC_RELEASE);
  knobs.waits_count = false;
  impl_->look_away();
}

void Kernel::cut_waits() {
  if (impl_->skeleton->links.cut_waits) run_iterator(impl_->skeleton->links.cut_waits);
}

void Kernel::tell_ended() { run_once(impl_->skeleton->progs.tell_ended); }

Counts Kernel::counts() const {
  std::vector<cm_counts> each(size_t(std::max(libbpf_num_possible_cpus(), 1)));
  const uint32_t zero = 0;
  Counts sum;
  if (bpf_map_lookup_elem(bpf_map__fd(impl_->skeleton->maps.counts), &zero, each.data()) != 0)
    return sum;
  for (const cm_counts& one : each) {
    sum.on += one.on;
    sum.off += one.off;
    sum.lost += one.lost;
    sum.switches += one.switches;
    sum.own_looks_ns += CM_TIMED_OF * one.own_ns;
    sum.all_looks_ns += CM_TIMED_OF * one.all_ns;
    sum.samples_ns += one.samples_ns;
  }
  return sum;
}

void Kernel::learn_stack_top(uint32_t tid, uint64_t top) {
  bpf_map_update_elem(impl_->tops(), &tid, &top, BPF_ANY);
}

void Kernel::forget_stack_top(uint32_t tid) { bpf_map_delete_elem(impl_->tops(), &tid); }

Result<Ring> Kernel::open_samples() const {
  return Ring::open(bpf_map__fd(impl_->skeleton->maps.samples), impl_->options.ring_bytes);
}

Result<Ring> Kernel::open_news() const {
  return Ring::open(bpf_map__fd(impl_->skeleton->maps.news),
                    bpf_map__max_entries(impl_->skeleton->maps.news));
}

}  // namespace compmond::sampler
