// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr int kUsage = 64;  // sysexits

[[noreturn]] void usage(const char* program, const std::map<std::string, double>& flags) {
  std::fprintf(stderr, "usage: %s [--wait]", program);
  for (const auto& [name, value] : flags) std::fprintf(stderr, " [%s N (%g)]", name.c_str(), value);
  std::fprintf(stderr, "\n");
  std::exit(kUsage);
}

}  // namespace

Options Options::parse(int argc, char** argv, std::map<std::string, double> defaults) {
  Options options;
  options.values_ = std::move(defaults);
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--wait") {
      options.wait_ = true;
      continue;
    }
    const auto found = options.values_.find(name);
    if (found == options.values_.end() || ++i == argc) usage(argv[0], options.values_);
    char* end = nullptr;
    found->second = std::strtod(argv[i], &end);
    if (end == argv[i] || *end != '\0' || !(found->second >= 0)) usage(argv[0], options.values_);
  }
  return options;
}

void Options::wait_if_asked() const {
  if (!wait_) return;
  std::printf("pid %d\n", static_cast<int>(getpid()));
  std::fflush(stdout);
  for (int c = std::getchar(); c != EOF && c != '\n';) c = std::getchar();
}
