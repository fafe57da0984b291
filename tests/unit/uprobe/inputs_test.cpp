// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <vector>

#include "base/fd.h"
#include "record/event.h"
#include "uprobe/kernel.h"

// Of the kernel: inputs are counted, and recorded in slices.
using namespace compmond;

namespace {

constexpr int kSeven = 7, kSeventyTwo = 72;  // descriptors; 72 is 8 modulo 64
constexpr int kListening = 10;

void read_some(int descriptor, size_t bytes, int times) {
  std::array<char, 1024> buffer;
  for (int i = 0; i < times; ++i)
    if (::read(descriptor, buffer.data(), bytes) != ssize_t(bytes)) ::_exit(1);
}

constexpr sockaddr kAnyAddress{AF_UNIX, {}};  // the kernel chooses one

void listen_at(int descriptor) {
  const int listening = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);  // may be that one
  if (::bind(listening, &kAnyAddress, sizeof(sa_family_t)) != 0 || ::listen(listening, 8) != 0 ||
      ::dup2(listening, descriptor) != descriptor)
    ::_exit(2);
}

void take_connection() {
  const Fd client(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address{};
  socklen_t length = sizeof address;
  if (::getsockname(kListening, reinterpret_cast<sockaddr*>(&address), &length) != 0 ||
      ::connect(client.get(), reinterpret_cast<sockaddr*>(&address), length) != 0)
    ::_exit(3);
  const Fd taken(::accept(kListening, nullptr, nullptr));
  if (!taken.valid() || ::accept(kListening, nullptr, nullptr) >= 0) ::_exit(4);  // no second one
}

// A process that reads when it is told to: never more than asked for, and an answer each time.
class Reader {
 public:
  Reader() {
    std::array<int, 2> to, from;
    REQUIRE(::pipe2(to.data(), O_CLOEXEC) == 0);
    REQUIRE(::pipe2(from.data(), O_CLOEXEC) == 0);
    pid_ = ::fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) {
      ::close(to[1]);  // so that the parent's end is the only one
      serve(to[0], from[1]);
    }
    ::close(to[0]);
    ::close(from[1]);
    to_ = Fd(to[1]);
    from_ = Fd(from[0]);
  }
  ~Reader() {
    to_ = Fd();
    ::waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }
  // A connection, 3 reads of 1 byte from one descriptor, 2 of 100 from another one, none of
  // nothing.
  void work() {
    char answer = 0;
    REQUIRE(::write(to_.get(), "x", 1) == 1);
    REQUIRE(::read(from_.get(), &answer, 1) == 1);
  }

 private:
  [[noreturn]] static void serve(int orders, int answers) {
    const int zero = ::open("/dev/zero", O_RDONLY), null = ::open("/dev/null", O_RDONLY);
    const int moved = ::dup2(orders, 100), told = ::dup2(answers, 101);
    ::dup2(zero, kSeven);
    ::dup2(zero, kSeventyTwo);
    ::dup2(null, 9);
    listen_at(kListening);
    std::array<char, 8> order;
    while (::read(moved, order.data(), 1) == 1) {
      take_connection();
      read_some(kSeven, 1, 3);
      read_some(kSeventyTwo, 100, 2);
      read_some(9, 0, 1);
      if (::write(told, "x", 1) != 1) break;
    }
    ::_exit(0);
  }
  pid_t pid_ = 0;
  Fd to_, from_;
};

// A process that reads single bytes from a socket, and for each that says so one from elsewhere.
class Receiver {
 public:
  static constexpr int kSocket = 12, kElsewhere = 13;

