// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "ui/program/main_loop.h"
#include "ui/program/options.h"

int main(int argc, char** argv) {
  using namespace compmond;
  auto options = ui::read_options(argc, argv);
  Result<void> done =
      options ? ui::run_program(*options) : Result<void>(Unexpected(options.error()));
  if (done || done.error().code == Exit::kOk) return 0;
  const Error& error = done.error();
  std::fprintf(stderr, "compmond-ui: %s: %s\n", error.what.c_str(), error.why.c_str());
  if (!error.next.empty()) std::fprintf(stderr, "compmond-ui: %s\n", error.next.c_str());
  return int(error.code);
}
