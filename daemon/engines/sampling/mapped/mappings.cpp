// SPDX-License-Identifier: Apache-2.0
#include "mapped_code/mappings.h"

#include "target/proc_text.h"

namespace compmond::sampler {
namespace {

constexpr uint64_t kUserEnd = 0x7fffffffe000;  // above it the kernel maps code for programs
// What a process executes is told some µs before that it is observed.
constexpr uint64_t kCandidateNs = 1'000'000'000;
constexpr size_t kMaxCandidateCode = 4096;  // of one process; a program has tens

target::Mapping as_mapping(const CodeMapped& what) {
  target::Mapping out{.start = what.start,
                      .end = what.end,
                      .offset = what.offset,
                      .executable = true,
                      .device = what.device,
                      .inode = what.inode,
                      .path = what.path};
  out.deleted = target::strip_deleted(out.path);
  return out;
}

}  // namespace

std::vector<sampling::Mapping> read_code_of(pid_t pid, Images& images) {
  std::vector<sampling::Mapping> out;
  const auto process = target::Process::watch(pid, {});
  if (!process) return out;
  const auto code = process->code_mappings();
  if (!code) return out;
  for (const target::Mapping& one : *code)
    out.push_back({one.start, one.end, one.offset, images.number_of(pid, one)});
  return out;
}

void Mappings::observe(uint32_t pid, const std::vector<sampling::Mapping>& code) {
  known_.insert(pid);
  map(pid, code);
}

void Mappings::tell_images() {
  static const Fd kNone;
  for (const sampling::Image* one : images_.take_new()) {
    unwinder_.add(*one, one->file ? *one->file : kNone);
    met_.push_back(one);
  }
}

// Where they lie in images that were met just now, the unwinder learns of these first.
void Mappings::map(uint32_t pid, const std::vector<sampling::Mapping>& code) {
  tell_images();
  for (const sampling::Mapping& one : code) {
    if (one.image == sampling::kNoImage && one.start < kUserEnd) perf_maps_.makes_code(pid);
    unwinder_.map(pid, one);
  }
}

void Mappings::name_code(uint32_t pid, uint64_t time_ns) {
  const Fd file = perf_maps_.look(pid, time_ns);
  if (!file.valid()) return;
  const auto image = images_.made_code();
  tell_images();
  unwinder_.name_code(pid, image, file);
}

void Mappings::fork(uint32_t parent, uint32_t child) {
  if (!knows(parent)) return observe(child, read_code_of(pid_t(child), images_));
  unwinder_.fork(parent, child);
  perf_maps_.fork(parent, child);
  known_.insert(child);
}

void Mappings::executed(uint32_t pid) {
  if (!known_.insert(pid).second) return;
  const auto found = candidates_.find(pid);
  if (found == candidates_.end()) return observe(pid, read_code_of(pid_t(pid), images_));
  for (const CodeMapped& one : found->second.code) map(one);
  candidates_.erase(found);
}

void Mappings::forget(uint32_t pid) {
  if (known_.erase(pid) == 0) return;
  unwinder_.forget(pid);
  perf_maps_.forget(pid);
}

bool Mappings::concerns(const SidebandEvent& event) const {
  if (const auto* mapped = std::get_if<CodeMapped>(&event.what)) return knows(mapped->pid);
  if (const auto* executed = std::get_if<Executed>(&event.what)) return knows(executed->pid);
  return false;
}

void Mappings::map(const CodeMapped& what) {
  const auto image = images_.number_of(pid_t(what.pid), as_mapping(what));
  map(what.pid, {{what.start, what.end, what.offset, image}});
}

void Mappings::apply(const SidebandEvent& event) {
  if (const auto* lost = std::get_if<SidebandLost>(&event.what)) {
    lost_ += lost->records;
  } else if (const auto* executed = std::get_if<Executed>(&event.what)) {
    if (knows(executed->pid)) {
      unwinder_.forget(executed->pid);
      perf_maps_.executed(executed->pid);
    } else if (keeps_candidates_) {
      candidates_.insert_or_assign(executed->pid, Candidate{event.time_ns, {}});
    }
  } else if (const auto* mapped = std::get_if<CodeMapped>(&event.what)) {
    if (knows(mapped->pid)) return map(*mapped);
    const auto found = candidates_.find(mapped->pid);
    if (found != candidates_.end() && found->second.code.size() < kMaxCandidateCode)
      found->second.code.push_back(*mapped);
  }
}

void Mappings::drop_candidates(uint64_t now_ns) {
  if (now_ns < next_drop_ns_) return;
  next_drop_ns_ = now_ns + kCandidateNs;
  const uint64_t before_ns = now_ns - kCandidateNs;
  std::erase_if(candidates_, [&](const auto& one) { return one.second.since_ns < before_ns; });
}

void Mappings::read_all_again() {
  for (const uint32_t pid : known_) map(pid, read_code_of(pid_t(pid), images_));
}

}  // namespace compmond::sampler
