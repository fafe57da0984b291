// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "filehost/access_control.h"
#include "filehost/file_decrypter.h"
#include "filehost/file_encrypter.h"
#include "filehost/request.h"

namespace fh {

// Knows where files belong: stores them through the encrypter and opens them through the decrypter.
// A handler without them does its own part only.
class FileHandler {
 public:
  FileHandler(FileEncrypter* encrypter, FileDecrypter* decrypter, AccessControl* access)
      : encrypter_(encrypter), decrypter_(decrypter), access_(access) {}
  // in
  uint64_t store(File& file, Duration disk);
  Bytes open(const Request& request);

 private:
  // out
  uint64_t send_to_encrypter(File& file, Duration disk);
  Bytes send_to_decrypter(const Request& request);
  void ask_access(const Request& request);

  FileEncrypter* encrypter_;
  FileDecrypter* decrypter_;
  AccessControl* access_;
};

}  // namespace fh
