// SPDX-License-Identifier: Apache-2.0
#include "kieker/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "base/fd.h"
#include "base/safe_file.h"
#include "core/limits.h"

namespace compmond::kieker {
namespace {

constexpr size_t kMapBytes = 4u << 20;  // one line per record type: a few dozen in practice
constexpr const char* kNext = "Name the folder that holds kieker.map and the .dat files.";

std::string_view simple_name(std::string_view class_name) {
  return class_name.substr(class_name.rfind('.') + 1);
}

// Undoes \; \\ \n \r in place; any other backslash stays, since older writers escaped nothing.
size_t unescape(char* text, size_t size) {
  size_t out = 0;
  for (size_t i = 0; i < size; ++i) {
    char c = text[i];
    if (c == '\\' && i + 1 < size) {
      const char n = text[i + 1];
      const char meant = n == ';' || n == '\\' ? n : n == 'n' ? '\n' : n == 'r' ? '\r' : '\0';
      if (meant != '\0') {
        c = meant;
        ++i;
      }
    }
    text[out++] = c;
  }
  return out;
}

}  // namespace

Result<KiekerFolder> KiekerFolder::open(const std::string& path) {
  KiekerFolder out;
  out.path_ = path;
  if (auto listed = out.list_files(); !listed) return Unexpected(std::move(listed.error()));
  if (auto read = out.read_map(); !read) return Unexpected(std::move(read.error()));
  return out;
}

Result<void> KiekerFolder::list_files() {
  const std::string what = fmt::format("cannot read '{}' as a log of Kieker", path_);
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path_.c_str()), ::closedir);
  if (!folder)
    return fail_errno(is_permission(errno) ? Exit::kNoPermission : Exit::kNoInput, what, errno,
                      kNext);
  bool packed = false;
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string name = entry->d_name;
    struct stat st {};
    if (name.ends_with(".dat") && ::stat((path_ + "/" + name).c_str(), &st) == 0 &&
        S_ISREG(st.st_mode)) {
      files_.push_back(name);
      bytes_total_ += uint64_t(st.st_size);
    }
    packed |= name.find(".dat.") != std::string::npos || name.ends_with(".bin");
  }
  if (files_.empty())
    return fail(Exit::kData, what,
                packed ? "its data is compressed or binary" : "it holds no .dat file",
                packed ? "Unpack it: only Kieker's text format is read." : kNext);
  std::sort(files_.begin(), files_.end());
  return {};
}

Result<void> KiekerFolder::read_map() {
  const std::string what = fmt::format("cannot read '{}/kieker.map'", path_);
  auto text = read_file(path_ + "/kieker.map", kMapBytes);
  if (!text)
    return fail(text.error().code == Exit::kNoInput ? Exit::kData : text.error().code, what,
                text.error().why, kNext);
  size_t number = 0;
  for (size_t at = 0; at < text->size();) {
    const size_t end = std::min(text->find('\n', at), text->size());
    std::string_view line(text->data() + at, end - at);
    at = end + 1;
    ++number;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty()) continue;
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos || equals < 2 || line[0] != '$')
      return fail(Exit::kData, what, fmt::format("line {} is not of the form $n=class", number),
                  kNext);
    types_[std::string(line.substr(0, equals))] = simple_name(line.substr(equals + 1));
  }
  return {};
}

std::string KiekerFolder::where() const {
  return fmt::format("{}/{}:{}", path_, files_[std::min(file_, files_.size() - 1)], line_number_);
}

bool KiekerFolder::next_line(traces::BadRecords& bad) {
  for (;;) {
    if (!stream_) {
      if (file_ >= files_.size()) return false;
      const std::string path = path_ + "/" + files_[file_];
      Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
      stream_.reset(fd.valid() ? ::fdopen(fd.get(), "r") : nullptr);
      line_number_ = 0;
      if (!stream_) {
        bad.add(fmt::format("{}: cannot be opened", path));
        ++file_;
        continue;
      }
      (void)fd.release();
    }
    line_.clear();
    bool too_long = false;
    int c = 0;
    while ((c = ::getc_unlocked(stream_.get())) != EOF && c != '\n') {
      ++bytes_read_;
      if (line_.size() < limits::kLogLineBytes)
        line_ += char(c);
      else
        too_long = true;
    }
    if (c == EOF && line_.empty()) {
      stream_.reset();
      ++file_;
      continue;
    }
    bytes_read_ += c == '\n';
    ++line_number_;
    if (!line_.empty() && line_.back() == '\r') line_.pop_back();
    if (too_long)
      bad.add(fmt::format("{}: the line is longer than {} bytes", where(), limits::kLogLineBytes));
    else if (!line_.empty())
      return true;
  }
}

bool KiekerFolder::take_apart(traces::BadRecords& bad) {
  record_.fields.clear();
  char* const text = line_.data();
  std::string_view type, stamp;
  size_t index = 0;
  for (size_t at = 0; at <= line_.size(); ++index) {
    size_t end = at;
    bool escaped = false;
    while (end < line_.size() && line_[end] != ';') {
      if (line_[end] == '\\' && end + 1 < line_.size()) {
        escaped = true;
        ++end;
      }
      ++end;
    }
    const std::string_view field(text + at, escaped ? unescape(text + at, end - at) : end - at);
    if (index == 0)
      type = field;
    else if (index == 1)
      stamp = field;
    else
      record_.fields.push_back(field);
    at = end + 1;
  }
  const auto known = types_.find(type);
  if (known == types_.end()) {
    bad.add(fmt::format(
        "{}: {}", where(),
        !type.empty() && type[0] == '$'
            ? fmt::format("kieker.map does not name the record type {}", type.substr(0, 20))
            : std::string("it does not begin with a record type such as $1")));
    return false;
  }
  record_.type = known->second;
  const auto read = std::from_chars(stamp.data(), stamp.data() + stamp.size(), record_.logged_ns);
  if (read.ec != std::errc() || read.ptr != stamp.data() + stamp.size() || stamp.empty()) {
    bad.add(fmt::format("{}: its logging timestamp is not a number", where()));
    return false;
  }
  return true;
}

const KiekerRecord* KiekerFolder::next(traces::BadRecords& bad) {
  while (next_line(bad))
    if (take_apart(bad)) return &record_;
  return nullptr;
}

}  // namespace compmond::kieker
