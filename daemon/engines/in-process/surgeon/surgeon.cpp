// SPDX-License-Identifier: Apache-2.0
#include "surgeon/surgeon.h"

#include <poll.h>
#include <unistd.h>

#include <utility>

#include "guard/child.h"
#include "guard/confine.h"
#include "surgeon/theatre.h"
#include "surgery/stopped_threads.h"

namespace compmond::inprocess {
namespace {

// For something to receive. Threads that stop late are let go meanwhile.
void wait_for(const Fd& channel) {
  constexpr int kOftenMs = 5;
  pollfd readable{channel.get(), POLLIN, 0};
  while (::poll(&readable, 1, StoppedThreads::let_late_ones_go() ? kOftenMs : -1) == 0) {
  }
}

[[noreturn]] void serve(const Fd& channel) {
  guard::become_helper("compmond-surgeon");
  may_go_first();
  if (!guard::confine_surgeon(channel).empty()) ::_exit(1);
  Theatre theatre;
  for (std::string message; wait_for(channel), guard::receive(channel, message);) {
    Request request;
    ByteReader reader(message);
    reader(request);
    if (!reader.at_end()) break;
    Fd file;
    const Reply reply = theatre.answer(request, file);
    ByteWriter writer;
    writer(reply);
    if (!guard::send(channel, guard::Message::kResult, writer.take())) break;
    if (reply.file && !guard::send_file(channel, file)) break;
  }
  (void)theatre.close();  // also where compmond was killed
  ::_exit(0);
}

std::string text_of(const Request& request) {
  ByteWriter writer;
  writer(request);
  return writer.take();
}

}  // namespace

Result<std::unique_ptr<Surgeon>> Surgeon::start() {
  auto child = guard::start_child("cannot start a process that patches others",
                                  [](const Fd& channel) { serve(channel); });
  if (!child) return Unexpected(child.error());
  return std::unique_ptr<Surgeon>(new Surgeon(std::move(*child)));
}

namespace {

Request about(Ask what, pid_t pid) {
  return {.what = what, .pid = pid, .functions = {}, .numbers = {}};
}

Result<Reply> reply_to(const Fd& channel, const Request& request) {
  std::string answer;
  Reply out;
  if (guard::send(channel, guard::Message::kStep, text_of(request)) &&
      guard::receive(channel, answer)) {
    ByteReader reader(answer);
    reader(out);
    if (reader.at_end()) {
      if (auto done = guard::unpacked(out.failure); !done) return Unexpected(done.error());
      return out;
    }
  }
  return fail(Exit::kUnavailable, "the process that patches others is gone", "");
}

}  // namespace

Result<Surgeon::Opened> Surgeon::open(pid_t pid) {
  const std::lock_guard lock(mutex_);
  auto reply = reply_to(child_.channel(), about(Ask::kOpen, pid));
  if (!reply) return Unexpected(reply.error());
  if (!reply->file) return Opened();
  Fd out = guard::receive_file(child_.channel());
  if (out.valid()) return Opened{std::move(out), reply->layout};
  (void)reply_to(child_.channel(), about(Ask::kLeave, pid));
  return fail(Exit::kUnavailable, fmt::format("what process {} shares is not at hand", pid),
              "no more files can be open");
}

Result<Surgeon::Patched> Surgeon::patch(pid_t pid, std::span<const Patient::Function> functions) {
  const std::lock_guard lock(mutex_);
  auto reply = reply_to(child_.channel(), {.what = Ask::kPatch,
                                           .pid = pid,
                                           .functions = {functions.begin(), functions.end()},
                                           .numbers = {}});
  if (!reply) return Unexpected(reply.error());
  return Patched{std::move(reply->refused), std::move(reply->moved), reply->changed};
}

bool Surgeon::lives() const {
  pollfd hung_up{child_.channel().get(), 0, 0};
  return ::poll(&hung_up, 1, 0) == 0;
}

void Surgeon::leave(pid_t pid) {
  const std::lock_guard lock(mutex_);
  (void)reply_to(child_.channel(), about(Ask::kLeave, pid));
}

std::vector<Left> Surgeon::close() {
  const std::lock_guard lock(mutex_);
  auto reply = reply_to(child_.channel(), about(Ask::kClose, 0));
  return reply ? std::move(reply->left) : std::vector<Left>();
}

Result<void> Surgeon::put_back(pid_t pid, std::span<const uint32_t> functions) {
  const std::lock_guard lock(mutex_);
  auto reply = reply_to(child_.channel(), {.what = Ask::kPutBack,
                                           .pid = pid,
                                           .functions = {},
                                           .numbers = {functions.begin(), functions.end()}});
  if (!reply) return Unexpected(reply.error());
  return {};
}

}  // namespace compmond::inprocess
