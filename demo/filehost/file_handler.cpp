// SPDX-License-Identifier: Apache-2.0
#include "filehost/file_handler.h"

#include "filehost/own_work.h"

namespace fh {

uint64_t FileHandler::store(File& file, Duration disk) {
  OwnWork work(file.pace.file_handler);
  work.first_half();
  const uint64_t written = encrypter_ != nullptr ? send_to_encrypter(file, disk) : 0;
  work.rest();
  return written;
}

Bytes FileHandler::open(const Request& request) {
  ask_access(request);
  Bytes content = send_to_decrypter(request);
  content.shrink_to_fit();
  return content;
}

uint64_t FileHandler::send_to_encrypter(File& file, Duration disk) {
  const uint64_t written = encrypter_->encrypt(file, disk);
  return written > file.content.size() ? file.content.size() : written;
}

Bytes FileHandler::send_to_decrypter(const Request& request) {
  Bytes content = decrypter_->decrypt(request.path, request.size, request.disk);
  if (content.empty()) throw std::runtime_error("empty file: " + request.path);
  return content;
}

void FileHandler::ask_access(const Request& request) {
  if (access_->check(request.user, request.path) > AccessControl::kOwner) {
    throw AccessDenied("no rights left on " + request.path);
  }
}

}  // namespace fh
