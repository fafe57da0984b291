// SPDX-License-Identifier: Apache-2.0
// The reference example, side by side: FileHandler 500 ms, FileEncrypter 1000 ms and FSWriter 300
// ms each in a thread of its own. Nobody calls anybody, so raw times and real times are the same.
#include <chrono>
#include <cstdio>
#include <thread>

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
  fh::FileEncrypter encrypter(nullptr);
  fh::FileHandler handler(nullptr, nullptr, nullptr);
  const fh::Pace pace{milliseconds(500), milliseconds(1000), milliseconds(300)};
  const auto repeat = static_cast<int>(options.get("--repeat"));
  for (int i = 0; i < repeat; ++i) {
    fh::File first{"/first.txt", {}, pace, 0};
    fh::File second{"/second.txt", {}, pace, 0};
    fh::File third{"/third.txt", {}, pace, 0};
    const fh::Duration no_disk = fh::Duration::zero();
    std::jthread handling([&] { handler.store(first, no_disk); });
    std::jthread encrypting([&] { encrypter.encrypt(second, no_disk); });
    std::jthread writing([&] { writer.write(third, no_disk); });
  }
  std::printf("stored %d\n", repeat * 3);
}
