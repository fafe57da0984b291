// SPDX-License-Identifier: Apache-2.0
#include "guard/zygote.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "guard/channel.h"
#include "guard/child.h"
#include "guard/confine.h"

namespace compmond::guard {
namespace {

constexpr int kNone = -1;  // instead of a status: there was no child

void block_all_signals() {
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
}

// A terminal tells its whole group: that is for compmond to heed, which ends its children.
void block_signals_of_terminals() {
  sigset_t some;
  ::sigemptyset(&some);
  for (const int signal : {SIGINT, SIGQUIT, SIGHUP, SIGTSTP}) ::sigaddset(&some, signal);
  ::sigprocmask(SIG_SETMASK, &some, nullptr);
}

int end(pid_t child) {
  if (child <= 0) return kNone;
  ::kill(child, SIGKILL);  // changes nothing for one that has ended
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

[[noreturn]] void be_child(const Fd& channel, const Zygote::Serve& serve,
                           const ConfinedLimits& limits) {
  block_signals_of_terminals();
  if (confine_self(channel, {}, limits).empty()) serve(channel);
  ::_exit(0);
}

[[noreturn]] void make_children(const Fd& channel, const std::string& name,
                                const Zygote::Serve& serve, const ConfinedLimits& limits) {
  block_all_signals();  // it ends with compmond
  ::prctl(PR_SET_NAME, name.c_str(), 0, 0, 0);
  if (!confine_maker(channel).empty()) ::_exit(1);
  pid_t child = 0;
  for (std::string request; receive_some(channel, request, 1, -1); request.clear()) {
    const int status = end(std::exchange(child, 0));
    auto made = start_child(name, [&](const Fd& childs) { be_child(childs, serve, limits); });
    const std::string reply(reinterpret_cast<const char*>(&status), sizeof status);
    const Fd none;
    if (!send(channel, Message::kResult, reply) || !send_file(channel, made ? made->channel : none))
      break;
    if (made) child = made->pid;
  }
  end(child);
  ::_exit(0);
}

}  // namespace

Result<Zygote> Zygote::start(const std::string& name, const Serve& serve,
                             const ConfinedLimits& limits) {
  auto child = start_child("cannot start " + name,
                           [&](const Fd& channel) { make_children(channel, name, serve, limits); });
  if (!child) return Unexpected(std::move(child.error()));
  return Zygote(child->pid, std::move(child->channel));
}

Zygote::Zygote(Zygote&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)), channel_(std::move(other.channel_)) {}

Zygote& Zygote::operator=(Zygote&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(channel_, other.channel_);
  return *this;
}

Zygote::~Zygote() {
  if (pid_ == 0) return;
  channel_.reset();
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Zygote::Made Zygote::next() {
  Made out;
  const char request = 0;
  std::string reply;
  if (::send(channel_.get(), &request, 1, MSG_NOSIGNAL) != 1) return out;
  constexpr size_t kReply = sizeof(Header) + sizeof(int);
  while (reply.size() < kReply)
    if (!receive_some(channel_, reply, kReply - reply.size(), -1)) return out;
  int status = kNone;
  std::memcpy(&status, reply.data() + sizeof(Header), sizeof status);
  if (status != kNone) out.before = ending_of(status);
  out.channel = receive_file(channel_);
  return out;
}

}  // namespace compmond::guard
