// SPDX-License-Identifier: Apache-2.0
#include "mapped_code/sideband_record.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>

#include <cstring>
#include <optional>

namespace compmond::sampler {
namespace {

// The fixed part of PERF_RECORD_MMAP2 (perf_event_open(2)); the file's name follows.
struct Mmap2 {
  uint32_t pid, tid;
  uint64_t address, length, page_offset;
  uint32_t major, minor;
  uint64_t inode, inode_generation;
  uint32_t protection, flags;
};

template <class T>
std::optional<T> read(std::span<const std::byte> from) {
  T out;
  if (from.size() < sizeof out) return std::nullopt;
  std::memcpy(&out, from.data(), sizeof out);
  return out;
}

std::string text(std::span<const std::byte> from) {
  const auto* begin = reinterpret_cast<const char*>(from.data());
  return std::string(begin, ::strnlen(begin, from.size()));
}

using What = std::optional<decltype(SidebandEvent::what)>;

What mapped(const perf_event_header& header, std::span<const std::byte> body) {
  const auto raw = read<Mmap2>(body);
  if (!raw || raw->length == 0 || raw->address + raw->length < raw->address) return std::nullopt;
  CodeMapped out{.pid = raw->pid,
                 .start = raw->address,
                 .end = raw->address + raw->length,
                 .offset = raw->page_offset,
                 .path = text(body.subspan(sizeof(Mmap2)))};
  if (!(header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID)) {
    out.device = makedev(raw->major, raw->minor);
    out.inode = raw->inode;
  }
  return out;
}

What lost(std::span<const std::byte> body) {
  struct Lost {
    uint64_t id, records;
  };
  const auto raw = read<Lost>(body);
  if (!raw) return std::nullopt;
  return SidebandLost{raw->records};
}

What executed(std::span<const std::byte> body) {
  const auto pid = read<uint32_t>(body);
  if (!pid) return std::nullopt;
  return Executed{*pid};
}

bool is_told(const perf_event_header& header) {
  return header.type == PERF_RECORD_MMAP2 || header.type == PERF_RECORD_LOST ||
         (header.type == PERF_RECORD_COMM && header.misc & PERF_RECORD_MISC_COMM_EXEC);
}

What parse(const perf_event_header& header, std::span<const std::byte> body) {
  if (header.type == PERF_RECORD_MMAP2) return mapped(header, body);
  if (header.type == PERF_RECORD_LOST) return lost(body);
  return executed(body);
}

// Most are of processes that nobody asked for, which costs no copy of a path.
bool is_skipped(const perf_event_header& header, std::span<const std::byte> body,
                const std::function<bool(uint32_t)>& wanted) {
  const auto pid = read<uint32_t>(body);
  return header.type != PERF_RECORD_LOST && pid && !wanted(*pid);
}

}  // namespace

size_t parse_sideband(std::span<const std::byte> records,
                      const std::function<bool(uint32_t)>& wanted,
                      std::vector<SidebandEvent>& out) {
  size_t malformed = 0;
  while (!records.empty()) {
    const auto header = read<perf_event_header>(records);
    if (!header || header->size < sizeof *header || header->size > records.size())
      return malformed + 1;
    auto body = records.first(header->size).subspan(sizeof *header);
    records = records.subspan(header->size);
    if (!is_told(*header) || is_skipped(*header, body, wanted)) continue;
    uint64_t time_ns = 0;
    What what;
    if (body.size() >= sizeof time_ns) {
      std::memcpy(&time_ns, body.last(sizeof time_ns).data(), sizeof time_ns);
      what = parse(*header, body.first(body.size() - sizeof time_ns));
    }
    if (what)
      out.push_back({time_ns, std::move(*what)});
    else
      ++malformed;
  }
  return malformed;
}

}  // namespace compmond::sampler
