// SPDX-License-Identifier: Apache-2.0
#include "filehost/fs_writer.h"

#include <thread>

#include "filehost/own_work.h"

namespace fh {

uint64_t FSWriter::write(const File& file, Duration disk) {
  OwnWork work(file.pace.fs_writer);
  work.first_half();
  if (disk > Duration::zero()) sync(disk);
  work.rest();
  return file.content.size();
}

void FSWriter::sync(Duration disk) { std::this_thread::sleep_for(disk); }

}  // namespace fh
