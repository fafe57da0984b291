// SPDX-License-Identifier: Apache-2.0
#include "kieker_files/log_files.h"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "core/limits.h"
#include "text/match.h"

namespace compmond::kieker {
namespace {

constexpr const char* kNext =
    "Name the folder, or an archive of it, that holds kieker.map and the .dat or .bin files.";

using text::leaf;

bool is_map(std::string_view name) {
  const std::string_view plain = leaf(without_packing(name));
  return plain == "kieker.map" || plain == "tpmon.map";
}

// Kieker names packed files kieker-… with no other ending than that of their packing.
bool is_data(std::string_view name) {
  const std::string_view plain = without_packing(name);
  return plain.ends_with(".dat") || plain.ends_with(".bin") ||
         (plain.size() < name.size() &&
          (leaf(name).starts_with("kieker") || leaf(name).starts_with("tpmon")));
}

std::string what_failed(const std::string& path) {
  return fmt::format("cannot read '{}' as a log of Kieker", path);
}

}  // namespace

Result<LogFiles> LogFiles::open(const std::string& path) {
  LogFiles out;
  out.path_ = path;
  struct stat st {};
  const bool file = ::stat(path.c_str(), &st) == 0 && S_ISREG(st.st_mode);
  if (file) out.packed_bytes_ = uint64_t(st.st_size);
  auto added = file ? out.add_archive(path, "") : out.add_folder();
  if (!added) return Unexpected(std::move(added.error()));
  if (out.data_.empty())
    return fail(Exit::kData, what_failed(path), "it holds no .dat or .bin file", kNext);
  const bool oldest = leaf(out.data_.front().name).starts_with("tpmon");  // these had no map
  if (out.map_name_.empty() && !oldest)
    return fail(Exit::kData, what_failed(path), "it holds no kieker.map", kNext);
  std::sort(out.data_.begin(), out.data_.end(),
            [](const File& a, const File& b) { return a.name < b.name; });
  return out;
}

Result<void> LogFiles::add_folder() {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path_.c_str()), ::closedir);
  if (!folder)
    return fail_errno(is_permission(errno) ? Exit::kNoPermission : Exit::kNoInput,
                      what_failed(path_), errno, kNext);
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string name = entry->d_name, path = path_ + "/" + name;
    struct stat st {};
    if (!is_map(name) && !is_data(name)) continue;
    if (::stat(path.c_str(), &st) != 0 || !S_ISREG(st.st_mode)) {
      // A link to nowhere, a pipe: it cannot be read, which is told where it is tried.
      if (is_data(name)) data_.push_back({name, "", "", 0});
      continue;
    }
    if (holds_files(packing_of(name))) {
      packed_bytes_ += uint64_t(st.st_size);
      if (auto added = add_archive(path, name + "/"); !added) return added;
    } else if (auto added = add({name, "", "", 0}, uint64_t(st.st_size)); !added) {
      return added;
    }
  }
  return {};
}

Result<void> LogFiles::add_archive(const std::string& path, const std::string& below) {
  const auto names = files_in(path, packing_of(path));
  if (!names) return Unexpected(names.error());
  for (size_t place = 0; place < names->size(); ++place)
    if (const std::string& name = (*names)[place]; is_map(name) || is_data(name))
      if (auto added = add({below + name, path, name, place}, 0); !added) return added;
  return {};
}

Result<void> LogFiles::add(File file, uint64_t bytes) {
  if (is_map(file.name)) return read_map(file);
  packed_bytes_ += bytes;
  data_.push_back(std::move(file));
  return {};
}

Result<std::unique_ptr<ByteSource>> LogFiles::open(const File& file) {
  if (!file.archive.empty()) {
    if (packing_of(file.member) != Packing::kNone)
      return fail(Exit::kData, fmt::format("cannot read '{}/{}'", path_, file.name),
                  "it is packed twice", "Unpack the outer archive.");
    return archives_.open(file.archive, packing_of(file.archive), file.place, file.member);
  }
  return open_file(path_ + "/" + file.name, packing_of(file.name));
}

Result<std::unique_ptr<ByteSource>> LogFiles::open_data(size_t file) { return open(data_[file]); }

Result<void> LogFiles::read_map(const File& file) {
  if (!map_name_.empty())
    return fail(
        Exit::kData, what_failed(path_),
        fmt::format("it holds two maps, '{}' and '{}': more than one log", map_name_, file.name),
        "Unpack it, and give each log's folder.");
  map_name_ = file.name;
  auto source = open(file);
  if (!source) return Unexpected(std::move(source.error()));
  std::array<char, 16 << 10> block;
  for (;;) {
    const auto got = (*source)->read(block.data(), block.size());
    if (!got) return Unexpected(got.error());
    if (*got == 0) return {};
    if (map_.size() + *got > limits::kKiekerMapBytes)
      return fail(Exit::kData, fmt::format("cannot read '{}'", map_name()),
                  fmt::format("it is larger than {} bytes", limits::kKiekerMapBytes), kNext);
    map_.append(block.data(), *got);
  }
}

}  // namespace compmond::kieker
