// SPDX-License-Identifier: Apache-2.0
#include "filehost/file_encrypter.h"

#include "filehost/cipher.h"
#include "filehost/own_work.h"

namespace fh {

uint64_t FileEncrypter::encrypt(File& file, Duration disk) {
  OwnWork work(file.pace.file_encrypter);
  work.first_half();
  file.checksum = apply_key_stream(file.content, key_of(file.path));
  const uint64_t written = writer_ != nullptr ? write_encrypted(file, disk) : 0;
  work.rest();
  return written;
}

uint64_t FileEncrypter::write_encrypted(const File& file, Duration disk) {
  const uint64_t written = writer_->write(file, disk);
  if (written != file.content.size()) throw std::runtime_error("short write: " + file.path);
  return written;
}

}  // namespace fh
