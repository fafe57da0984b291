// SPDX-License-Identifier: Apache-2.0
// bench_floor PID IMAGE SYMBOL return-probe|ret-sites|clock: hangs programs that do nothing (clock:
// that read the clock at entry and return) where compmond would hang its own, prints "ready", and
// takes them away at the end of stdin.
#include <cerrno>
#include <cstring>

#include "attach.h"
#include "floor.skel.h"
#include "uprobe/link.h"
#include "uprobe_sites/finder.h"

namespace {

using namespace compmond;
using namespace compmond::bench;

floor_bpf* load() {
  floor_bpf* skeleton = floor_bpf::open();
  if (!skeleton) die("cannot open the BPF programs");
  const auto type = [](uprobe::MultiType kind) { return static_cast<bpf_attach_type>(kind); };
  for (bpf_program* session : {skeleton->progs.on_session, skeleton->progs.on_session_clock})
    bpf_program__set_expected_attach_type(session, type(uprobe::MultiType::kSession));
  bpf_program__set_expected_attach_type(skeleton->progs.on_place, type(uprobe::MultiType::kMulti));
  if (floor_bpf::load(skeleton) != 0)
    die("cannot load the BPF programs: root, and kernel 6.13, are needed");
  return skeleton;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) die("usage: bench_floor PID IMAGE SYMBOL return-probe|ret-sites|clock");
  const pid_t pid = std::atoi(argv[1]);
  const std::string path = argv[2], mode = argv[4];
  const elf::Image image = open_image(path);
  uprobe::SiteFinder finder(image, true);
  const uprobe::FunctionSites function = value(finder.find(symbol(image, argv[3])));
  const bool session = mode != "ret-sites";

  uprobe::Places places;
  places.offsets.push_back(value(image.file_offset(function.entry.vaddr)));
  if (!session)
    for (const auto& exit : function.exits)
      places.offsets.push_back(value(image.file_offset(exit.vaddr)));
  places.cookies.resize(places.offsets.size());

  floor_bpf* skeleton = load();
  const int program = bpf_program__fd(mode == "clock" ? skeleton->progs.on_session_clock
                                      : session       ? skeleton->progs.on_session
                                                      : skeleton->progs.on_place);
  {
    const Fd link = uprobe::link_multi(
        program, session ? uprobe::MultiType::kSession : uprobe::MultiType::kMulti, path, places,
        false, pid);
    if (!link.valid()) die(fmt::format("cannot attach: {}", std::strerror(errno)));
    serve_until_told();
  }
  floor_bpf::destroy(skeleton);
}
