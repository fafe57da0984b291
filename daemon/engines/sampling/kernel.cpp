// SPDX-License-Identifier: Apache-2.0
#include "sampler/kernel.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>

#include "base/fd.h"
#include "bpf_engine/load_error.h"
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
  for (bpf_program* program : {p.on_switch, p.on_wakeup, p.on_back})
    bpf_program__set_autoload(program, waits);
  bpf_program__set_autoload(p.on_last_switch, !waits);
  bpf_program__set_autoload(p.cut_waits, waits && features.asleep);
  auto& m = skeleton->maps;
  int err = bpf_engine::TargetMap::size(m.targets);
  // Programs of perf events may use maps only whose memory is there beforehand (before 6.1).
  if (!err) err = bpf_map__set_map_flags(m.targets, 0);
  if (!err) err = bpf_map__set_max_entries(m.samples, uint32_t(options.ring_bytes));
  if (err) return fail_errno(Exit::kInternal, "cannot size the BPF maps", -err);
  return {};
}

Result<void> Kernel::Impl::attach() {
  auto& p = skeleton->progs;
  auto& l = skeleton->links;
  for (auto [program, link] :
       {std::pair{p.on_fork, &l.on_fork}, std::pair{p.on_exec, &l.on_exec},
        std::pair{p.on_thread_exit, &l.on_thread_exit}, std::pair{p.on_switch, &l.on_switch},
        std::pair{p.on_last_switch, &l.on_last_switch}, std::pair{p.on_wakeup, &l.on_wakeup},
        std::pair{p.on_back, &l.on_back}, std::pair{p.cut_waits, &l.cut_waits}}) {
    if (!bpf_program__autoload(program)) continue;
    *link = bpf_program__attach(program);
    if (!*link)
      return fail_errno(Exit::kUnavailable,
                        fmt::format("cannot attach '{}'", bpf_program__name(program)), errno);
  }
  return {};
}

Kernel::Kernel(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Kernel::~Kernel() = default;

Result<std::unique_ptr<Kernel>> Kernel::load(const Options& options) {
  auto impl = std::make_unique<Impl>();
  impl->options = options;
  libbpf_set_print(nullptr);
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

void Kernel::begin(const Pace& pace, uint64_t now_ns) {
  auto& knobs = *impl_->skeleton->bss;
  auto& data = *impl_->skeleton->data;
  data.keep = uint32_t(std::lround(std::min(pace.keep, 1.0) * double(UINT32_MAX)));
  if (pace.waits) data.wait_period_ns = pace.wait_period_ns;
  if (pace.waits && !knobs.waits_count) {
    knobs.waits_since_ns = now_ns;
    __atomic_fetch_add(&knobs.waits_round, 1, __ATOMIC_RELEASE);
  }
  knobs.waits_count = pace.waits;
  __atomic_store_n(&knobs.sampling, true, __ATOMIC_RELEASE);
}

void Kernel::end() {
  auto& knobs = *impl_->skeleton->bss;
  __atomic_store_n(&knobs.sampling, false, __ATOMIC_RELEASE);
  knobs.waits_count = false;
}

void Kernel::cut_waits() {
  if (!impl_->skeleton->links.cut_waits) return;
  const Fd run(bpf_iter_create(bpf_link__fd(impl_->skeleton->links.cut_waits)));
  char nothing[16];
  while (run.valid() && ::read(run.get(), nothing, sizeof nothing) > 0) {
  }
}

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
