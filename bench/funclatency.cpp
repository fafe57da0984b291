// SPDX-License-Identifier: Apache-2.0
// bench_funclatency PID IMAGE SYMBOL: a histogram of a function's durations by one perf event each
// for entry and return, as bcc's funclatency makes it. Prints "ready", and at the end of stdin how
// many calls the histogram holds.
#include <numeric>

#include "attach.h"
#include "funclatency.skel.h"

using namespace compmond;
using namespace compmond::bench;

int main(int argc, char** argv) {
  if (argc != 4) die("usage: bench_funclatency PID IMAGE SYMBOL");
  const pid_t pid = std::atoi(argv[1]);
  const elf::Image image = open_image(argv[2]);
  const uint64_t offset = value(image.file_offset(symbol(image, argv[3]).vaddr));

  funclatency_bpf* skeleton = funclatency_bpf::open_and_load();
  if (!skeleton) die("cannot load the BPF programs: root is needed");
  skeleton->links.on_entry =
      bpf_program__attach_uprobe(skeleton->progs.on_entry, false, pid, argv[2], offset);
  skeleton->links.on_return =
      bpf_program__attach_uprobe(skeleton->progs.on_return, true, pid, argv[2], offset);
  if (!skeleton->links.on_entry || !skeleton->links.on_return) die("cannot attach");
  serve_until_told();
  const auto& histogram = skeleton->bss->histogram;
  fmt::print("calls {}\n", std::accumulate(std::begin(histogram), std::end(histogram), 0ull));
  funclatency_bpf::destroy(skeleton);
}