  Receiver() {
    std::array<int, 2> ends;
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
    own_ = Fd(ends[0]);
    const Fd its(ends[1]);
    pid_ = ::fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) serve(its.get());
  }
  ~Receiver() {
    own_ = Fd();
    ::waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }
  // It has read so many times from the socket, and, `elsewhere`, from there as often.
  void read(int times, bool elsewhere = false) {
    for (int i = 0; i < times; ++i) {
      const char order = i + 1 == times ? (elsewhere ? 'E' : 'e') : elsewhere ? 'Z' : 'z';
      REQUIRE(::send(own_.get(), &order, 1, 0) == 1);
    }
    char answer = 0;
    REQUIRE(::recv(own_.get(), &answer, 1, 0) == 1);
  }

 private:
  [[noreturn]] static void serve(int socket) {
    const int zero = ::open("/dev/zero", O_RDONLY);
    ::dup2(socket, kSocket);
    ::dup2(zero, kElsewhere);
    ::close(socket);
    for (int fd = 3; fd < 1024; ++fd)
      if (fd != kSocket && fd != kElsewhere) ::close(fd);
    char order = 0;
    for (bool by_read = true;
         (by_read ? ::read(kSocket, &order, 1) : ::recv(kSocket, &order, 1, 0)) == 1;
         by_read = !by_read) {
      char byte;
      if (order == 'Z' || order == 'E')
        if (::read(kElsewhere, &byte, 1) != 1) break;
      if (order == 'e' || order == 'E')
        if (::send(kSocket, &order, 1, 0) != 1) break;
    }
    ::_exit(0);
  }
  pid_t pid_ = 0;
  Fd own_;
};

constexpr int kEnough = int(uprobe::InputCounter::kEnough);
uint64_t told_ns = 0;

struct Kept : record::EventSink {
  void on_thread(record::ThreadId, const record::ThreadInfo&) override {}
  void on_events(record::ThreadId, std::span<const record::Event> of) override {
    for (const record::Event& event : of)
      if (event.kind == record::EventKind::kInput) events.push_back(event);
  }
  std::vector<record::Event> events;
};

std::unique_ptr<uprobe::Kernel> load() {
  auto kernel = uprobe::Kernel::load({.kind = uprobe::AttachKind::kMulti,
                                      .lifecycle = false,
                                      .targets = {},
                                      .inputs = true,
                                      .slots = 64,
                                      .ring_bytes = 1 << 16});
  REQUIRE_MESSAGE(kernel, (kernel ? "" : kernel.error().text()));
  return std::move(*kernel);
}

}  // namespace

