// SPDX-License-Identifier: Apache-2.0
#include "uprobe/kernel.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/clock.h"
#include "bpf_engine/load_error.h"
#include "bpf_engine/needs.h"
#include "bpf_engine/target_map.h"
#include "capture.skel.h"
#include "record/record.h"
#include "record/stream.h"
#include "uprobe/bpf/alarm.h"
#include "uprobe/bpf/end.h"
#include "uprobe/link.h"

namespace compmond::uprobe {
namespace {

// Not in Debian 12's headers; stable kernel interface.
constexpr int kTraceUprobeMulti = 48;
constexpr int kTraceUprobeSession = 57;

Unexpected load_error(int err, AttachKind kind) {
  const std::string what =
      fmt::format("cannot load the BPF programs (attach kind '{}')", to_text(kind));
  return bpf_engine::load_error(what, err, "`compmond doctor` tells what this kernel lacks.");
}

}  // namespace

struct Kernel::Impl {
  Options options;
  capture_bpf* skeleton = nullptr;
  ring_buffer* ring = nullptr;
  ring_buffer* alarms = nullptr;
  std::optional<engine::Alarm> alarm;  // the oldest that was not taken
  cm_slot* slots = nullptr;
  size_t slots_bytes = 0;
  const uint64_t* stranger_calls = nullptr;  // by operation
  std::unique_ptr<record::Stream> stream;
  ProbePrograms programs;
  record::EventSink* sink = nullptr;  // during a drain
  uint64_t drain_until = 0;           // delivered events at which the drain stops
  uint64_t complete_ns = 0;           // all records before it were handed over
  std::vector<uint32_t> freed;

  ~Impl() {
    if (ring) ring_buffer__free(ring);
    if (alarms) ring_buffer__free(alarms);
    if (slots) ::munmap(slots, slots_bytes);
    if (stranger_calls) ::munmap(const_cast<uint64_t*>(stranger_calls), calls_bytes());
    if (skeleton) capture_bpf::destroy(skeleton);
  }

  static int on_chunk(void* context, void* data, size_t size) {
    auto* impl = static_cast<Impl*>(context);
    if (size >= sizeof(cm_chunk))
      impl->stream->on_chunk(*static_cast<const cm_chunk*>(data), *impl->sink);
    return impl->stream->delivered() < impl->drain_until
               ? 0
               : -ECANCELED;  // libbpf stops behind this one
  }

  static int on_alarm(void* context, void* data, size_t size) {
    auto* impl = static_cast<Impl*>(context);
    cm_alarm told;
    if (size < sizeof told) return 0;
    std::memcpy(&told, data, sizeof told);
    if (!impl->alarm) impl->alarm = engine::Alarm{told.since_ns, 0};
    const double share = double(told.cost_ns) / double(std::max<uint64_t>(told.ran_ns, 1));
    impl->alarm->share = std::max(impl->alarm->share, share);
    return 0;
  }

