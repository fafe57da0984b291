// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "filehost/dir_reader.h"
#include "filehost/file_handler.h"
#include "filehost/request.h"
#include "filehost/upload_manager.h"

namespace fh {

// Answers requests. Thread-safe; a denied request is answered with 403.
class HTTPServer {
 public:
  HTTPServer(UploadManager& uploads, FileHandler& files, DirReader& folders)
      : uploads_(uploads), files_(files), folders_(folders) {}
  // in
  Reply handle(const Request& request);

 private:
  // out
  Reply forward_upload(const Request& request);
  Reply forward_download(const Request& request);
  Reply forward_listing(const Request& request);

  UploadManager& uploads_;
  FileHandler& files_;
  DirReader& folders_;
};

}  // namespace fh
