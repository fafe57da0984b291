// SPDX-License-Identifier: Apache-2.0
#include "prepare/launcher.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "base/fd.h"
#include "core/process_status.h"

using namespace compmond;
using prepare::EntryStop;
using prepare::Launcher;

namespace {

constexpr const char* kProgram = BUILD_DIR "/bin/starting";

// Starts the program with its output in a file, holds it and lets it go: what it wrote and its exit
// code. `held`: whether it came to its entry point.
struct Outcome {
  std::string output;
  int code = -1;
  bool held = false;
};

Outcome run(const char* what, EntryStop::Way way) {
  ::fflush(stdout);
  const Fd ours(::dup(1)), file(::memfd_create("output", MFD_CLOEXEC));
  ::setenv("STARTING", what, 1);
  ::dup2(file.get(), 1);
  auto launcher = Launcher::start({kProgram, "10"}, way);
  ::dup2(ours.get(), 1);
  ::unsetenv("STARTING");
  REQUIRE_MESSAGE(launcher.has_value(), launcher.error().text());
  Outcome out;
  out.held = !launcher->early_end().has_value();
  if (out.held) REQUIRE(launcher->release().has_value());
  out.code = exit_code_of(out.held ? wait_for(launcher->pid()) : *launcher->early_end());
  char text[4096];
  out.output.assign(text, size_t(std::max<ssize_t>(::pread(file.get(), text, sizeof text, 0), 0)));
  return out;
}

}  // namespace

TEST_CASE("launcher: what libraries do before the entry point is theirs, in either way") {
  for (const auto way : {EntryStop::Way::kRegister, EntryStop::Way::kInstruction}) {
    CAPTURE(int(way));
    const std::string all = "calls 10 sum 100\n";
    const auto check = [way](const char* what, const std::string& output, int code, bool held) {
      CAPTURE(what);
      const Outcome out = run(what, way);
      CHECK(out.output == output);
      CHECK(out.code == code);
      CHECK(out.held == held);
    };
    check("nothing", "caught 0\n" + all, 3, true);
    check("raise", "caught 1\n" + all, 3, true);
    check("int3", "caught 1\n" + all, 3, true);
    check("signal", "caught 1\n" + all, 3, true);
    check("thread", "caught 0\n" + all, 3, true);
    check("fork", "caught 0\n" + all + "forked 3\ncaught 0\n" + all, 3, true);
    check("spawn", "caught 0\ncalls 7 sum 49\nspawned 3\ncaught 0\n" + all, 3, true);
    check("exec", "caught 1\ncalls 21 sum 441\n", 3, true);
    check("trap kills", "", 128 + SIGTRAP, false);
    check("exit", "", 7, false);
    check("killed", "", 128 + SIGKILL, false);
  }
}

TEST_CASE("launcher: a program killed while it is held is told as ended") {
  auto launcher = Launcher::start({kProgram});
  REQUIRE(launcher.has_value());
  REQUIRE(::kill(launcher->pid(), SIGKILL) == 0);
  REQUIRE(launcher->release().has_value());
  CHECK(exit_code_of(wait_for(launcher->pid())) == 128 + SIGKILL);
}