TEST_CASE("inputs: those of targets are counted by descriptor and by size" *
          doctest::skip(::geteuid() != 0)) {
  Reader target, other;
  const auto kernel = load();
  REQUIRE(kernel->add(target.pid()));
  auto counter = kernel->count_inputs();
  REQUIRE(counter);
  const engine::Inputs before = (*counter)->read();
  for (int i = 0; i < 10; ++i) {
    target.work();
    other.work();
  }
  const engine::Inputs after = (*counter)->read();
  CHECK(after.missed == before.missed);
  CHECK(after.descriptor[kSeven] - before.descriptor[kSeven] == 30);
  CHECK(after.descriptor[kSeventyTwo % 64] - before.descriptor[kSeventyTwo % 64] == 20);
  CHECK(after.descriptor[9] == before.descriptor[9]);
  CHECK(after.descriptor[kListening] - before.descriptor[kListening] == 10);
  CHECK(after.size[1] - before.size[1] == 10);       // connections
  CHECK(after.size[26] - before.size[26] == 20);     // 100 bytes
  CHECK(after.size[0] - before.size[0] == 30 + 10);  // and the orders
  CHECK(after.calls - before.calls >= 2 * 10 * 8);   // of anybody
  CHECK(after.call_ns < 10'000);
}

TEST_CASE("inputs: in a slice they are records, after the last one before it" *
          doctest::skip(::geteuid() != 0)) {
  Reader target;
  const auto kernel = load();
  REQUIRE(kernel->add(target.pid()));
  auto counter = kernel->count_inputs();
  REQUIRE(counter);
  kernel->set_recording(engine::Recording::kOn);
  Kept kept;
  target.work();
  kernel->drain(kept);
  CHECK(kept.events.empty());

  kernel->set_slice(1);
  target.work();
  kernel->set_slice(0);
  target.work();
  kernel->drain(kept);
  REQUIRE(kept.events.size() == 1 + 7);  // with the order
  CHECK(kept.events[0].flags == record::kEarlier);
  CHECK(record::input_descriptor(kept.events[0].arg) == kSeventyTwo % 64);
  CHECK(record::input_size(kept.events[0].arg) == 26);
  for (int i = 1; i < 8; ++i) CHECK(kept.events[size_t(i)].flags == 0);
  CHECK(record::input_descriptor(kept.events[2].arg) == kListening);
  CHECK(record::input_size(kept.events[2].arg) == 1);
  CHECK(record::input_descriptor(kept.events[3].arg) == kSeven);
  CHECK(record::input_size(kept.events[3].arg) == 0);
  CHECK(record::input_descriptor(kept.events[7].arg) == kSeventyTwo % 64);

  kept.events.clear();
  kernel->set_slice(2);
  target.work();
  kernel->drain(kept);
  REQUIRE(kept.events.size() == 1 + 7);
  CHECK(kept.events[0].flags == record::kEarlier);
}

TEST_CASE("inputs: once the counter is gone nothing is counted" * doctest::skip(::geteuid() != 0)) {
  Reader target;
  const auto kernel = load();
  REQUIRE(kernel->add(target.pid()));
  auto counter = kernel->count_inputs();
  REQUIRE(counter);
  target.work();
  counter->reset();
  target.work();
  auto again = kernel->count_inputs();
  REQUIRE(again);
  CHECK((*again)->read().descriptor[kSeven] == 3);
}

TEST_CASE("inputs: what was read while nobody counted is neither counted nor known" *
          doctest::skip(::geteuid() != 0)) {
  Reader target;
  const auto kernel = load();
  REQUIRE(kernel->add(target.pid()));
  auto counter = kernel->count_inputs();
  REQUIRE(counter);
  kernel->set_recording(engine::Recording::kOn);
  target.work();
  (*counter)->off();
  target.work();
  REQUIRE((*counter)->on());
  CHECK((*counter)->read().descriptor[kSeven] == 3);

  Kept kept;
  kernel->set_slice(1);
  target.work();
  kernel->set_slice(0);
  kernel->drain(kept);
  REQUIRE(!kept.events.empty());
  CHECK(kept.events[0].flags == 0);  // what it read last before is not said
  CHECK((*counter)->read().descriptor[kSeven] == 6);
}

TEST_CASE("inputs: of what reads from sockets alone, others' calls are not looked at any more" *
          doctest::skip(::geteuid() != 0 || !uprobe::InputCounter::kernel_tells_receives())) {
  Receiver target;
  const auto kernel = load();
  REQUIRE(kernel->add(target.pid()));
  auto counter = kernel->count_inputs();
  REQUIRE(counter);
  target.read(kEnough / 2);
  CHECK_FALSE((*counter)->would_change());
  target.read(kEnough / 2);
  CHECK((*counter)->would_change());
  CHECK((*counter)->read().descriptor[Receiver::kSocket] == kEnough);
  (*counter)->off();
  REQUIRE((*counter)->on());
  CHECK_FALSE((*counter)->would_change());

  const engine::Inputs before = (*counter)->read();
  target.read(10);
  target.read(5, true);
  for (int i = 0; i < 10'000; ++i) ::syscall(SYS_getppid);
  const engine::Inputs after = (*counter)->read();
  CHECK(after.descriptor[Receiver::kSocket] - before.descriptor[Receiver::kSocket] == 15);
  CHECK(after.size[0] - before.size[0] == 15);
  CHECK(after.calls == before.calls);
  CHECK(after.receives - before.receives == 15);
  CHECK(after.receive_ns < 10'000);

  kernel->set_recording(engine::Recording::kOn);
  kernel->set_slice(1);
  target.read(3);
  kernel->set_slice(0);
  Kept kept;
  kernel->drain(kept);
  REQUIRE(kept.events.size() == 1 + 3);
  CHECK(kept.events[0].flags == record::kEarlier);
  for (const record::Event& event : kept.events)
    CHECK(record::input_descriptor(event.arg) == Receiver::kSocket);
}

TEST_CASE("inputs: of what reads mostly from sockets, these are counted while nobody looks" *
          doctest::skip(::geteuid() != 0 || !uprobe::InputCounter::kernel_tells_receives())) {
  Receiver target;
  const auto kernel = load();
  REQUIRE(kernel->add(target.pid()));
  auto counter = kernel->count_inputs();
  REQUIRE(counter);
  const auto elsewhere = [&] { return (*counter)->read().descriptor[Receiver::kElsewhere]; };
  target.read(kEnough - 15);
  target.read(15, true);
  CHECK_FALSE((*counter)->would_change());
  (*counter)->off();
  const engine::Inputs before = (*counter)->read();
  CHECK(before.receiving > 0);
  target.read(20);
  target.read(7, true);
  const engine::Inputs after = (*counter)->read();
  CHECK(after.receiving == before.receiving);
  CHECK(after.received - before.received == 27);
  CHECK(after.receives - before.receives == 27);
  CHECK(after.others > before.others);  // our own, of the answers
  CHECK(after.calls == before.calls);
  CHECK(after.receive_ns > 0);
  CHECK(after.receive_ns < 10'000);
  CHECK(elsewhere() == 15);
  REQUIRE((*counter)->on());
  CHECK((*counter)->read().receiving == before.receiving);
  target.read(3, true);
  CHECK(elsewhere() == 18);
  CHECK((*counter)->read().received - after.received == 3);
}

TEST_CASE("inputs: of what reads mostly elsewhere, receives are not counted" *
          doctest::skip(::geteuid() != 0 || !uprobe::InputCounter::kernel_tells_receives())) {
  Reader target;
  const auto kernel = load();
  REQUIRE(kernel->add(target.pid()));
  told_ns = 5;
  auto counter = kernel->count_inputs([] { return told_ns; });
  REQUIRE(counter);
  CHECK((*counter)->read().receiving > 0);
  target.work();
  CHECK_FALSE((*counter)->would_change());
  told_ns += uprobe::InputCounter::kLongest;  // few, but it was looked for long enough
  CHECK((*counter)->would_change());
  (*counter)->off();
  CHECK((*counter)->read().receiving == 0);
  REQUIRE((*counter)->on());
  CHECK((*counter)->read().receiving == 0);
  target.work();
  CHECK((*counter)->read().descriptor[kSeven] == 6);
}

TEST_CASE("inputs: it is looked again and again where a program reads" *
          doctest::skip(::geteuid() != 0 || !uprobe::InputCounter::kernel_tells_receives())) {
  Receiver target;
  const auto kernel = load();
  REQUIRE(kernel->add(target.pid()));
  told_ns = 5;
  auto counter = kernel->count_inputs([] { return told_ns; });
  REQUIRE(counter);
  const auto elsewhere = [&] { return (*counter)->read().descriptor[Receiver::kElsewhere]; };
  const auto again = [&] {
    (*counter)->off();
    REQUIRE((*counter)->on());
  };
  target.read(kEnough - 1);
  target.read(1, true);
  CHECK((*counter)->would_change());
  again();
  target.read(1, true);
  CHECK(elsewhere() == 1);  // one of a thousand is nearly nothing

  told_ns += uprobe::InputCounter::kStays;
  CHECK((*counter)->would_change());
  again();
  target.read(1, true);
  CHECK(elsewhere() == 2);
}
