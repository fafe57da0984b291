// SPDX-License-Identifier: Apache-2.0
#include "uprobe/attach.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "core/limits.h"
#include "core/parallel.h"
#include "record/record.h"
#include "target/proc_folder.h"
#include "uprobe/bpf/cookie.h"
#include "uprobe/link.h"
#include "uprobe/way.h"

namespace compmond::uprobe {
namespace {

using spec::ExitMode;

// Says nothing about the function: trying a part of the group would only fail again.
bool exhausted(int err) { return err == EMFILE || err == ENFILE || err == ENOMEM; }

std::string reason_of(int err) {
  constexpr int kNotSupported =
      524;  // the kernel's internal ENOTSUPP, which reaches user space here
  if (err == kNotSupported || err == EOPNOTSUPP)
    return "the kernel cannot place a probe on an instruction of it (unsupported prefix)";
  if (err == EINVAL)
    return "the kernel refuses the place (not in an executable mapping, or not on an instruction)";
  return std::string("the kernel refuses the probe: ") + std::strerror(err);
}

// What the entry probe reads of the call's arguments.
uint64_t context_cookie(const std::vector<spec::Context>& contexts) {
  static_assert(spec::kContextArguments < CM_COOKIE_ARGUMENT);  // record/stream.cpp has the rest
  uint64_t cookie = 0;
  for (const spec::Context& context : contexts)
    cookie |= uint64_t(context.argument | unsigned(context.type) << CM_COOKIE_TYPE_SHIFT)
              << (CM_COOKIE_CONTEXT_SHIFT + unsigned(context.kind) * CM_COOKIE_CONTEXT_BITS);
  return cookie;
}

// What the guard charges the target with.
uint64_t cost_cookie(double ns) {
  static_assert(limits::kOperationsMany < 1u << CM_COOKIE_OP_BITS);
  constexpr double kMost = (1 << CM_COOKIE_COST_BITS) - 1;
  return uint64_t(std::clamp(std::round(ns / CM_COOKIE_COST_UNIT_NS), 0.0, kMost))
         << CM_COOKIE_OP_BITS;
}

// Of a call: at most, where its exits differ.
uint64_t call_cookie(const plan::Way& way, const plan::Cost& cost) {
  const bool cheap = !way.exits.empty() && std::ranges::all_of(way.exits, &plan::ExitPlace::cheap);
  return cost_cookie(cost.total_ns() - (cheap ? cost.cheap_less_ns : 0));
}

uint64_t condition_cookie(const plan::ExitPlace& exit, const plan::Cost& cost) {
  if (exit.condition == code::ExitSite::kAlways) return 0;
  return CM_COOKIE_CONDITIONAL | uint64_t(exit.condition) << CM_COOKIE_CONDITION_SHIFT |
         cost_cookie(cost.stay_ns);
}

}  // namespace

// Attaches groups of operations and splits a group that fails, down to the single operation at
// fault.
class Attacher {
 public:
  Attacher(const plan::Plan& plan, const plan::OperationStates* states, engine::Scope scope,
           AttachKind kind, const ProbePrograms& programs, const plan::Costs* costs,
           plan::See see = plan::See::kCalls)
      : plan_(plan),
        states_(states),
        kind_(kind),
        programs_(programs),
        costs_(costs),
        see_(see),
        path_(plan.images[size_t(scope.image)].file->proc_path()),
        thread_(scope.pid == 0 ? 0 : target::live_thread(scope.pid)),
        out_(new Attachment(scope)) {}

  Result<std::unique_ptr<Attachment>> run(std::span<const size_t> operations) {
    if (kind_ != AttachKind::kPerSymbol && thread_ != out_->scope_.pid) {
      refuse_without_main_thread(operations);
      return std::move(out_);
    }
    for (const ExitMode mode :
         {ExitMode::kReturnProbe, ExitMode::kRetSites, ExitMode::kEntryOnly}) {
      std::vector<size_t> of_mode;
      for (const size_t i : operations)
        if (plan_.operations[i].image == out_->scope_.image && exit_of(i) == mode)
          of_mode.push_back(i);
      if (!of_mode.empty())
        if (auto done = group(mode, of_mode); !done) return Unexpected(done.error());
    }
    return std::move(out_);
  }

  // One by one where the kernel refuses them together.
  Result<std::unique_ptr<Attachment>> watch(std::span<const size_t> transfers) {
    if (watch_together(transfers)) return std::move(out_);
    out_->links_.clear();
    for (const size_t i : transfers)
      if (!watch_together(std::span(&i, 1)))
        if (auto fatal = hopeless(errno); !fatal) return Unexpected(fatal.error());
    return std::move(out_);
  }

 private:
  // Such links know a process by its main thread: they would be placed, and never hit.
  void refuse_without_main_thread(std::span<const size_t> operations) {
    for (const size_t i : operations)
      out_->refused_.push_back(
          {i, fmt::format("the main thread of process {} has ended: probes in that process alone "
                          "would not be hit",
                          out_->scope_.pid)});
  }

  bool watch_together(std::span<const size_t> transfers) {
    Places places;
    for (const size_t i : transfers) {
      places.offsets.push_back(way_of(plan_.transfers[i]).entry_offset);
      places.cookies.push_back(i | uint64_t(plan_.transfers[i].kind) << CM_COOKIE_TRANSFER_SHIFT);
    }
    return link(programs_.transfer, MultiType::kMulti, places, false);
  }

