// SPDX-License-Identifier: Apache-2.0
#include "surgeon/surgeon.h"

#include <unistd.h>

#include <utility>

#include "guard/child.h"
#include "guard/confine.h"
#include "surgeon/theatre.h"

namespace compmond::inprocess {
namespace {

[[noreturn]] void serve(const Fd& channel, const SharedLayout& layout) {
  guard::become_helper("compmond-surgeon");
  if (!guard::confine_surgeon(channel).empty()) ::_exit(1);
  Theatre theatre(layout);
  for (std::string message; guard::receive(channel, message);) {
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
  theatre.close();  // also where compmond was killed
  ::_exit(0);
}

std::string text_of(const Request& request) {
  ByteWriter writer;
  writer(request);
  return writer.take();
}

}  // namespace

Result<std::unique_ptr<Surgeon>> Surgeon::start(const SharedLayout& layout) {
  auto child = guard::start_child("cannot start a process that patches others",
                                  [&](const Fd& channel) { serve(channel, layout); });
  if (!child) return Unexpected(child.error());
  return std::unique_ptr<Surgeon>(new Surgeon(std::move(*child)));
}

namespace {

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

Result<Fd> Surgeon::open(pid_t pid) {
  const std::lock_guard lock(mutex_);
  auto reply =
      reply_to(child_.channel(), {.what = Ask::kOpen, .pid = pid, .functions = {}, .numbers = {}});
  if (!reply) return Unexpected(reply.error());
  return reply->file ? guard::receive_file(child_.channel()) : Fd();
}

Result<std::vector<Patient::Refusal>> Surgeon::patch(pid_t pid,
                                                     std::span<const Patient::Function> functions) {
  const std::lock_guard lock(mutex_);
  auto reply = reply_to(child_.channel(), {.what = Ask::kPatch,
                                           .pid = pid,
                                           .functions = {functions.begin(), functions.end()},
                                           .numbers = {}});
  if (!reply) return Unexpected(reply.error());
  return std::move(reply->refused);
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
