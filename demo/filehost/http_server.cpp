// SPDX-License-Identifier: Apache-2.0
#include "filehost/http_server.h"

#include <thread>

namespace fh {

Reply HTTPServer::handle(const Request& request) {
  try {
    switch (request.kind) {
      case Kind::kUpload:
        return forward_upload(request);
      case Kind::kDownload:
        return forward_download(request);
      case Kind::kListing:
        return forward_listing(request);
    }
  } catch (const AccessDenied&) {
    return {403, 0};
  }
  return {400, 0};
}

Reply HTTPServer::forward_upload(const Request& request) {
  const uint64_t bytes = uploads_.receive(request);
  return {201, bytes};
}

Reply HTTPServer::forward_download(const Request& request) {
  const Bytes content = files_.open(request);
  std::this_thread::sleep_for(request.network);
  return {200, content.size()};
}

Reply HTTPServer::forward_listing(const Request& request) {
  uint64_t bytes = 0;
  for (const std::string& name : folders_.list(request.path, request.size, request.disk)) {
    bytes += name.size() + 1;
  }
  return {200, bytes};
}

}  // namespace fh
