// SPDX-License-Identifier: Apache-2.0
// bench_floor PID IMAGE SYMBOL return-probe|ret-sites: hangs programs that do nothing where
// compmond would hang its own, prints "ready", and takes them away at the end of stdin.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "elf/code_scan.h"
#include "elf/image.h"
#include "floor.skel.h"
#include "probe/link.h"

namespace {

using compmond::Fd;
using compmond::elf::FunctionScan;
using compmond::elf::Image;
namespace probe = compmond::probe;

[[noreturn]] void die(const std::string& why) {
  fmt::print(stderr, "bench_floor: {}\n", why);
  std::exit(1);
}

template <class T>
T value(compmond::Result<T> result) {
  if (!result) die(result.error().what + ": " + result.error().why);
  return std::move(*result);
}

FunctionScan scan(const Image& image, const std::string& name) {
  const auto& symbols = image.symbols();
  const auto found = std::find_if(symbols.begin(), symbols.end(),
                                  [&](const auto& symbol) { return symbol.name == name; });
  if (found == symbols.end()) die("no symbol " + name);
  compmond::elf::CodeScanner scanner(image);
  return value(scanner.scan(*found));
}

floor_bpf* load() {
  floor_bpf* skeleton = floor_bpf::open();
  if (!skeleton) die("cannot open the BPF programs");
  const auto type = [](probe::MultiType kind) { return static_cast<bpf_attach_type>(kind); };
  bpf_program__set_expected_attach_type(skeleton->progs.on_session,
                                        type(probe::MultiType::kSession));
  bpf_program__set_expected_attach_type(skeleton->progs.on_place, type(probe::MultiType::kMulti));
  if (floor_bpf::load(skeleton) != 0)
    die("cannot load the BPF programs: root, and kernel 6.13, are needed");
  return skeleton;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) die("usage: bench_floor PID IMAGE SYMBOL return-probe|ret-sites");
  const pid_t pid = std::atoi(argv[1]);
  const std::string path = argv[2], mode = argv[4];
  const Image image = value(Image::open(Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), path));
  const FunctionScan function = scan(image, argv[3]);
  const bool session = mode == "return-probe";

  probe::Places places;
  places.offsets.push_back(value(image.file_offset(function.entry.vaddr)));
  if (!session)
    for (const auto& exit : function.exits)
      places.offsets.push_back(value(image.file_offset(exit.vaddr)));
  places.cookies.resize(places.offsets.size());

  floor_bpf* skeleton = load();
  const int program =
      bpf_program__fd(session ? skeleton->progs.on_session : skeleton->progs.on_place);
  {
    const Fd link =
        probe::link_multi(program, session ? probe::MultiType::kSession : probe::MultiType::kMulti,
                          path, places, false, pid);
    if (!link.valid()) die(fmt::format("cannot attach: {}", std::strerror(errno)));
    fmt::print("ready\n");
    std::fflush(stdout);
    char byte;
    while (::read(STDIN_FILENO, &byte, 1) > 0) {
    }
  }
  floor_bpf::destroy(skeleton);
}
