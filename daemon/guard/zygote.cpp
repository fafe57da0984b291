// SPDX-License-Identifier: Apache-2.0
#include "guard/zygote.h"

#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "guard/child.h"
#include "guard/confine.h"

namespace compmond::guard {
namespace {

constexpr int kNone = -1;                       // instead of a status: there was no child
constexpr uint64_t kAnswerNs = 10'000'000'000;  // for ending one child and forking another

// A terminal tells its whole group: that is for compmond to heed, which ends its children.
void block_signals_of_terminals() {
  sigset_t some;
  ::sigemptyset(&some);
  for (const int signal : {SIGINT, SIGQUIT, SIGHUP, SIGTSTP}) ::sigaddset(&some, signal);
  ::sigprocmask(SIG_SETMASK, &some, nullptr);
}

[[noreturn]] void be_child(const Fd& channel, const Zygote::Serve& serve,
                           const ConfinedLimits& limits) {
  block_signals_of_terminals();
  if (confine_self(channel, {}, limits).empty()) serve(channel);
  ::_exit(0);
}

[[noreturn]] void make_children(const Fd& channel, const std::string& name,
                                const Zygote::Serve& serve, const ConfinedLimits& limits) {
  become_helper(name.c_str());
  if (!confine_maker(channel).empty()) ::_exit(1);
  std::optional<Child> child;
  for (std::string request; receive_some(channel, request, 1, -1); request.clear()) {
    const int status = child ? child->kill() : kNone;
    child.reset();
    auto made = start_child(name, [&](const Fd& childs) { be_child(childs, serve, limits); });
    const std::string reply(reinterpret_cast<const char*>(&status), sizeof status);
    const Fd none;
    if (!send(channel, Message::kResult, reply) ||
        !send_file(channel, made ? made->channel() : none))
      break;
    if (made) child.emplace(std::move(*made));
  }
  if (child) child->kill();
  ::_exit(0);
}

}  // namespace

Result<Zygote> Zygote::start(const std::string& name, const Serve& serve,
                             const ConfinedLimits& limits) {
  auto child = start_child("cannot start " + name,
                           [&](const Fd& channel) { make_children(channel, name, serve, limits); });
  if (!child) return Unexpected(std::move(child.error()));
  return Zygote(std::move(*child));
}

Zygote::Made Zygote::next() {
  Made out;
  const uint64_t end_ns = monotonic_ns() + kAnswerNs;
  constexpr size_t kReply = sizeof(Header) + sizeof(int);
  std::string reply;
  lost_ = lost_ || !send_bytes(maker_.channel(), std::string_view("", 1), end_ns);
  while (!lost_ && reply.size() < kReply)
    lost_ = !receive_some_until(maker_.channel(), reply, kReply - reply.size(), end_ns);
  if (lost_) return out;  // what it says later would answer another question
  int status = kNone;
  std::memcpy(&status, reply.data() + sizeof(Header), sizeof status);
  if (status != kNone) out.before = ending_of(status);
  out.channel = receive_file(maker_.channel(), end_ns);
  lost_ = !out.channel.valid();
  return out;
}

}  // namespace compmond::guard
