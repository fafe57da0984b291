// SPDX-License-Identifier: Apache-2.0
// The reference example: FileHandler works 500 ms and calls FileEncrypter, which works 1000 ms and
// calls FSWriter, which works 300 ms. Raw times 1800, 1300 and 300 ms; real times 500, 1000 and 300
// ms.
#include <chrono>
#include <cstdio>

#include "filehost/file_handler.h"
#include "options.h"

int main(int argc, char** argv) {
  const Options options = Options::parse(argc, argv, {{"--repeat", 1}, {"--scale", 1}});
  options.wait_if_asked();

  const auto milliseconds = [&](double time) {
    return std::chrono::duration_cast<fh::Duration>(
        std::chrono::duration<double, std::milli>(time * options.get("--scale")));
  };
  fh::FSWriter writer;
  fh::FileEncrypter encrypter(&writer);
  fh::FileHandler handler(&encrypter, nullptr, nullptr);
  const auto repeat = static_cast<int>(options.get("--repeat"));
  for (int i = 0; i < repeat; ++i) {
    fh::File file{
        "/reference.txt", {}, {milliseconds(500), milliseconds(1000), milliseconds(300)}, 0};
    handler.store(file, fh::Duration::zero());
  }
  std::printf("stored %d\n", repeat);
}
