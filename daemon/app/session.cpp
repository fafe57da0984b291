// SPDX-License-Identifier: Apache-2.0
#include "app/session.h"

#include <algorithm>

#include "analysis/figures.h"
#include "app/snapshot_builder.h"
#include "base/clock.h"

namespace compmond::app {
namespace {

constexpr size_t kNotes = 20;  // shown in full; a fork-heavy server would add one per process

Result<void> check_anything_attached(const probe::Plan& plan) {
  if (plan.attachable() > 0) return {};
  std::string why = "the kernel refuses every operation:";
  for (const probe::PlannedOperation& op : plan.operations) why += "\n  " + op.name + ": " + op.reason;
  return fail(Exit::kUnavailable, "nothing could be attached", why, "`compmond doctor` tells what this kernel can do.");
}

}  // namespace

Session::Session(Parts parts, const AttachOptions& options) : parts_(std::move(parts)), options_(options) {}

Session::~Session() { stop(); }

Result<std::unique_ptr<Session>> Session::start(Parts parts, const AttachOptions& options) {
  std::unique_ptr<Session> session(new Session(std::move(parts), options));
  if (auto begun = session->begin(); !begun) return Unexpected(begun.error());
  return session;
}

Result<void> Session::begin() {
  capture::Kernel::Options kernel_options;
  kernel_options.kind = parts_.kind;
  kernel_options.follow_forks = options_.target.children;
  kernel_options.ring_bytes = size_t(options_.ring_mib) << 20;
  if (parts_.targets.by_exe()) {
    kernel_options.exe_inode = parts_.targets.exe_inode();
    kernel_options.exe_device = uint32_t(parts_.targets.exe_device());
  }
  auto kernel = capture::Kernel::load(kernel_options);
  if (!kernel) return Unexpected(kernel.error());
  kernel_ = std::move(*kernel);

  if (auto adopted = adopt_family(); !adopted) return adopted;
  if (auto attached = attach_images(); !attached) return attached;
  if (auto any = check_anything_attached(parts_.plan); !any) return any;

  Pipeline::Options pipeline_options;
  for (const probe::PlannedOperation& op : parts_.plan.operations) pipeline_options.component_of.push_back(op.component);
  pipeline_options.history_bytes = size_t(options_.history_mib) << 20;
  pipeline_options.switches_stacks = parts_.program->traits().switches_stacks;
  pipeline_options.start_ns = monotonic_ns();
  pipeline_ = std::make_unique<Pipeline>(*kernel_, pipeline_options);
  pipeline_->start();
  kernel_->set_recording(true);
  for (const pid_t pid : kernel_->targets()) attach_newcomer(pid);  // came before recording began: never announced
  return {};
}

// The given processes, and what they forked between being found and the moment when the kernel began to follow forks.
Result<void> Session::adopt_family() {
  for (const target::Process& process : parts_.targets.processes()) {
    if (auto added = kernel_->add_target(process.pid()); !added) return added;
    processes_.add(process.pid(), false, process.exe());
  }
  if (!options_.target.children && !parts_.targets.by_exe()) return {};
  // Again until nothing is found: one that is not followed yet may fork between being listed and being added.
  for (;;) {
    const auto found = adopt_newly_found();
    if (!found) return Unexpected(found.error());
    if (*found == 0) return {};
  }
}

Result<size_t> Session::adopt_newly_found() {
  size_t found = 0;
  const auto same = target::processes_of(parts_.targets.exe_device(), parts_.targets.exe_inode());
  for (const pid_t pid : same) {
    bool family = parts_.targets.by_exe();
    for (size_t i = 0; !family && i < parts_.targets.processes().size(); ++i) {
      const auto below = target::descendants(parts_.targets.processes()[i].pid());
      family = std::find(below.begin(), below.end(), pid) != below.end();
    }
    if (!family || kernel_->is_target(pid)) continue;
    if (auto added = kernel_->add_target(pid); !added) return Unexpected(added.error());
    processes_.add(pid, false, parts_.targets.exe());
    ++found;
  }
  return found;
}

// Strangers would be slowed by probes that are not for them.
bool Session::mapped_by_strangers(const elf::Image& image) const {
  for (const pid_t pid : target::processes_mapping(image.device(), image.inode()))
    if (!kernel_->is_target(pid)) return true;
  return false;
}

Result<void> Session::attach_images() {
  for (size_t i = 0; i < parts_.plan.images.size(); ++i) {
    const probe::PlannedImage& planned = parts_.plan.images[i];
    const bool own_program = planned.main && parts_.targets.by_exe();
    if (own_program || !mapped_by_strangers(*planned.image)) {
      if (auto done = attach({int(i), 0}); !done) return done;
      continue;
    }
    per_process_images_.push_back(int(i));
    for (const ObservedProcess& process : processes_.all()) {
      auto done = attach({int(i), process.pid});
      if (!done && done.error().code != Exit::kNoInput) return done;  // one that ended meanwhile is no error
    }
  }
  return {};
}

Result<void> Session::attach(probe::Scope scope) {
  auto attachment = probe::Attachment::attach(parts_.plan, scope, parts_.kind, kernel_->programs());
  if (!attachment) return Unexpected(attachment.error());
  for (const probe::Attachment::Refusal& refusal : attachment->refused()) {
    probe::PlannedOperation& op = parts_.plan.operations[refusal.operation];
    if (pipeline_) {  // observed in other processes all the same
      note(fmt::format("{} is not observed in process {}: {}", op.name, scope.pid, refusal.reason));
      continue;
    }
    op.refused = true;
    op.reason = refusal.reason;
  }
  attachments_.push_back(std::move(*attachment));
  return {};
}

void Session::note(std::string text) {
  if (notes_.size() < kNotes) notes_.push_back(std::move(text));
}

// A process that came later. Its probes in shared libraries hang there only from now on: say so.
void Session::attach_newcomer(pid_t pid) {
  if (!processes_.add(pid, true, parts_.targets.exe()) || per_process_images_.empty()) return;
  size_t attached = 0;
  for (const int image : per_process_images_) {
    const auto done = attach({image, pid});
    if (done)
      ++attached;
    else if (done.error().code != Exit::kNoInput)
      note(fmt::format("calls into {} of process {} are not counted: {}", parts_.plan.images[size_t(image)].path, pid,
                       done.error().text()));
  }
  if (attached > 0)
    note(fmt::format("process {} came while observing: calls into {} before its probes were placed are not counted", pid,
                     parts_.plan.images[size_t(per_process_images_[0])].path));
}

// When all known processes have ended, a fork of theirs may still be on its way to us (a daemon going to the background).
void Session::find_survivors() {
  for (const pid_t pid : kernel_->targets()) {
    const auto process = target::Process::open(pid);
    if (process)
      attach_newcomer(pid);
    else if (process.error().code == Exit::kNoInput)
      kernel_->remove_target(pid);
  }
}

void Session::service() {
  if (stopped_) return;
  for (const pid_t pid : pipeline_->take_arrivals()) attach_newcomer(pid);
  processes_.refresh();
  // Probes of ended processes hang nowhere, but hold descriptors.
  std::erase_if(attachments_, [this](const probe::Attachment& attachment) {
    return attachment.scope().pid != 0 && !processes_.alive(attachment.scope().pid);
  });
  if (!parts_.targets.by_exe() && !processes_.any_alive()) find_survivors();
}

bool Session::targets_alive() const {
  return parts_.targets.by_exe() || processes_.any_alive() || !kernel_->targets().empty();
}

snapshot::Snapshot Session::snapshot(double window_s, const std::string& metric) {
  service();
  return build_snapshot({parts_.spec, parts_.plan, parts_.costs, parts_.kind, processes_, notes_, pipeline_->store(),
                         pipeline_->checkpoint(), window_s, metric, parts_.program->build_id(), stopped_});
}

void Session::stop() {
  if (stopped_ || !pipeline_) return;
  service();
  stopped_ = true;
  kernel_->set_recording(false);
  const uint64_t end_ns = monotonic_ns();
  attachments_.clear();  // waits for handlers under way
  pipeline_->stop(end_ns);
}

}  // namespace compmond::app