  // Fails where the reason is none of the functions'.
  Result<void> hopeless(int err) const {
    if (is_permission(err))
      return fail_errno(Exit::kNoPermission, "cannot attach probes", err,
                        kind_ == AttachKind::kPerSymbol
                            ? "This attach kind needs root (CAP_SYS_ADMIN)."
                            : "Run as root (sudo), or with CAP_BPF and CAP_PERFMON.");
    if (exhausted(err))
      return fail_errno(Exit::kUnavailable, "cannot attach probes", err,
                        "Observe fewer operations.");
    if (err == ESRCH)
      return fail(Exit::kNoInput, "cannot attach probes", "the process is gone", "");
    return {};
  }

  Result<void> group(ExitMode mode, std::span<const size_t> operations) {
    const size_t before = out_->links_.size();
    if (try_group(mode, operations)) return {};
    const int err = errno;
    out_->links_.erase(out_->links_.begin() + long(before), out_->links_.end());
    if (auto fatal = hopeless(err); !fatal) return fatal;
    if (operations.size() == 1) {
      out_->refused_.push_back({operations[0], reason_of(err)});
      return {};
    }
    const size_t half = operations.size() / 2;
    if (auto done = group(mode, operations.first(half)); !done) return done;
    return group(mode, operations.subspan(half));
  }

  // Exits first: an entry is never seen whose exit could not be.
  bool try_group(ExitMode mode, std::span<const size_t> operations) {
    Places entries, exits;
    for (const size_t i : operations) {
      const plan::Cost cost = costs_->at(way(i), see_);
      entries.offsets.push_back(way(i).entry_offset);
      entries.cookies.push_back(i | (mode == ExitMode::kEntryOnly ? CM_COOKIE_ENTRY_ONLY : 0) |
                                call_cookie(way(i), cost) |
                                context_cookie(plan_.operations[i].contexts));
      if (mode != ExitMode::kRetSites) continue;
      for (const plan::ExitPlace& exit : way(i).exits) {
        exits.offsets.push_back(exit.offset);
        exits.cookies.push_back(i | (exit.cheap ? CM_COOKIE_CHEAP : 0) |
                                (exit.to_observed ? CM_COOKIE_JUMP : 0) |
                                condition_cookie(exit, cost));
      }
    }
    if (mode == ExitMode::kReturnProbe) {
      if (kind_ == AttachKind::kSession)
        return link(programs_.session, MultiType::kSession, entries, false);
      return link(programs_.ret, MultiType::kMulti, entries, true) &&
             link(programs_.entry, MultiType::kMulti, entries, false);
    }
    if (mode == ExitMode::kRetSites && !exits.offsets.empty() &&
        !link(programs_.exit_site, MultiType::kMulti, exits, false))
      return false;
    return link(programs_.entry_plain, MultiType::kMulti, entries, false);
  }

  const plan::Way& way(size_t operation) const { return plan::way_of(plan_, *states_, operation); }

  ExitMode exit_of(size_t operation) const {
    return see_ == plan::See::kCalls ? way(operation).exit : ExitMode::kEntryOnly;
  }

  bool link(int program, MultiType type, const Places& places, bool at_return) {
    if (kind_ == AttachKind::kPerSymbol)
      return link_per_symbol(program, path_, places, at_return, thread_, out_->links_);
    Fd fd = link_multi(program, type, path_, places, at_return, thread_);
    if (!fd.valid()) return false;
    out_->links_.push_back(std::move(fd));
    return true;
  }

  const plan::Plan& plan_;
  const plan::OperationStates* states_;  // null: transfers are watched
  AttachKind kind_;
  ProbePrograms programs_;
  const plan::Costs* costs_;  // likewise
  plan::See see_;
  std::string path_;
  pid_t thread_;  // by which the kernel is to know the process of the scope; 0: all processes
  std::unique_ptr<Attachment> out_;
};

Attachment::~Attachment() {
  take_away([] {});
}

// Each close waits for the kernel to be sure that no handler runs any more: 30 to 100 ms. For links
// of many places at the same time; for those of one, which are perf events, one after the other:
// the kernel waits with the lock of all events held (6.18: of 50, closed by 1, 16 or 64 threads,
// each took 80 ms).
void Attachment::take_away(const std::function<void()>& step_done) {
  constexpr size_t kTogether = 16;  // threads
  in_parallel(links_.size(), kTogether, [&](size_t i) {
    links_[i].reset();
    step_done();
  });
  links_.clear();
}

Result<std::unique_ptr<Attachment>> Attachment::attach(
    const plan::Plan& plan, const plan::OperationStates& states, engine::Scope scope,
    AttachKind kind, const ProbePrograms& programs, const plan::Costs& costs,
    std::span<const size_t> operations, plan::See see) {
  return Attacher(plan, &states, scope, kind, programs, &costs, see).run(operations);
}

Result<std::unique_ptr<Attachment>> Attachment::watch(const plan::Plan& plan, engine::Scope scope,
                                                      AttachKind kind,
                                                      const ProbePrograms& programs,
                                                      std::span<const size_t> transfers) {
  return Attacher(plan, nullptr, scope, kind, programs, nullptr).watch(transfers);
}

}  // namespace compmond::uprobe
