// SPDX-License-Identifier: Apache-2.0
#include "mapped_code/opener.h"

#include <unistd.h>

#include <cstring>

#include "core/byte_stream.h"
#include "guard/child.h"
#include "guard/confine.h"
#include "mapped_code/images.h"
#include "mapped_code/perf_maps.h"

namespace compmond::sampler {
namespace {

struct Request {
  bool perf_map = false;
  pid_t pid = 0;
  target::Mapping mapping;  // else
};

template <class Archive, class R>
requires std::is_same_v<std::remove_const_t<R>, Request>
void fields(Archive& archive, R& r) {
  archive(r.perf_map, r.pid, r.mapping.start, r.mapping.end, r.mapping.offset, r.mapping.executable,
          r.mapping.device, r.mapping.inode, r.mapping.path, r.mapping.deleted);
}

std::string bytes_of(const Request& request) {
  ByteWriter writer;
  writer(request);
  return writer.take();
}

Result<Fd> only_elf(Result<Fd> file, const std::string& path) {
  if (!file) return file;
  char magic[4] = {};
  if (::pread(file->get(), magic, sizeof magic, 0) == sizeof magic &&
      std::memcmp(magic,
                  "\x7f"
                  "ELF",
                  sizeof magic) == 0)
    return file;
  return fail(Exit::kData, fmt::format("cannot open '{}'", path), "it is no ELF file");
}

Result<Fd> open_wanted(const Request& wanted, const Fd& tmp) {
  if (wanted.perf_map) return PerfMaps::open_perf_map_of(wanted.pid, tmp);
  return only_elf(open_mapped_file(wanted.pid, wanted.mapping), wanted.mapping.path);
}

[[noreturn]] void serve(const Fd& channel) {
  guard::become_helper("compmond-open");
  if (!guard::confine_opener(channel).empty()) ::_exit(1);
  for (std::string bytes; guard::receive(channel, bytes);) {
    const Fd tmp = guard::receive_file(channel);
    Request wanted;
    ByteReader reader(bytes);
    reader(wanted);
    auto file = reader.at_end() ? open_wanted(wanted, tmp) : Result<Fd>(Fd());
    Result<void> done;
    Fd none;
    if (!file) done = Unexpected(file.error());
    if (!guard::send(channel, guard::Message::kResult, guard::packed(done)) ||
        !guard::send_file(channel, file ? *file : none))
      break;
  }
  ::_exit(0);
}

}  // namespace

Result<Opener> Opener::start() {
  auto child = guard::start_child("cannot start a process that opens files", serve);
  if (!child) return Unexpected(std::move(child.error()));
  return Opener(std::move(*child));
}

Result<Fd> Opener::mapped_file(pid_t pid, const target::Mapping& mapping) {
  auto ours = open_mapped_file(pid, mapping);
  return ours ? std::move(ours) : ask(bytes_of({false, pid, mapping}), Fd());
}

Result<Fd> Opener::perf_map(pid_t pid, const Fd& tmp) {
  auto ours = PerfMaps::open_perf_map_of(pid, tmp);
  return ours ? std::move(ours) : ask(bytes_of({true, pid, {}}), tmp);
}

Result<Fd> Opener::ask(const std::string& request, const Fd& tmp) {
  const std::lock_guard lock(*mutex_);
  const Fd& channel = child_.channel();
  std::string reply;
  if (!guard::send(channel, guard::Message::kOpen, request) || !guard::send_file(channel, tmp) ||
      !guard::receive(channel, reply))
    return fail(Exit::kUnavailable, "cannot open a file", "the process that opens files is gone",
                "Start compmond again.");
  Fd file = guard::receive_file(channel);
  if (auto done = guard::unpacked(reply); !done) return Unexpected(std::move(done.error()));
  return file;
}

}  // namespace compmond::sampler
