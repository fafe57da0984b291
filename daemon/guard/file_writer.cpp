// SPDX-License-Identifier: Apache-2.0
#include "guard/file_writer.h"

#include <unistd.h>

#include <utility>

#include "base/fresh_file.h"
#include "base/safe_file.h"
#include "guard/child.h"
#include "guard/confine.h"

namespace compmond::guard {
namespace {

constexpr size_t kFileBytes =
    size_t(1)
    << 30;  // a snapshot of kOperationsMany has some 100 MB, a flight recording less than 200

Result<void> write_at(const FilePlace& place, std::string_view data) {
  const auto done = write_file_whole(place, data);
  if (place.path_leads_here()) return done;
  return fail(Exit::kCantCreate, fmt::format("cannot write '{}'", place.path()),
              done ? "its folder was moved or exchanged since the start; the file is in the old one"
                   : "its folder was moved or removed since the start",
              "Leave the folders where they are, or start compmond again.");
}

[[noreturn]] void serve(const Fd& channel, const FilePlace& place) {
  become_helper("compmond-writer");
  const std::string unconfined = confine_writer(channel, place.folder());
  for (std::string data; receive(channel, data);) {
    const auto done =
        unconfined.empty()
            ? write_at(place, data)
            : fail(Exit::kInternal, "the process that writes files cannot give up its rights",
                   unconfined);
    if (!send(channel, Message::kResult, packed(done))) break;
  }
  ::_exit(0);
}

}  // namespace

Result<FileWriter> FileWriter::start(const std::string& path) {
  const auto place = FilePlace::open(path);
  if (!place) return Unexpected(place.error());
  if (auto possible = FreshFile::create(*place); !possible)  // gone again at once
    return Unexpected(std::move(possible.error()));
  auto child = start_child(fmt::format("cannot start a process that writes '{}'", path),
                           [&](const Fd& channel) { serve(channel, *place); });
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
