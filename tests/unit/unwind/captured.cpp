// SPDX-License-Identifier: Apache-2.0
#include "captured.h"

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/fd.h"
#include "mapped_code/vdso.h"

namespace compmond::unwind::test {
namespace {

thread_local Captured* t_into = nullptr;
thread_local size_t t_bytes = 0;

void on_signal(int, siginfo_t*, void* context) { *t_into = captured_of(context, t_bytes); }

uint64_t stack_end() {
  pthread_attr_t attributes;
  void* start = nullptr;
  size_t size = 0;
  REQUIRE(::pthread_getattr_np(::pthread_self(), &attributes) == 0);
  ::pthread_attr_getstack(&attributes, &start, &size);
  ::pthread_attr_destroy(&attributes);
  return reinterpret_cast<uint64_t>(start) + size;
}

struct Line {
  sampling::Mapping mapping;
  std::string path;
};

std::vector<Line> code_of(pid_t pid) {
  std::vector<Line> out;
  std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
  for (std::string text; std::getline(maps, text);) {
    Line line;
    std::string rights, device;
    uint64_t inode = 0;
    char dash = 0;
    std::istringstream words(text);
    words >> std::hex >> line.mapping.start >> dash >> line.mapping.end >> rights >>
        line.mapping.offset >> device >> std::dec >> inode >> std::ws;
    std::getline(words, line.path);
    if (rights.size() == 4 && rights[2] == 'x') out.push_back(line);
  }
  return out;
}

}  // namespace

Captured captured_of(const void* interrupted, size_t bytes) {
  constexpr int kOrder[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                            REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                            REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
  const auto* context = static_cast<const ucontext_t*>(interrupted);
  Captured out;
  for (int i = 0; i < CM_REGISTERS; ++i)
    out.reg(i) = uint64_t(context->uc_mcontext.gregs[kOrder[i]]);
  const uint64_t sp = out.reg(7);
  const uint64_t end = stack_end();
  const size_t there = sp < end ? std::min<uint64_t>(bytes, end - sp) : bytes;
  out.stack.resize(there);
  // By an instruction that no sanitizer sees: between variables lie bytes that are nobody's.
  void* to = out.stack.data();
  size_t left = there;
  uint64_t from = sp;
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(left)::"memory");
  out.head.kind = CM_ON_CPU;
  out.head.pid = out.head.tid = 1;
  out.head.stack_bytes = uint32_t(there);
  out.head.stack_at = uint32_t(sp % CM_STACK_PAGE);
  return out;
}

Captured capture(size_t bytes) {
  Captured out;
  t_into = &out;
  t_bytes = bytes;
  struct sigaction action {
  }, before{};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGUSR1, &action, &before);
  ::raise(SIGUSR1);
  ::sigaction(SIGUSR1, &before, nullptr);
  return out;
}

std::map<std::string, sampling::ImageNumber> tell(sampling::Unwinder& unwinder, pid_t pid) {
  std::map<std::string, sampling::ImageNumber> numbers;
  for (Line& line : code_of(pid)) {
    if (line.path == "[vsyscall]") continue;
    if (!line.path.empty()) {
      const bool vdso = line.path == "[vdso]";
      const auto next = sampling::ImageNumber(sampling::kFirstFile + numbers.size());
      const auto [it, fresh] = numbers.try_emplace(line.path, vdso ? sampling::kVdso : next);
      line.mapping.image = it->second;
      const Fd file =
          vdso ? sampler::copy_vdso() : Fd(::open(line.path.c_str(), O_RDONLY | O_CLOEXEC));
      sampling::Image image;
      image.number = it->second;
      image.path = line.path;
      if (fresh) unwinder.add(image, file);
    }
    unwinder.map(1, line.mapping);
  }
  return numbers;
}

std::map<std::string, sampling::ImageNumber> tell_self(sampling::Unwinder& unwinder) {
  return tell(unwinder, ::getpid());
}

sampling::Walked walk_one(sampling::Unwinder& unwinder, const Captured& captured) {
  sampling::Walked out;
  const sampling::RawSample raw = captured.raw();
  int times = 0;
  unwinder.walk({&raw, 1}, [&](size_t index, const sampling::Walked& walked) {
    CHECK(index == 0);
    out = walked;
    ++times;
  });
  CHECK(times == 1);
  return out;
}

std::vector<uint64_t> addresses(const sampling::Walked& walked) {
  struct Bases {
    std::map<sampling::ImageNumber, uint64_t> by_image;
    std::map<std::string, sampling::ImageNumber> numbers;
  } bases;
  struct Ear : sampling::Unwinder {
    void add(const sampling::Image&, const Fd&) override {}
    void name_code(uint32_t, sampling::ImageNumber, const Fd&) override {}
    void map(uint32_t, const sampling::Mapping&) override {}
    void fork(uint32_t, uint32_t) override {}
    void forget(uint32_t) override {}
    void walk(std::span<const sampling::RawSample>,
              const std::function<void(size_t, const sampling::Walked&)>&) override {}
  } ear;
  bases.numbers = tell_self(ear);
  for (const auto& [path, number] : bases.numbers) bases.by_image[number] = 0;
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* to) {
        auto& known = *static_cast<Bases*>(to);
        std::string path = info->dlpi_name;
        if (path.empty()) path = std::filesystem::read_symlink("/proc/self/exe");
        if (path.starts_with("linux-vdso")) path = "[vdso]";
        if (path[0] == '/') path = std::filesystem::canonical(path);
        if (const auto it = known.numbers.find(path); it != known.numbers.end())
          known.by_image[it->second] = info->dlpi_addr;
        return 0;
      },
      &bases);
  std::vector<uint64_t> out;
  for (const sampling::Frame& frame : walked.frames)
    out.push_back(frame.vaddr + (frame.image >= sampling::kVdso ? bases.by_image[frame.image] : 0));
  return out;
}

std::vector<std::string> names(const sampling::Walked& walked) {
  std::vector<std::string> out;
  for (const uint64_t address : addresses(walked)) {
    Dl_info info{};
    const bool known = ::dladdr(reinterpret_cast<void*>(address), &info) != 0 && info.dli_sname;
    out.emplace_back(known ? info.dli_sname : "");
  }
  return out;
}

}  // namespace compmond::unwind::test