  size_t calls_bytes() const { return options.operations * sizeof(uint64_t); }
  void choose_programs();
  Result<void> size_maps();
  Result<void> attach_lifecycle();
  Result<void> start();
  bpf_engine::TargetMap targets() const { return bpf_engine::TargetMap(skeleton->maps.targets); }
  int fd(bpf_program* program) const { return bpf_program__fd(program); }
};

// Loads only what this kind attaches, each program with the attach type that the kernel will check.
void Kernel::Impl::choose_programs() {
  auto& p = skeleton->progs;
  const bool session = options.kind == AttachKind::kSession;
  bpf_program__set_autoload(p.on_session, session);
  bpf_program__set_autoload(p.on_entry, !session);
  bpf_program__set_autoload(p.on_return, !session);
  for (bpf_program* program : {p.on_thread_exit, p.on_thread_free, p.on_fork, p.on_exec})
    bpf_program__set_autoload(program, options.lifecycle);
  bpf_program__set_autoload(p.on_sys_exit, options.inputs);
  bpf_program__set_autoload(p.on_receive, options.inputs && InputCounter::kernel_tells_receives());
  if (options.kind == AttachKind::kPerSymbol) return;
  const auto multi = static_cast<bpf_attach_type>(kTraceUprobeMulti);
  bpf_program__set_expected_attach_type(p.on_session,
                                        static_cast<bpf_attach_type>(kTraceUprobeSession));
  for (bpf_program* program :
       {p.on_entry, p.on_return, p.on_entry_plain, p.on_exit_site, p.on_transfer})
    bpf_program__set_expected_attach_type(program, multi);
}

Result<void> Kernel::Impl::size_maps() {
  auto& m = skeleton->maps;
  int err = bpf_map__set_max_entries(m.slots, options.slots);
  if (!err) err = bpf_map__set_max_entries(m.free_slots, options.slots);
  if (!err) err = bpf_map__set_max_entries(m.ring, uint32_t(options.ring_bytes));
  if (!err) err = bpf_engine::TargetMap::size(m.targets);
  if (!err) err = bpf_map__set_max_entries(m.ends, limits::kTargetEnds);
  if (!err) err = bpf_map__set_max_entries(m.stranger_calls, uint32_t(options.operations));
  if (!err) err = bpf_map__set_max_entries(m.strangers, kStrangers);
  if (err) return fail_errno(Exit::kInternal, "cannot size the BPF maps", -err);
  return {};
}

Result<void> Kernel::Impl::attach_lifecycle() {
  auto& p = skeleton->progs;
  for (auto [program, link] : {std::pair{p.on_thread_exit, &skeleton->links.on_thread_exit},
                               std::pair{p.on_thread_free, &skeleton->links.on_thread_free},
                               std::pair{p.on_fork, &skeleton->links.on_fork},
                               std::pair{p.on_exec, &skeleton->links.on_exec}}) {
    *link = bpf_program__attach(program);
    if (!*link)
      return fail_errno(Exit::kUnavailable, "cannot observe thread starts and ends (tp_btf)", errno,
                        "Needs a kernel with BTF (CONFIG_DEBUG_INFO_BTF), 5.11 or later.");
  }
  return {};
}

Result<void> Kernel::Impl::start() {
  const int slots_fd = bpf_map__fd(skeleton->maps.slots);
  slots_bytes = size_t(options.slots) * sizeof(cm_slot);
  void* memory = ::mmap(nullptr, slots_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, slots_fd, 0);
  if (memory == MAP_FAILED)
    return fail_errno(Exit::kUnavailable, "cannot map the threads' slots", errno);
  slots = static_cast<cm_slot*>(memory);
  memory = ::mmap(nullptr, calls_bytes(), PROT_READ, MAP_SHARED,
                  bpf_map__fd(skeleton->maps.stranger_calls), 0);
  if (memory == MAP_FAILED)
    return fail_errno(Exit::kUnavailable, "cannot map the counts of other processes' calls", errno);
  stranger_calls = static_cast<const uint64_t*>(memory);
  stream = std::make_unique<record::Stream>(slots, options.slots);
  for (uint32_t i = options.slots; i-- > 0;)  // a stack: the lowest number ends on top
    if (bpf_map_update_elem(bpf_map__fd(skeleton->maps.free_slots), nullptr, &i, BPF_ANY) != 0)
      return fail_errno(Exit::kInternal, "cannot fill the list of free slots", errno);
  ring = ring_buffer__new(bpf_map__fd(skeleton->maps.ring), &Impl::on_chunk, this, nullptr);
  alarms = ring_buffer__new(bpf_map__fd(skeleton->maps.alarms), &Impl::on_alarm, this, nullptr);
  if (!ring || !alarms) return fail_errno(Exit::kUnavailable, "cannot map the ring buffers", errno);
  auto& p = skeleton->progs;
  if (options.lifecycle)
    if (auto attached = attach_lifecycle(); !attached) return attached;
  if (options.kind == AttachKind::kSession) {
    programs.session = fd(p.on_session);
  } else {
    programs.entry = fd(p.on_entry);
    programs.ret = fd(p.on_return);
  }
  programs.entry_plain = fd(p.on_entry_plain);
  programs.exit_site = fd(p.on_exit_site);
  programs.transfer = fd(p.on_transfer);
  if (options.kind == AttachKind::kMulti && !multi_sees_all_threads(programs.entry))
    return fail(Exit::kUnavailable, "cannot attach probes in the way 'multi'",
                "those in one process would see one thread of it alone (fixed in Linux 6.10)",
                "Use --attach per-symbol.");
  return {};
}

Kernel::Kernel(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Kernel::~Kernel() = default;

Result<std::unique_ptr<Kernel>> Kernel::load(const Options& options) {
  if (auto same = bpf_engine::see_what_kernel_sees(); !same) return Unexpected(same.error());
  auto impl = std::make_unique<Impl>();
  impl->options = options;
  bpf_engine::listen_to_libbpf();
  impl->skeleton = capture_bpf::open();
  if (!impl->skeleton) return load_error(errno, options.kind);
  bpf_engine::set_rule(*impl->skeleton->rodata, options.targets);
  impl->skeleton->rodata->tail_calls = options.tail_calls;
  impl->skeleton->rodata->contexts = options.contexts;
  impl->skeleton->rodata->guarded = options.guarded;
  impl->skeleton->rodata->tell_all = options.tell_all;
  impl->choose_programs();
  if (auto sized = impl->size_maps(); !sized) return Unexpected(sized.error());
  if (const int err = capture_bpf::load(impl->skeleton); err != 0)
    return load_error(-err, options.kind);
  if (auto started = impl->start(); !started) return Unexpected(started.error());
  return std::unique_ptr<Kernel>(new Kernel(std::move(impl)));
}

AttachKind Kernel::kind() const { return impl_->options.kind; }
const ProbePrograms& Kernel::programs() const { return impl_->programs; }
size_t Kernel::threads() const { return impl_->stream->threads(); }

Result<void> Kernel::add(pid_t pid) {
  if (auto added = impl_->targets().add(pid, monotonic_ns()); !added) return added;
  __atomic_fetch_add(&impl_->skeleton->bss->targets_generation, 1, __ATOMIC_RELEASE);
  return {};
}

void Kernel::remove(pid_t pid) { impl_->targets().remove(pid); }
std::optional<uint64_t> Kernel::since(pid_t pid) const { return impl_->targets().since(pid); }
std::vector<pid_t> Kernel::all() const { return impl_->targets().all(); }

uint64_t Kernel::without_place() const { return impl_->skeleton->bss->without_place; }

uint64_t Kernel::untold_ends() const { return impl_->skeleton->bss->untold_ends; }

std::vector<engine::TargetEnd> Kernel::take_ends() {
  const bpf_map* ends = impl_->skeleton->maps.ends;
  std::vector<engine::TargetEnd> out;
  for (const pid_t pid : bpf_engine::TargetMap(ends).all()) {
    const auto key = uint32_t(pid);
    cm_end end;
    if (bpf_map_lookup_elem(bpf_map__fd(ends), &key, &end) != 0) continue;
    out.push_back({pid, end.since_ns, end.cpu_ns, end.complete != 0});
    if (end.complete) bpf_map_delete_elem(bpf_map__fd(ends), &key);
  }
  return out;
}

void Kernel::set_recording(engine::Recording recording) {
  const uint32_t told = recording == engine::Recording::kOn       ? CM_ON
                        : recording == engine::Recording::kPaused ? CM_PAUSED
                                                                  : CM_OFF;
  __atomic_store_n(&impl_->skeleton->bss->recording, told, __ATOMIC_RELEASE);
}

int Kernel::alarm_fd() const { return bpf_map__fd(impl_->skeleton->maps.alarms); }

std::optional<engine::Alarm> Kernel::take_alarm() {
  ring_buffer__consume(impl_->alarms);
  return std::exchange(impl_->alarm, std::nullopt);
}

bool Kernel::counts_inputs() const { return impl_->options.inputs; }

Result<std::unique_ptr<InputCounter>> Kernel::count_inputs(uint64_t (*clock)()) {
  auto& skeleton = *impl_->skeleton;
  const bool receives = bpf_program__autoload(skeleton.progs.on_receive);
  return InputCounter::open({.calls = skeleton.progs.on_sys_exit,
                             .receives = receives ? skeleton.progs.on_receive : nullptr,
                             .counts = skeleton.maps.inputs,
                             .counting = skeleton.bss->counting,
                             .sockets_alone = skeleton.bss->sockets_alone,
                             .measuring = skeleton.bss->measuring,
                             .clock = clock});
}

void Kernel::set_slice(uint32_t number) {
  __atomic_store_n(&impl_->skeleton->bss->slice, number, __ATOMIC_RELEASE);
}

size_t Kernel::drain(record::EventSink& sink) {
  const uint64_t before = impl_->stream->delivered();
  const uint64_t began_ns = monotonic_ns();
  impl_->sink = &sink;
  impl_->drain_until = before + kDrainEvents;
  ring_buffer__consume(impl_->ring);
  impl_->freed.clear();
  impl_->stream->read_slots(sink, impl_->freed);
  impl_->complete_ns = std::max(impl_->complete_ns, impl_->stream->complete_ns(began_ns));
  for (uint32_t slot : impl_->freed)
    bpf_map_update_elem(bpf_map__fd(impl_->skeleton->maps.free_slots), nullptr, &slot, BPF_ANY);
  return size_t(impl_->stream->delivered() - before);
}

std::span<const uint64_t> Kernel::stranger_calls() const {
  return {impl_->stranger_calls, impl_->options.operations};
}

size_t Kernel::strangers() const {
  return bpf_engine::TargetMap(impl_->skeleton->maps.strangers).all().size();
}

uint64_t Kernel::now_ns() const { return impl_->complete_ns; }

record::Ledger Kernel::ledger() const {
  const int cpus = libbpf_num_possible_cpus();
  std::vector<uint64_t> counts(size_t(cpus > 0 ? cpus : 1));
  const uint32_t zero = 0;
  uint64_t sum = 0;
  if (bpf_map_lookup_elem(bpf_map__fd(impl_->skeleton->maps.no_slot), &zero, counts.data()) == 0)
    for (uint64_t count : counts) sum += count;
  return impl_->stream->ledger(sum);
}

}  // namespace compmond::uprobe
