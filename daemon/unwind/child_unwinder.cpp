// SPDX-License-Identifier: Apache-2.0
#include "unwind/child_unwinder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/clock.h"
#include "core/limits.h"
#include "elf/debug_file.h"
#include "guard/channel.h"
#include "text/numbers.h"
#include "unwind/made_code.h"
#include "unwind/messages.h"
#include "unwind/serve.h"
#include "unwind/walked_bytes.h"

namespace compmond::unwind {
namespace {

using sampling::Walked;

constexpr size_t kOutboxBytes = 64u << 10;
constexpr uint64_t kHeapBytes = uint64_t(2) << 30;  // symbols, rows and perf maps; a row of a
                                                    // hostile file may want any
constexpr int kLookMs = 100;                        // between looks at its progress
constexpr int kDebugPlaces = 64;  // where one file's debug file may be looked for, by all children
constexpr int kReports = 2 * ChildUnwinder::kChildren;  // of a perf map: lines left out, and cut

Walked broken(const sampling::RawSample& sample) {
  Walked out;
  out.frames.push_back({sampling::kNoImage, sample.head->registers[CM_REGISTERS - 1]});
  return out;
}

}  // namespace

Result<ChildUnwinder> ChildUnwinder::start(const Serve& serve, const Patience& patience) {
  auto desk = Desk::make();
  if (!desk) return Unexpected(std::move(desk.error()));
  guard::ConfinedLimits limits;
  limits.cpu_seconds = guard::ConfinedLimits::kEndless;
  limits.heap_bytes = kHeapBytes;
  auto zygote = guard::Zygote::start(
      "compmond-unwind", [&](const Fd& channel) { serve(channel, *desk); }, limits);
  if (!zygote) return Unexpected(std::move(zygote.error()));
  ChildUnwinder out(std::move(*zygote), std::move(*desk), patience);
  (void)out.begin_child();
  if (!out.usable())
    return fail(Exit::kUnavailable, "cannot unwind stacks", "its process cannot be started");
  return out;
}

// Returns how the child before ended.
std::string ChildUnwinder::begin_child() {
  auto made = zygote_.next();
  channel_ = std::move(made.channel);
  listens_ = true;
  return made.before;
}

void ChildUnwinder::add(const sampling::Image& image, const Fd& file) {
  if (image.number >= limits::kImages) return;
  const auto [it, fresh] = files_.try_emplace(image.number);
  if (!fresh) return;
  it->second.path = image.path;
  if (file.valid()) it->second.fd.reset(::fcntl(file.get(), F_DUPFD_CLOEXEC, 0));
  if (file.valid() && !it->second.fd.valid())
    notes_.push_back(fmt::format("stacks end in {}: {}", image.path, std::strerror(errno)));
  tell_file(image.number, it->second);
}

void ChildUnwinder::name_code(uint32_t pid, sampling::ImageNumber image, const Fd& perf_map) {
  auto file = std::make_shared<PerfMapFile>();
  file->image = image;
  if (perf_map.valid()) file->fd.reset(::fcntl(perf_map.get(), F_DUPFD_CLOEXEC, 0));
  tell_perf_map(pid, *file);
  perf_maps_[pid] = std::move(file);
}

void ChildUnwinder::map(uint32_t pid, const sampling::Mapping& mapping) {
  if (!spaces_.map(pid, mapping) && !std::exchange(too_many_mappings_, true))
    notes_.push_back(
        fmt::format("process {} has mapped code more often than the {} times that are kept of a "
                    "process, or the {} of all: stacks end in what came later",
                    pid, text::count(limits::kMappings), text::count(limits::kMappingsAll)));
  tell(packed(Kind::kMap, pid, mapping.start, mapping.end, mapping.offset, mapping.image));
}

void ChildUnwinder::fork(uint32_t parent, uint32_t child) {
  spaces_.fork(parent, child);
  if (const auto from = perf_maps_.find(parent); from != perf_maps_.end())
    perf_maps_.insert_or_assign(child, std::shared_ptr(from->second));
  tell(packed(Kind::kFork, parent, child));
}

void ChildUnwinder::forget(uint32_t pid) {
  spaces_.forget(pid);
  perf_maps_.erase(pid);
  tell(packed(Kind::kForget, pid));
}

std::vector<std::string> ChildUnwinder::take_notes() { return std::exchange(notes_, {}); }

// A child that cannot be told is noticed when it is asked.
void ChildUnwinder::tell(const std::string& message) {
  if (!usable()) return;
  outbox_ += message;
  if (outbox_.size() >= kOutboxBytes) (void)flush();
}

bool ChildUnwinder::flush() {
  const std::string bytes = std::exchange(outbox_, {});
  listens_ = listens_ && guard::send_bytes(channel_, bytes, monotonic_ns() + patience_.still_ns);
  return listens_;
}

// With what was told before.
void ChildUnwinder::hand_over(const Fd& file) {
  if (usable() && flush())
    listens_ = guard::send_file(channel_, file, monotonic_ns() + patience_.still_ns);
}

void ChildUnwinder::tell_file(sampling::ImageNumber number, const File& file) {
  const bool rows = file.trust == Trust::kRows;
  tell(packed(Kind::kImage, number, file.path, uint8_t(rows)));
  const Fd none;
  hand_over(file.trust == Trust::kNothing ? none : file.fd);
}

// Places that children before it gave are not given again.
void ChildUnwinder::tell_perf_map(uint32_t pid, const PerfMapFile& file) {
  tell(packed(Kind::kNames, pid, file.image, kFirstMadePlace * uint64_t(lost_ + 1)));
  hand_over(file.fd);
}

void ChildUnwinder::tell_all() {
  outbox_.clear();
  for (const auto& [number, file] : files_) tell_file(number, file);
  for (const auto& [pid, file] : perf_maps_) tell_perf_map(pid, *file);
  for (const auto& [pid, space] : spaces_.all())
    for (const sampling::Mapping& m : space->mappings())
      tell(packed(Kind::kMap, pid, m.start, m.end, m.offset, m.image));
}

bool ChildUnwinder::ask(size_t count) {
  outbox_ += packed(Kind::kWalk, uint32_t(count));
  return flush() && read_answer(count);
}

bool ChildUnwinder::read_answer(size_t count) {
  const uint64_t end_ns = monotonic_ns() + patience_.request_ns;
  for (;;) {
    if (!read_message(count * kWalkedBytes, end_ns)) return false;
    Head head;
    std::memcpy(&head, inbox_.data(), sizeof head);
    if (head.kind == Kind::kWalked) break;
    if (head.kind == Kind::kOpen ? !open_debug_file()
                                 : head.kind != Kind::kLeftOut || !take_report())
      return false;
  }
  walked_.resize(count);
  return read_walked(std::string_view(inbox_).substr(sizeof(Head)), walked_);
}

// The next one alone, head and all.
bool ChildUnwinder::read_message(size_t most_bytes, uint64_t end_ns) {
  inbox_.clear();
  if (!fill(sizeof(Head), end_ns)) return false;
  Head head;
  std::memcpy(&head, inbox_.data(), sizeof head);
  return head.size <= most_bytes && fill(sizeof head + head.size, end_ns);
}

// Answers what lies in the inbox: what the child asks for is as untrusted as what it reads. False
// when it is not worth another look.
bool ChildUnwinder::open_debug_file() {
  sampling::ImageNumber number = 0;
  std::string path;
  ByteReader reader(std::string_view(inbox_).substr(sizeof(Head)));
  reader(number, path);
  const auto file = files_.find(number);
  if (!reader.at_end() || file == files_.end() || ++file->second.debug_files > kDebugPlaces)
    return false;
  const bool by_id =
      elf::is_debug_place(path, {});  // whose root its path is below is not known here
  // One that waits for its answer has room for it.
  return guard::send_file(channel_, by_id ? elf::open_below_root({}, path) : Fd(), 0);
}

// Likewise.
bool ChildUnwinder::take_report() {
  MadeCode::Report report;
  uint8_t cut = 0;
  ByteReader reader(std::string_view(inbox_).substr(sizeof(Head)));
  reader(report.pid, report.lines, report.skipped, cut);
  const auto file = perf_maps_.find(report.pid);
  if (!reader.at_end() || file == perf_maps_.end() || ++file->second->reports > kReports)
    return false;
  const std::string of = fmt::format("the perf map of process {}", report.pid);
  if (report.skipped > 0)
    notes_.push_back(fmt::format("{}: {} of its first {} lines name no code and are left out", of,
                                 report.skipped, report.lines));
  if (cut != 0)
    notes_.push_back(fmt::format("{} is too long: code that it tells behind line {} has no name",
                                 of, report.lines));
  return true;
}

// Waits for as long as the child gets on, until `end_ns`.
bool ChildUnwinder::fill(size_t size, uint64_t end_ns) {
  uint64_t steps = desk_.progress().steps, since = monotonic_ns();
  while (inbox_.size() < size) {
    const uint64_t now = monotonic_ns(), steps_now = desk_.progress().steps;
    if (steps_now != std::exchange(steps, steps_now)) since = now;
    if (now - since > patience_.still_ns || now > end_ns) return false;
    pollfd entry{channel_.get(), POLLIN, 0};
    if (::poll(&entry, 1, kLookMs) > 0 &&
        !guard::receive_some(channel_, inbox_, size - inbox_.size(), 0))
      return false;
  }
  return true;
}

// The file that the child was reading, from which less is read then; empty: there is none to blame.
std::string ChildUnwinder::blame() {
  const uint32_t at = desk_.progress().image;
  if (const auto file = perf_maps_.find(at & ~kPerfMapOf); (at & kPerfMapOf) != 0) {
    if (file == perf_maps_.end() || !file->second->fd.valid()) return {};
    file->second->fd.reset();
    return fmt::format("the perf map of process {}", file->first);
  }
  const auto file = files_.find(at);
  if (file == files_.end() || file->second.trust == Trust::kNothing) return {};
  file->second.trust = file->second.trust == Trust::kRows ? Trust::kSegments : Trust::kNothing;
  return file->second.path;
}

// Goes on with another child. True when a file is to blame.
bool ChildUnwinder::lose_child() {
  const std::string blamed = blame();
  const std::string how = begin_child();
  notes_.push_back(fmt::format("the process that unwinds stacks {}{}{}",
                               how.empty() ? "is gone" : how,
                               blamed.empty() ? "" : " while it read ", blamed));
  if (++lost_ >= kChildren) {
    channel_.reset();
    notes_.push_back("stacks are not unwound any more: too many such processes were lost");
  }
  tell_all();
  return !blamed.empty();
}

void ChildUnwinder::walk(std::span<const sampling::RawSample> samples,
                         const std::function<void(size_t index, const Walked& walked)>& take) {
  size_t cannot = samples.size();  // the first that cannot be unwound, nobody knows why
  for (size_t first = 0; first < samples.size();) {
    if (!usable() || first == cannot) {
      take(first, broken(samples[first]));
      if (first++ == cannot) cannot = samples.size();
      continue;
    }
    const size_t count = desk_.lay(samples.subspan(first, cannot - first));
    if (ask(count)) {
      for (size_t i = 0; i < count; ++i) take(first + i, walked_[i]);
      first += count;
    } else {
      const size_t done = std::min<size_t>(desk_.progress().samples, count - 1);
      if (!lose_child()) cannot = first + done;
    }
    desk_.wipe();
  }
}

}  // namespace compmond::unwind
