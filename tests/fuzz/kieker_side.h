// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "check.h"

// What fuzzers of logs of Kieker share.
namespace compmond::fuzz {

// A folder in memory, gone with the object.
class Folder {
 public:
  Folder() {
    char path[] = "/dev/shm/compmond-fuzz-XXXXXX";
    FUZZ_CHECK(::mkdtemp(path) != nullptr);
    path_ = path;
  }
  Folder(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  void write(const std::string& name, std::string_view text) const {
    std::ofstream(path_ + "/" + name, std::ios::binary) << text;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// The traces of a log, each once through every analysis that keeps something of it.
void read_kieker_log(const std::string& path, bool repair);

}  // namespace compmond::fuzz
