// SPDX-License-Identifier: Apache-2.0
#include "guard/file_writer.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <utility>

#include "base/fresh_file.h"
#include "base/safe_file.h"
#include "core/byte_stream.h"
#include "guard/rights.h"

namespace compmond::guard {
namespace {

constexpr size_t kFileBytes =
    size_t(1)
    << 30;  // a snapshot of kOperationsMany has some 100 MB, a flight recording less than 200

// One message of either direction; empty at the end of the other side.
bool receive(const Fd& channel, std::string& payload) {
  std::string head;
  while (head.size() < sizeof(Header))
    if (!receive_some(channel, head, sizeof(Header) - head.size(), -1)) return false;
  Header header;
  std::memcpy(&header, head.data(), sizeof header);
  payload.clear();
  while (payload.size() < header.size)
    if (!receive_some(channel, payload, header.size - payload.size(), -1)) return false;
  return true;
}

std::string packed(const Result<void>& done) {
  ByteWriter writer;
  const Error error = done ? Error{Exit::kOk, {}, {}, {}} : done.error();
  writer(error.code, error.what, error.why, error.next);
  return writer.take();
}

Result<void> unpacked(const std::string& bytes) {
  ByteReader reader(bytes);
  Error error;
  reader(error.code, error.what, error.why, error.next);
  if (error.code == Exit::kOk) return {};
  return Unexpected(error);
}

[[noreturn]] void serve(const Fd& channel, const std::string& path) {
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);  // it ends with compmond, not at a Ctrl-C
  if (channel.get() > 0) ::close_range(0, unsigned(channel.get()) - 1, 0);
  ::close_range(unsigned(channel.get()) + 1, ~0u, 0);
  ::prctl(PR_SET_NAME, "compmond-writer", 0, 0, 0);
  Needs needs;
  needs.probes = false;
  needs.any_file = true;
  const auto confined = give_up_rights(needs);
  for (std::string data; receive(channel, data);)
    if (!send(channel, Message::kResult,
              packed(confined ? write_file_whole(path, data) : confined)))
      break;
  ::_exit(0);
}

}  // namespace

Result<FileWriter> FileWriter::start(const std::string& path) {
  if (auto possible = FreshFile::create(path); !possible)  // gone again at once
    return Unexpected(std::move(possible.error()));
  auto child = start_child(fmt::format("cannot start a process that writes '{}'", path),
                           [&](const Fd& channel) { serve(channel, path); });
  if (!child) return Unexpected(std::move(child.error()));
  return FileWriter(std::move(*child));
}

Result<void> FileWriter::write(std::string_view data) {
  if (data.size() > kFileBytes)
    return fail(Exit::kCantCreate, "cannot write a file", "it is larger than 1 GiB");
  std::string reply;
  if (!send(writer_.channel(), Message::kResult, data) || !receive(writer_.channel(), reply))
    return fail(Exit::kCantCreate, "cannot write a file", "the process that writes it is gone",
                "Start compmond again.");
  return unpacked(reply);
}

}  // namespace compmond::guard
