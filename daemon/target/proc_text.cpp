// SPDX-License-Identifier: Apache-2.0
#include "target/proc_text.h"

#include <sys/sysmacros.h>

#include <array>
#include <charconv>

namespace compmond::target {
namespace {

// PF_KTHREAD and PF_FORKNOEXEC of the kernel's include/linux/sched.h
constexpr uint64_t kKernelThread = 0x00200000, kForkedOnly = 0x00000040;
constexpr std::string_view kDeleted = " (deleted)";

template <class T>
bool parse_number(std::string_view text, T& out, int base = 10) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, base);
  return error == std::errc() && end == text.data() + text.size();
}

// The text up to `separator`, taken off the front of `rest`.
std::string_view next(std::string_view& rest, char separator) {
  const size_t end = rest.find(separator);
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  return word;
}

// The kernel writes newlines in paths as \012, and nothing else.
std::string unescape(std::string_view path) {
  std::string out;
  for (size_t i = 0; i < path.size(); ++i) {
    if (path.substr(i, 4) == "\\012") {
      out += '\n';
      i += 3;
    } else {
      out += path[i];
    }
  }
  return out;
}

}  // namespace

bool Stat::is_kernel_thread() const { return (flags & kKernelThread) != 0; }

bool Stat::began_by_fork() const { return (flags & kForkedOnly) != 0; }

std::optional<Stat> parse_stat(std::string_view text) {
  const size_t open = text.find('('), close = text.rfind(')');
  if (open == text.npos || close == text.npos || close < open || close + 2 > text.size())
    return std::nullopt;
  Stat stat;
  stat.name = text.substr(open + 1, close - open - 1);
  std::string_view rest = text.substr(close + 2);
  // Fields are numbered as in proc(5); the state is the third.
  std::array<std::string_view, 23> fields;
  for (size_t i = 3; i < fields.size(); ++i) fields[i] = next(rest, ' ');
  if (fields[3].size() != 1) return std::nullopt;
  stat.state = fields[3][0];
  if (!parse_number(fields[4], stat.parent) || !parse_number(fields[9], stat.flags) ||
      !parse_number(fields[22], stat.start_ticks))
    return std::nullopt;
  return stat;
}

namespace {

// What stands behind `key` in its line.
std::optional<std::string_view> value_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    std::string_view line = next(text, '\n');
    if (next(line, '\t') == key) return line;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Identity> parse_identity(std::string_view status) {
  Identity out;
  auto users = value_of(status, "Uid:"), pids = value_of(status, "NSpid:");
  if (!users || !pids) return std::nullopt;
  (void)next(*users, '\t');  // the real one
  if (!parse_number(next(*users, '\t'), out.user)) return std::nullopt;
  for (out.namespaces = 0; !pids->empty(); ++out.namespaces)
    if (!parse_number(next(*pids, '\t'), out.own_pid)) return std::nullopt;
  return out.namespaces > 0 ? std::optional(out) : std::nullopt;
}

pid_t parse_tracer(std::string_view status) {
  pid_t out = 0;
  const auto pid = value_of(status, "TracerPid:");
  return pid && parse_number(*pid, out) ? out : 0;
}

int parse_seccomp(std::string_view status) {
  int out = 0;
  const auto mode = value_of(status, "Seccomp:");
  return mode && parse_number(*mode, out) ? out : 0;
}

bool handles_signal(std::string_view status, int signal) {
  uint64_t caught = 0;
  const auto mask = value_of(status, "SigCgt:");
  return mask && parse_number(*mask, caught, 16) && (caught >> (signal - 1) & 1) != 0;
}

bool strip_deleted(std::string& path) {
  if (!path.ends_with(kDeleted)) return false;
  path.resize(path.size() - kDeleted.size());
  return true;
}

namespace {

std::optional<Mapping> parse_any_mapping(std::string_view line) {
  Mapping mapping;
  std::string_view rest = line;
  const bool range = parse_number(next(rest, '-'), mapping.start, 16) &&
                     parse_number(next(rest, ' '), mapping.end, 16);
  const std::string_view rights = next(rest, ' ');
  unsigned major = 0, minor = 0;
  if (!range || rights.size() != 4 || !parse_number(next(rest, ' '), mapping.offset, 16) ||
      !parse_number(next(rest, ':'), major, 16) || !parse_number(next(rest, ' '), minor, 16) ||
      !parse_number(next(rest, ' '), mapping.inode))
    return std::nullopt;
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  mapping.executable = rights[2] == 'x';
  mapping.writable = rights[1] == 'w';
  mapping.device = makedev(major, minor);
  mapping.path = unescape(rest);
  mapping.deleted = strip_deleted(mapping.path);
  return mapping;
}

bool maps_file(const Mapping& mapping) {
  return mapping.inode != 0 && mapping.path.starts_with('/');
}

}  // namespace

std::optional<Mapping> parse_mapping(std::string_view line) {
  auto mapping = parse_any_mapping(line);
  if (mapping && !maps_file(*mapping)) mapping.reset();
  return mapping;
}

bool maps_shared(std::string_view line) {
  next(line, ' ');
  return next(line, ' ').ends_with('s');
}

std::vector<Mapping> parse_maps(std::string_view text) {
  std::vector<Mapping> mappings;
  while (!text.empty())
    if (auto mapping = parse_mapping(next(text, '\n'))) mappings.push_back(std::move(*mapping));
  return mappings;
}

std::vector<Mapping> parse_code_maps(std::string_view text) {
  std::vector<Mapping> mappings;
  while (!text.empty()) {
    auto mapping = parse_any_mapping(next(text, '\n'));
    if (!mapping || !mapping->executable) continue;
    if (!maps_file(*mapping)) mapping->inode = 0;
    mappings.push_back(std::move(*mapping));
  }
  return mappings;
}

}  // namespace compmond::target
