// SPDX-License-Identifier: Apache-2.0
#include "prepare/target_set.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "prepare/loader.h"

namespace compmond::prepare {
namespace {

struct FileId {
  uint64_t device = 0, inode = 0;
  auto operator<=>(const FileId&) const = default;
};

Result<FileId> file_id(const Fd& fd, const std::string& path) {
  struct stat st {};
  if (::fstat(fd.get(), &st) != 0)
    return fail_errno(Exit::kNoInput, fmt::format("cannot look at '{}'", path), errno);
  return FileId{st.st_dev, st.st_ino};
}

// As a process sees `path` whose root is the folder `root`: an absolute link leads below that, not
// to a file of the host's. "" is the root of compmond itself.
Fd place_below(const std::string& root, const std::string& path) {
  if (root.empty()) return Fd(::open(path.c_str(), O_PATH | O_CLOEXEC));
  const Fd base(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!base.valid()) return Fd();
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  Fd place(int(::syscall(SYS_openat2, base.get(), path.c_str(), &how, sizeof how)));
  return place;
}

// Looks before it opens: with a device, opening may do something.
Result<Fd> open_file(const std::string& path, const std::string& root = "") {
  const std::string what = fmt::format("cannot open '{}'", path);
  const auto cannot = [&]() -> Unexpected {
    return fail_errno(is_permission(errno) ? Exit::kNoPermission : Exit::kNoInput, what, errno,
                      "Check the path.");
  };
  const Fd place = place_below(root, path);
  struct stat st {};
  if (!place.valid() || ::fstat(place.get(), &st) != 0) return cannot();
  if (!S_ISREG(st.st_mode))
    return fail(Exit::kNoInput, what, "it is no regular file", "Check the path.");
  Fd fd(::open(fmt::format("/proc/self/fd/{}", place.get()).c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return cannot();
  return fd;
}

// As a shell finds it: what has no slash, and is no file here, in PATH.
std::string found_in_path(const std::string& name) {
  const char* const path = std::getenv("PATH");
  if (!path || name.find('/') != name.npos || ::access(name.c_str(), F_OK) == 0) return name;
  std::istringstream folders(path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = folder + "/" + name;
    struct stat st {};
    if (folder.starts_with('/') && ::access(file.c_str(), X_OK) == 0 &&
        ::stat(file.c_str(), &st) == 0 && S_ISREG(st.st_mode))
      return file;
  }
  return name;
}

std::string absolute(const std::string& path) {
  std::error_code failed;
  const auto whole = std::filesystem::canonical(path, failed);
  return failed ? path : whole.string();
}

bool names_libraries(const spec::Spec& spec) {
  return std::ranges::any_of(spec.components, [](const auto& c) { return !c.image.empty(); });
}

bool named_by(const spec::Spec& spec, const std::string& path, size_t program) {
  return std::any_of(spec.components.begin(), spec.components.end(),
                     [&](const spec::Component& component) {
                       return component.program == program && !component.image.empty() &&
                              target::image_matches(component.image, path);
                     });
}

// `fd` open, or why it is not; an error only for a file that is wanted.
Result<ImageFile> file_of(Result<Fd> fd, const std::string& path, const std::string& root,
                          bool main, bool wanted) {
  ImageFile out{nullptr, path, root, main, wanted, 0, 0, 0};
  struct stat st {};
  if (fd && ::fstat(fd->get(), &st) == 0) {
    out.device = st.st_dev;
    out.inode = st.st_ino;
    out.size = uint64_t(st.st_size);
    out.fd = std::make_shared<const Fd>(std::move(*fd));
  } else if (wanted) {
    return fd ? fail_errno(Exit::kNoInput, fmt::format("cannot look at '{}'", path), errno)
              : Unexpected(fd.error());
  }
  return out;
}

}  // namespace

// Into the last of the programs, which it may begin, or one before.
Result<void> TargetSet::add(pid_t pid, size_t program) {
  const auto known = std::ranges::find(processes_, pid, &target::Process::pid);
  if (known != processes_.end() && program_of_[size_t(known - processes_.begin())] == program)
    return {};
  auto process = target::Process::open(pid);
  if (!process) return Unexpected(process.error());
  auto exe = process->open_exe();
  if (!exe) return Unexpected(exe.error());
  const auto id = file_id(*exe, process->exe());
  if (!id) return Unexpected(id.error());
  const auto is = [&](const Program& one) {
    return one.inode == id->inode && one.device == id->device;
  };
  const std::string runs = fmt::format("process {} runs '{}'", pid, process->exe());
  if (program < programs_.size()) {
    if (!is(programs_[program]))
      return fail(Exit::kUsage, "cannot observe these processes together",
                  fmt::format("{}, process {} runs '{}'", runs, first_of(program).pid(),
                              programs_[program].exe),
                  "One spec is about processes of one program: give each program its own, as in "
                  "--spec A --pid 1 --spec B --pid 2.");
  } else {
    for (size_t other = 0; other < programs_.size(); ++other)
      if (is(programs_[other]) || programs_[other].exe == process->exe())
        return fail(
            Exit::kUsage, "cannot tell two specs apart",
            fmt::format("{}, and so does process {} of another spec", runs, first_of(other).pid()),
            "Give both processes to one spec, or observe each in a run of its own.");
    programs_.push_back({process->exe(), id->device, id->inode});
  }
  processes_.push_back(std::move(*process));
  program_of_.push_back(program);
  return {};
}

const target::Process& TargetSet::first_of(size_t program) const {
  return processes_[size_t(std::ranges::find(program_of_, program) - program_of_.begin())];
}

void TargetSet::add_children(const std::vector<pid_t>& of) {
  std::map<pid_t, size_t> programs;
  for (size_t program = 0; program < programs_.size(); ++program)
    for (const pid_t pid :
         target::processes_of(programs_[program].device, programs_[program].inode))
      programs[pid] = program;
  for (const pid_t pid : of)
    for (const pid_t child : target::descendants(pid))
      if (const auto program = programs.find(child); program != programs.end())
        (void)add(child, program->second).has_value();  // one that just ended is no error
}

Result<TargetSet> TargetSet::find_by_exe(const TargetOptions& options) {
  TargetSet set;
  const std::string exe = found_in_path(options.exe);
  auto fd = open_file(exe);
  if (!fd) return Unexpected(fd.error());
  const auto id = file_id(*fd, exe);
  if (!id) return Unexpected(id.error());
  auto narrowing = target::narrowing_of(options.user, options.cgroup, options.pid_namespace);
  if (!narrowing) return Unexpected(std::move(narrowing.error()));
  set.by_exe_ = true;
  set.narrowing_ = std::move(*narrowing);
  set.programs_.push_back({absolute(exe), id->device, id->inode});
  for (const pid_t pid : target::processes_of(id->device, id->inode)) {
    if (!set.narrowing_.admits(pid)) continue;
    auto process = target::Process::open(pid);  // one that just ended is no error here
    if (!process) continue;
    set.processes_.push_back(std::move(*process));
    set.program_of_.push_back(0);
  }
  return set;
}

Result<TargetSet> TargetSet::find(const TargetOptions& options,
                                  const std::vector<SpecFile>& specs) {
  if (!options.exe.empty()) return find_by_exe(options);
  TargetSet set;
  if (specs.size() < 2) {
    for (const pid_t pid : options.pids)
      if (auto added = set.add(pid, 0); !added) return Unexpected(added.error());
  } else {
    for (size_t program = 0; program < specs.size(); ++program)
      for (const pid_t pid : specs[program].pids)
        if (auto added = set.add(pid, program); !added) return Unexpected(added.error());
  }
  if (options.children) set.add_children(options.pids);
  return set;
}

Result<std::vector<ImageFile>> TargetSet::open_images(const spec::Spec& spec) const {
  std::vector<ImageFile> out;
  const auto add = [&](Result<Fd> fd, const std::string& path, const std::string& root, bool main,
                       bool wanted) -> Result<void> {
    auto file = file_of(std::move(fd), path, root, main, wanted);
    if (!file) return Unexpected(file.error());
    out.push_back(std::move(*file));
    return {};
  };
  std::map<FileId, size_t> seen;  // where in `out`
  for (size_t i = 0; i < processes_.size(); ++i) {
    const target::Process& process = processes_[i];
    const size_t program = program_of_[i];
    auto mapped = target::executable_images(process);
    if (!mapped) {
      if (process.alive()) return Unexpected(mapped.error());
      continue;
    }
    for (const target::MappedImage& image : *mapped) {
      const auto [known, fresh] = seen.insert({{image.device, image.inode}, out.size()});
      // Every image counts for the risk check, but only one that is asked for must be readable.
      const bool wanted = image.main || named_by(spec, image.path, program);
      if (!fresh) {
        ImageFile& file = out[known->second];
        file.programs |= 1u << program;
        file.main |= image.main;
        if (!wanted || file.wanted) continue;
        file.wanted = true;
        if (file.fd) continue;
        // One process may not be able to open what another one can.
        auto again = file_of(process.open_mapped(image.mapping), image.path, process.root(),
                             file.main, true);
        if (!again) return Unexpected(again.error());
        again->programs = file.programs;
        file = std::move(*again);
        continue;
      }
      if (auto added = add(process.open_mapped(image.mapping), image.path, process.root(),
                           image.main, wanted);
          !added)
        return Unexpected(added.error());
      out.back().programs = 1u << program;
    }
  }
  for (size_t program = 0; program < programs_.size() && !by_exe_; ++program)
    if (std::ranges::none_of(out, [&](const auto& file) { return file.is_of(program); }))
      return fail(Exit::kNoInput, "cannot observe the target",
                  programs_.size() == 1
                      ? std::string("it has ended already")
                      : fmt::format("'{}' has ended already", programs_[program].exe),
                  "Start it again, or use --exe.");
  if (out.empty()) {
    const std::string& exe = programs_.front().exe;
    if (auto added = add(open_file(exe), exe, "", true, true); !added)
      return Unexpected(added.error());
    const auto libraries = libraries_of(exe);
    if (!libraries && names_libraries(spec)) return Unexpected(libraries.error());
    for (const std::string& path : libraries.value_or(std::vector<std::string>()))
      if (auto added = add(open_file(path), path, "", false, named_by(spec, path, 0)); !added)
        return Unexpected(added.error());
  }
  // A library given by its path is found even when no process maps it yet.
  for (const spec::Component& component : spec.components) {
    const std::string& path = component.image;
    if (path.empty() || path[0] != '/' || path.find_first_of("*?") != std::string::npos) continue;
    if (std::any_of(out.begin(), out.end(), [&](const auto& image) {
          return image.is_of(component.program) && target::image_matches(path, image.path);
        }))
      continue;
    const std::string root = processes_.empty() ? "" : first_of(component.program).root();
    if (auto added = add(open_file(path, root), path, root, false, true); !added)
      return Unexpected(added.error());
    out.back().programs = 1u << component.program;
  }
  std::ranges::stable_sort(out, {}, [this](const ImageFile& file) {
    const auto is = [&](const Program& one) {
      return one.inode == file.inode && one.device == file.device;
    };
    return std::pair(!file.main, file.main ? std::ranges::find_if(programs_, is) : programs_.end());
  });
  return out;
}

}  // namespace compmond::prepare
