// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

// What travels between the components of the file host.
namespace fh {

using Bytes = std::vector<uint8_t>;
using Duration = std::chrono::nanoseconds;

enum class Kind : uint8_t { kUpload, kDownload, kListing };

struct Request {
  Kind kind = Kind::kUpload;
  std::string user;
  std::string path;
  Bytes content;       // of an upload
  uint32_t size = 0;   // bytes to deliver (download) or entries to list (listing)
  Duration network{};  // time that the client's line takes
  Duration disk{};     // time that the disk takes
};

struct Reply {
  int status = 200;
  uint64_t bytes = 0;
};

// What one file costs a component by itself, on top of what its content costs.
struct Pace {
  Duration file_handler{};
  Duration file_encrypter{};
  Duration fs_writer{};
};

struct File {
  std::string path;
  Bytes content;
  Pace pace;
  uint64_t checksum = 0;  // of the encrypted content
};

class AccessDenied : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace fh
