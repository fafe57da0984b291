// SPDX-License-Identifier: Apache-2.0
#include "base/safe_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/fd.h"

namespace compmond {

Result<void> write_file_whole(const std::string& path, std::string_view data) {
  const auto place = FilePlace::open(path);
  if (!place) return Unexpected(place.error());
  return write_file_whole(*place, data);
}

Result<void> write_file_whole(const FilePlace& place, std::string_view data) {
  auto file = FreshFile::create(place);
  if (!file) return Unexpected(std::move(file.error()));
  if (auto written = file->append(data); !written) return written;
  if (auto synced = file->sync(); !synced) return synced;
  return file->publish();
}

Result<std::string> read_file(const std::string& path, size_t limit) {
  const std::string what = fmt::format("cannot read '{}'", path);
  Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid())
    return fail_errno(is_permission(errno) ? Exit::kNoPermission : Exit::kNoInput, what, errno,
                      "Check the path.");
  struct stat st {};
  if (::fstat(file.get(), &st) != 0) return fail_errno(Exit::kNoInput, what, errno);
  if (!S_ISREG(st.st_mode))
    return fail(Exit::kNoInput, what, "not a regular file", "Check the path.");
  std::string out;
  char buffer[65536];
  for (;;) {
    const ssize_t n = ::read(file.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail_errno(Exit::kNoInput, what, errno);
    if (n == 0) return out;
    out.append(buffer, size_t(n));
    if (out.size() > limit)
      return fail(Exit::kData, what, fmt::format("larger than the limit of {} bytes", limit),
                  "Split it.");
  }
}

}  // namespace compmond
