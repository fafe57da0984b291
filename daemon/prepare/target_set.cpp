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
#include <set>
#include <sstream>

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

bool named_by(const spec::Spec& spec, const std::string& path) {
  return std::any_of(
      spec.components.begin(), spec.components.end(), [&](const spec::Component& component) {
        return !component.image.empty() && target::image_matches(component.image, path);
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

Result<void> TargetSet::add(pid_t pid) {
  for (const target::Process& known : processes_)
    if (known.pid() == pid) return {};
  auto process = target::Process::open(pid);
  if (!process) return Unexpected(process.error());
  auto exe = process->open_exe();
  if (!exe) return Unexpected(exe.error());
  const auto id = file_id(*exe, process->exe());
  if (!id) return Unexpected(id.error());
  if (exe_.empty()) {
    exe_ = process->exe();
    exe_device_ = id->device;
    exe_inode_ = id->inode;
  } else if (id->inode != exe_inode_ || id->device != exe_device_) {
    return fail(Exit::kUsage, "cannot observe these processes together",
                fmt::format("process {} runs '{}', process {} runs '{}'", processes_.front().pid(),
                            exe_, pid, process->exe()),
                "Give processes of one program; run compmond once per program.");
  }
  processes_.push_back(std::move(*process));
  return {};
}

Result<TargetSet> TargetSet::find(const TargetOptions& options) {
  TargetSet set;
  if (!options.exe.empty()) {
    const std::string exe = found_in_path(options.exe);
    auto fd = open_file(exe);
    if (!fd) return Unexpected(fd.error());
    const auto id = file_id(*fd, exe);
    if (!id) return Unexpected(id.error());
    auto narrowing = target::narrowing_of(options.user, options.cgroup, options.pid_namespace);
    if (!narrowing) return Unexpected(std::move(narrowing.error()));
    set.by_exe_ = true;
    set.narrowing_ = std::move(*narrowing);
    set.exe_ = absolute(exe);
    set.exe_device_ = id->device;
    set.exe_inode_ = id->inode;
    for (const pid_t pid : target::processes_of(id->device, id->inode)) {
      if (!set.narrowing_.admits(pid)) continue;
      auto process = target::Process::open(pid);  // one that just ended is no error here
      if (process) set.processes_.push_back(std::move(*process));
    }
    return set;
  }
  for (const pid_t pid : options.pids)
    if (auto added = set.add(pid); !added) return Unexpected(added.error());
  if (!options.children) return set;
  std::set<pid_t> same;
  for (const pid_t pid : target::processes_of(set.exe_device_, set.exe_inode_)) same.insert(pid);
  for (const pid_t pid : options.pids)
    for (const pid_t child : target::descendants(pid))
      if (same.count(child) != 0)
        (void)set.add(child).has_value();  // a child that just ended is no error
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
  std::set<FileId> seen;
  for (const target::Process& process : processes_) {
    auto mapped = target::executable_images(process);
    if (!mapped) {
      if (process.alive()) return Unexpected(mapped.error());
      continue;
    }
    for (const target::MappedImage& image : *mapped) {
      if (!seen.insert({image.device, image.inode}).second) continue;
      // Every image counts for the risk check, but only one that is asked for must be readable.
      const bool wanted = image.main || named_by(spec, image.path);
      if (auto added = add(process.open_mapped(image.mapping), image.path, process.root(),
                           image.main, wanted);
          !added)
        return Unexpected(added.error());
    }
  }
  if (out.empty() && !by_exe_)
    return fail(Exit::kNoInput, "cannot observe the target", "it has ended already",
                "Start it again, or use --exe.");
  if (out.empty()) {
    if (auto added = add(open_file(exe_), exe_, "", true, true); !added)
      return Unexpected(added.error());
    const auto libraries = libraries_of(exe_);
    if (!libraries && names_libraries(spec)) return Unexpected(libraries.error());
    for (const std::string& path : libraries.value_or(std::vector<std::string>()))
      if (auto added = add(open_file(path), path, "", false, named_by(spec, path)); !added)
        return Unexpected(added.error());
  }
  // A library given by its path is found even when no process maps it yet.
  for (const spec::Component& component : spec.components) {
    const std::string& path = component.image;
    if (path.empty() || path[0] != '/' || path.find_first_of("*?") != std::string::npos) continue;
    if (std::any_of(out.begin(), out.end(),
                    [&](const auto& image) { return target::image_matches(path, image.path); }))
      continue;
    const std::string root = processes_.empty() ? "" : processes_.front().root();
    if (auto added = add(open_file(path, root), path, root, false, true); !added)
      return Unexpected(added.error());
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.main && !b.main; });
  return out;
}

}  // namespace compmond::prepare
