// SPDX-License-Identifier: Apache-2.0
#include "guard/confined.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <new>
#include <optional>

#include "base/clock.h"
#include "guard/channel.h"
#include "guard/child.h"
#include "guard/confine.h"
#include "guard/stop_watch.h"

namespace compmond::guard {
namespace {

constexpr size_t kRequestBytes = sizeof(uint32_t) + PATH_MAX;  // a path to be opened
constexpr size_t kReasonBytes = 4096;
constexpr uint32_t kFiles = 1u << 16;     // that one may ask for: debug files, some places for each
constexpr uint32_t kMessages = 1u << 24;  // far more than any plan has steps

uint32_t number_of(std::string_view payload) {
  uint32_t value = 0;
  std::memcpy(&value, payload.data(), std::min(payload.size(), sizeof value));
  return value;
}

std::string bytes_of(uint32_t value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

class Messenger : public Outside {
 public:
  explicit Messenger(const Fd& channel) : channel_(channel) {}
  void at(uint32_t step) override { (void)send(channel_, Message::kStep, bytes_of(step)); }
  Fd open(uint32_t where, const std::string& path) override {
    if (path.size() > PATH_MAX) return Fd();
    return send(channel_, Message::kOpen, bytes_of(where) + path) ? receive_file(channel_) : Fd();
  }

 private:
  const Fd& channel_;
};

[[noreturn]] void be_child(const Fd& channel, const std::vector<int>& files, const Work& work,
                           const ConfinedLimits& limits) {
  if (const auto why = confine_self(channel, files, limits); !why.empty()) {
    (void)send(channel, Message::kFailed, "cannot give up its rights (" + why + ")");
    ::_exit(1);
  }
  try {
    Messenger outside(channel);
    const std::string result = work(outside);
    if (result.size() > limits.result_bytes)
      (void)send(channel, Message::kFailed, "has more to tell than is taken");
    else
      (void)send(channel, Message::kResult, result);
  } catch (const std::bad_alloc&) {
    (void)send(channel, Message::kFailed,
               fmt::format("needs more than {} MiB of memory",
                           std::min(limits.memory_bytes, limits.heap_bytes) >> 20));
  }
  ::_exit(0);
}

// The parent's side of one child: takes its messages until the last one, the end, or the deadline.
class Conversation {
 public:
  Conversation(const Fd& channel, const Opener& opener, const ConfinedLimits& limits)
      : channel_(channel),
        opener_(opener),
        limits_(limits),
        end_ns_(monotonic_ns() + limits.deadline_ns) {}

  // False when the child went away, or must, without a last word.
  bool listen(Outcome& out) {
    for (;;) {
      std::string head;
      if (!fill(head, sizeof(Header))) return false;
      Header header;
      std::memcpy(&header, head.data(), sizeof header);
      const auto cap = cap_of(header.kind);
      std::string payload;
      if (!cap || header.size > *cap) {
        out.why = "sent something that is no message";
        return true;
      }
      if (!fill(payload, header.size)) return false;
      if (++messages_ > kMessages) {
        out.why = "does not come to an end";
        return true;
      }
      if (take(header.kind, std::move(payload), out)) return true;
    }
  }
  bool late() const { return monotonic_ns() >= end_ns_; }

 private:
  std::optional<size_t> cap_of(Message kind) const {
    switch (kind) {
      case Message::kStep:
        return sizeof(uint32_t);
      case Message::kOpen:
        return kRequestBytes;
      case Message::kResult:
        return limits_.result_bytes;
      case Message::kFailed:
        return kReasonBytes;
    }
    return std::nullopt;
  }

  bool fill(std::string& buffer, size_t size) {
    while (buffer.size() < size) {
      const uint64_t now = monotonic_ns();
      if (now >= end_ns_) return false;
      const int left_ms = int(std::min<uint64_t>((end_ns_ - now) / 1'000'000 + 1, INT_MAX));
      if (!receive_some(channel_, buffer, size - buffer.size(), left_ms, stop_.fd())) return false;
    }
    return true;
  }

  // True when this was the last word.
  bool take(Message kind, std::string payload, Outcome& out) {
    if (kind == Message::kStep) {
      out.step = number_of(payload);
      return false;
    }
    if (kind == Message::kOpen) {
      if (++files_ > kFiles) {
        out.why = "asked for too many files";
        return true;
      }
      const bool sound = payload.size() > sizeof(uint32_t) && payload.find('\0', 4) == payload.npos;
      const Fd file = sound ? opener_(number_of(payload), payload.substr(4)) : Fd();
      // One that waits for its answer has room for it: others are not waited for.
      if (send_file(channel_, file, 0)) return false;
      out.why = "asks and does not listen";
      return true;
    }
    out.whole = kind == Message::kResult;
    (out.whole ? out.result : out.why) = std::move(payload);
    return true;
  }

  const Fd& channel_;
  const Opener& opener_;
  const ConfinedLimits& limits_;
  uint64_t end_ns_;
  uint32_t messages_ = 0, files_ = 0;
  StopWatch stop_;
};

}  // namespace

Result<Outcome> run_confined(const std::vector<int>& files, const Work& work, const Opener& opener,
                             const ConfinedLimits& limits) {
  auto child = start_child("cannot start a process that reads files without privileges",
                           [&](const Fd& channel) { be_child(channel, files, work, limits); });
  if (!child) return Unexpected(child.error());

  Outcome out;
  Conversation conversation(child->channel(), opener, limits);
  const bool told = conversation.listen(out);
  const bool late = !told && conversation.late();
  const int status = child->kill();  // of one that is ending: how it ends is settled
  if (auto stop = told ? std::nullopt : StopWatch::wish()) return Unexpected(std::move(*stop));
  if (late)
    out.why = fmt::format("did not end within {} s", limits.deadline_ns / 1'000'000'000);
  else if (!told)
    out.why = ending_of(status);
  else if (!out.whole && out.why.empty())
    out.why = "ended without a reason";
  return out;
}

}  // namespace compmond::guard
