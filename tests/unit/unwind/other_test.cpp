// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "captured.h"
#include "elf/image.h"
#include "unwind/unwinding.h"

// Programs that are built in ways that this one is not, stopped at a system call in their innermost
// function.
using namespace compmond;
using namespace compmond::unwind::test;
using sampling::Ended;

namespace {

constexpr const char* kNested = R"(
#include <signal.h>
#include <unistd.h>
volatile int g;
#define OP __attribute__((noinline, noclone)) int
OP op_c(int n) { char text[100]; text[n] = 1; kill(getpid(), SIGSTOP); return text[n] + g; }
OP op_b(int n) { return op_c(n + g) + 1; }
OP op_a(int n) { return op_b(n) + n; }
int main(void) { return op_a(3) == 12345; }
)";

// A C library whose code has no rows, as that of Alpine: only main's and the operations' do.
constexpr const char* kBare = R"(
volatile int g;
#define OP __attribute__((noinline, noclone, used)) int
int stop(void);
OP op_b(int n) { return stop() + n + g; }
OP op_a(int n) { return op_b(n) + n; }
OP main(int argc, char** argv) { return op_a(argc) + (argv[1] != 0); }
asm(".text\n"
    ".globl _start, libc_main, stop\n"
    ".type _start, @function\n.type libc_main, @function\n"
    "_start: xor %ebp, %ebp; mov %rsp, %rdi; and $-16, %rsp; call libc_main\n"
    "libc_main: push %rbx; push %rbp; push %r12; mov $77, %ebp\n"  // no frame pointer
    " lea 8(%rdi), %rsi; mov (%rdi), %edi; call main; hlt\n"
    ".cfi_startproc\n"
    "stop: mov $39, %eax; syscall; mov %eax, %edi; mov $19, %esi; mov $62, %eax; syscall; ret\n"
    ".cfi_endproc\n");
)";

struct Program {
  std::filesystem::path folder, path;
  pid_t pid = 0;
  Captured captured;

  Program(const std::string& source, const std::string& options) {
    char name[] = "/tmp/compmond-unwind-XXXXXX";
    REQUIRE(::mkdtemp(name) != nullptr);
    folder = name;
    path = folder / "program";
    std::ofstream(folder / "program.c") << source;
    const std::string command =
        "cc -O2 -w " + options + " -o " + path.string() + " " + (folder / "program.c").string();
    REQUIRE(std::system(command.c_str()) == 0);
    run();
  }
  ~Program() {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    std::filesystem::remove_all(folder);
  }

  void run() {
    pid = ::fork();
    if (pid == 0) {
      ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
      ::execl(path.c_str(), path.c_str(), "one", "two", nullptr);
      ::_exit(1);
    }
    int status = 0;
    do {
      REQUIRE(::waitpid(pid, &status, 0) == pid);
      REQUIRE(WIFSTOPPED(status));
      if (WSTOPSIG(status) == SIGTRAP) ::ptrace(PTRACE_CONT, pid, nullptr, nullptr);
    } while (WSTOPSIG(status) != SIGSTOP);
    user_regs_struct r{};
    REQUIRE(::ptrace(PTRACE_GETREGS, pid, nullptr, &r) == 0);
    const unsigned long long all[] = {r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8,
                                      r.r9,  r.r10, r.r11, r.r12, r.r13, r.r14, r.r15, r.rip};
    std::ranges::copy(all, captured.head.registers);
    captured.head.pid = 1;
    captured.stack.resize(CM_STACK_BYTES);
    for (size_t got = 0; got < CM_STACK_BYTES;) {  // up to the first page that is not there
      const size_t here =
          std::min<size_t>(CM_STACK_PAGE - (r.rsp + got) % CM_STACK_PAGE, CM_STACK_BYTES - got);
      const iovec to{captured.stack.data() + got, here};
      const iovec from{reinterpret_cast<void*>(r.rsp + got), here};
      if (::process_vm_readv(pid, &to, 1, &from, 1, 0) != ssize_t(here)) captured.stack.resize(got);
      if (captured.stack.size() == got) break;
      got += here;
    }
  }

  // The functions of the program itself on the stack, innermost first.
  std::string functions(Ended expected = Ended::kComplete) {
    unwind::Unwinding unwinding;
    const auto numbers = tell(unwinding, pid);
    const sampling::Walked walked = walk_one(unwinding, captured);
    CHECK(walked.ended == expected);
    auto image = elf::Image::open(Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), path);
    REQUIRE(image.has_value());
    std::string out;
    for (const sampling::Frame& frame : walked.frames)
      for (const elf::Symbol& symbol : image->symbols())
        if (frame.image == numbers.at(path) && frame.vaddr - symbol.vaddr < symbol.size &&
            (symbol.name.starts_with("op_") || symbol.name == "main"))
          out += (out.empty() ? "" : " ") + symbol.name;
    return out;
  }
};

}  // namespace

TEST_CASE("other binaries: programs of all kinds of linking, without frame pointers") {
  for (const char* options : {"-fomit-frame-pointer", "-fno-omit-frame-pointer", "-no-pie",
                              "-static", "-static-pie", "-Wl,-z,now -fcf-protection=full"}) {
    CAPTURE(std::string(options));
    Program program(kNested, options);
    CHECK(program.functions() == "op_c op_b op_a main");
  }
}

TEST_CASE("other binaries: a program that has only .debug_frame, plain and compressed") {
  const std::string only = "-static -g -fno-asynchronous-unwind-tables ";
  for (const char* more : {"-gz=none", "-gz=zlib"}) {
    CAPTURE(std::string(more));
    Program program(kNested, only + more);
    CHECK(program.functions() == "op_c op_b op_a main");
  }
}

TEST_CASE("other binaries: where the C library has no rows, the entry is known by its arguments") {
  Program program(kBare, "-static -nostdlib -nostartfiles -fomit-frame-pointer");
  CHECK(program.functions() == "op_b op_a main");
}
