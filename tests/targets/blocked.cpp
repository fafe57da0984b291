// SPDX-License-Identifier: Apache-2.0
// blocked: a thread for each system call that may wait, in it. When it is told to go on all that
// they wait for comes. Prints how many there are, and each that did not return as it does when
// nobody is there.
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <deque>
#include <functional>
#include <string>
#include <thread>

#include "wait.h"

namespace {

constexpr int kSleep = 6;  // s: longer than whoever attaches needs
constexpr timespec kLong{60, 0}, kSome{kSleep, 0};
constexpr int kWaited = SIGUSR2, kRead = SIGHUP, kHandled = SIGVTALRM;

struct Call {
  std::string name;
  std::function<void(Call&)> prepare;
  std::function<long(Call&)> make;
  std::function<void(Call&)> release;  // none: its time does
  long expected = 0, error = 0;        // errno, where it returns -1

  int in = -1, out = -1;
  long value = 0;
  std::string path{};
  std::atomic<pid_t> tid{0};
  long got = 0, got_error = 0;
  double seconds = 0;
  std::thread thread{};
};

std::atomic<int> handled{0};
int futexes[2];
char byte;
struct Message {
  long type = 1;
  char text[1024] = "x";
};

void check(bool done) {
  if (!done) abort();
}
void set_blocking(int fd, bool blocking) {
  const int flags = fcntl(fd, F_GETFL);
  fcntl(fd, F_SETFL, blocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK);
}

void pipes(Call& c) {
  int both[2];
  check(pipe(both) == 0);
  c.in = both[0], c.out = both[1];
}
void sockets(Call& c) {
  int both[2];
  check(socketpair(AF_UNIX, SOCK_STREAM, 0, both) == 0);
  c.in = both[0], c.out = both[1];
}
void fill(Call& c) {
  static char bytes[4096];
  set_blocking(c.out, false);
  while (write(c.out, bytes, sizeof bytes) > 0 || write(c.out, bytes, 1) > 0) {
  }
  set_blocking(c.out, true);
}
void full_pipe(Call& c) { pipes(c), fill(c); }
void full_sockets(Call& c) { sockets(c), fill(c); }
void one(Call& c) { check(write(c.out, "x", 1) == 1); }
void room(Call& c) {
  static char bytes[1 << 16];
  set_blocking(c.in, false);
  while (read(c.in, bytes, sizeof bytes) > 0) {
  }
}
void none(Call&) {}

sockaddr_un address_of(const Call& c) {
  sockaddr_un out{};
  out.sun_family = AF_UNIX;
  snprintf(out.sun_path + 1, sizeof out.sun_path - 1, "compmond-blocked-%d-%s", getpid(),
           c.name.c_str());
  return out;
}
long reach(const Call& c, int socket) {
  const sockaddr_un at = address_of(c);
  return connect(socket, reinterpret_cast<const sockaddr*>(&at), sizeof at);
}
void listener(Call& c) {
  const sockaddr_un at = address_of(c);
  c.in = socket(AF_UNIX, SOCK_STREAM, 0);
  check(bind(c.in, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0 && listen(c.in, 0) == 0);
}
void client(Call& c) { check(reach(c, socket(AF_UNIX, SOCK_STREAM, 0)) == 0); }

long polled(Call& c, int ms) {
  pollfd p{c.in, POLLIN, 0};
  return poll(&p, 1, ms);
}
long epolled(Call& c, const std::function<long(int, epoll_event*)>& wait) {
  epoll_event e{EPOLLIN, {}};
  const int epoll = epoll_create1(0);
  epoll_ctl(epoll, EPOLL_CTL_ADD, c.in, &e);
  return wait(epoll, &e);
}
long received(Call& c, const std::function<long(int, mmsghdr*)>& receive) {
  char to;
  iovec part{&to, 1};
  mmsghdr message{};
  message.msg_hdr.msg_iov = &part;
  message.msg_hdr.msg_iovlen = 1;
  return receive(c.in, &message);
}
sigset_t only(int signal) {
  sigset_t out;
  sigemptyset(&out);
  if (signal != 0) sigaddset(&out, signal);
  return out;
}
const sigset_t kNone = only(0);

void child(Call& c) {
  pipes(c);
  c.value = fork();
  if (c.value != 0) return;
  close(c.out);
  _exit(read(c.in, &byte, 1) == 1 ? 7 : 8);
}
void messages(Call& c) { c.value = msgget(IPC_PRIVATE, 0600 | IPC_CREAT); }
void full_messages(Call& c) {
  messages(c);
  for (const Message m; msgsnd(int(c.value), &m, sizeof m.text, IPC_NOWAIT) == 0;) {
  }
}
void semaphore(Call& c) { c.value = semget(IPC_PRIVATE, 1, 0600 | IPC_CREAT); }
long taken(Call& c, const timespec* within) {
  sembuf take{0, -1, 0};
  return within ? semtimedop(int(c.value), &take, 1, within) : semop(int(c.value), &take, 1);
}
void post(Call& c) {
  sembuf give{0, 1, 0};
  semop(int(c.value), &give, 1);
}
long waits(Call& c, int which, const timespec* within) {
  c.value = which;
  return syscall(SYS_futex, &futexes[which], FUTEX_WAIT, 0, within, nullptr, 0);
}
void wake(Call& c) {
  check(syscall(SYS_futex, &futexes[c.value], FUTEX_WAKE, 1, nullptr, nullptr, 0) == 1);
}
// As programs of 32 bits call the kernel, which one of 64 bits can, too.
void call_by_interrupt(long& number, long fd, void* to, long size) {
  asm volatile("int $0x80" : "+a"(number) : "b"(fd), "c"(to), "d"(size)
               : "r8", "r9", "r10", "r11", "memory");
}
long read_by_interrupt(Call& c) {
  void* const low =
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  check(low != MAP_FAILED);
  long got = 3;  // read, in its numbers
  call_by_interrupt(got, c.in, low, 1);
  return got;
}
bool takes_interrupts() {  // not every kernel does
  const pid_t child = fork();
  if (child == 0) {
    long got = 20;  // getpid
    call_by_interrupt(got, 0, nullptr, 0);
    _exit(got == getpid() ? 0 : 1);
  }
  int status = 1;
  return waitpid(child, &status, 0) == child && status == 0;
}

template <int kSignal>
void send(Call& c) {
  syscall(SYS_tgkill, getpid(), pid_t(c.tid), kSignal);
}

std::deque<Call> calls() {
  std::deque<Call> out;
  const auto add = [&](const char* name, auto prepare, auto make, auto release, long expected,
                       long error = 0) {
    Call& c = out.emplace_back();
    c.name = name, c.prepare = prepare, c.make = make, c.release = release, c.expected = expected,
    c.error = error;
  };
  const auto until_its_time = std::function<void(Call&)>();
  const iovec two{const_cast<char*>("xy"), 2};

  // A table, a call in a line.
  // clang-format off
  add("read", pipes, [](Call& c) { char b; return read(c.in, &b, 1); }, one, 1);
  add("readv", pipes, [](Call& c) { char b; const iovec v{&b, 1}; return readv(c.in, &v, 1); }, one, 1);
  add("preadv2", pipes, [](Call& c) { char b; const iovec v{&b, 1}; return preadv2(c.in, &v, 1, -1, 0); }, one, 1);
  if (takes_interrupts()) add("read by int 0x80", pipes, read_by_interrupt, one, 1);
  add("poll", pipes, [](Call& c) { return polled(c, -1); }, one, 1);
  add("poll timed", pipes, [](Call& c) { return polled(c, kSleep * 1000); }, until_its_time, 0);
  add("ppoll", pipes, [](Call& c) { pollfd p{c.in, POLLIN, 0}; return ppoll(&p, 1, &kLong, &kNone); }, one, 1);
  add("select", pipes, [](Call& c) { fd_set s; FD_ZERO(&s); FD_SET(c.in, &s); return select(c.in + 1, &s, nullptr, nullptr, nullptr); }, one, 1);
  add("select timed", none, [](Call&) { timeval t{kSleep, 0}; return select(0, nullptr, nullptr, nullptr, &t); }, until_its_time, 0);
  add("pselect", pipes, [](Call& c) { fd_set s; FD_ZERO(&s); FD_SET(c.in, &s); return pselect(c.in + 1, &s, nullptr, nullptr, &kLong, &kNone); }, one, 1);
  add("epoll_wait", pipes, [](Call& c) { return epolled(c, [](int fd, epoll_event* e) { return epoll_wait(fd, e, 1, -1); }); }, one, 1);
  add("epoll_pwait", pipes, [](Call& c) { return epolled(c, [](int fd, epoll_event* e) { return epoll_pwait(fd, e, 1, 60000, &kNone); }); }, one, 1);
  constexpr long kEpollPwait2 = 441;
  add("epoll_pwait2", pipes, [](Call& c) { return epolled(c, [](int fd, epoll_event* e) { return syscall(kEpollPwait2, fd, e, 1, &kLong, nullptr, 0); }); }, one, 1);
  add("splice", pipes, [](Call& c) { int to[2]; return pipe(to) == 0 ? splice(c.in, nullptr, to[1], nullptr, 1, 0) : -1; }, one, 1);
  add("tee", pipes, [](Call& c) { int to[2]; return pipe(to) == 0 ? tee(c.in, to[1], 1, 0) : -1; }, one, 1);
  add("write", full_pipe, [](Call& c) { return write(c.out, "x", 1); }, room, 1);
  add("writev", full_pipe, [two](Call& c) { return writev(c.out, &two, 1); }, room, 2);
  add("pwritev2", full_pipe, [two](Call& c) { return pwritev2(c.out, &two, 1, -1, 0); }, room, 2);
  add("vmsplice", full_pipe, [two](Call& c) { return vmsplice(c.out, &two, 1, 0); }, room, 2);
  add("sendfile", full_pipe, [](Call& c) { return sendfile(c.out, open("/proc/self/exe", O_RDONLY), nullptr, 2); }, room, 2);
  add("sendto", full_sockets, [](Call& c) { return sendto(c.out, "x", 1, 0, nullptr, 0); }, room, 1);
  add("sendmsg", full_sockets, [two](Call& c) { iovec v = two; msghdr m{}; m.msg_iov = &v; m.msg_iovlen = 1; return sendmsg(c.out, &m, 0); }, room, 2);
  add("recvfrom", sockets, [](Call& c) { char b; return recvfrom(c.in, &b, 1, 0, nullptr, nullptr); }, one, 1);
  add("recv timed", sockets, [](Call& c) { const timeval t{60, 0}; char b; setsockopt(c.in, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t); return recv(c.in, &b, 1, 0); }, one, 1);
  add("recvmsg", sockets, [](Call& c) { return received(c, [](int fd, mmsghdr* m) { return recvmsg(fd, &m->msg_hdr, 0); }); }, one, 1);
  add("recvmmsg", sockets, [](Call& c) { return received(c, [](int fd, mmsghdr* m) { return recvmmsg(fd, m, 1, 0, nullptr); }); }, one, 1);
  add("accept", listener, [](Call& c) { return accept(c.in, nullptr, nullptr) >= 0; }, client, 1);
  add("accept4", listener, [](Call& c) { return accept4(c.in, nullptr, nullptr, SOCK_CLOEXEC) >= 0; }, client, 1);
  add("connect", [](Call& c) { listener(c), client(c); }, [](Call& c) { return reach(c, socket(AF_UNIX, SOCK_STREAM, 0)); },
      [](Call& c) { check(accept(c.in, nullptr, nullptr) >= 0 && accept(c.in, nullptr, nullptr) >= 0); }, 0);
  add("eventfd", [](Call& c) { c.in = eventfd(0, 0); }, [](Call& c) { uint64_t n; return read(c.in, &n, sizeof n); },
      [](Call& c) { const uint64_t n = 1; check(write(c.in, &n, sizeof n) == sizeof n); }, 8);
  add("timerfd", none, [](Call& c) { const itimerspec t{{0, 0}, kSome}; uint64_t n; c.in = timerfd_create(CLOCK_MONOTONIC, 0);
                                     timerfd_settime(c.in, 0, &t, nullptr); return read(c.in, &n, sizeof n); }, until_its_time, 8);
  add("inotify", [](Call& c) { char name[] = "/tmp/compmond-blocked-XXXXXX"; c.in = inotify_init1(0); c.path = mkdtemp(name); inotify_add_watch(c.in, name, IN_ATTRIB); },
      [](Call& c) { char b[512]; const bool got = read(c.in, b, sizeof b) > 0; rmdir(c.path.c_str()); return got; },
      [](Call& c) { check(chmod(c.path.c_str(), 0755) == 0); }, 1);
  add("nanosleep", none, [](Call&) { return nanosleep(&kSome, nullptr); }, until_its_time, 0);
  add("clock_nanosleep", none, [](Call&) { timespec t; clock_gettime(CLOCK_MONOTONIC, &t); t.tv_sec += kSleep;
                                           return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr); }, until_its_time, 0);
  add("futex", none, [](Call& c) { return waits(c, 0, nullptr); }, wake, 0);
  add("futex timed", none, [](Call& c) { return waits(c, 1, &kLong); }, wake, 0);
  add("wait4", child, [](Call& c) { int s = 0; return waitpid(pid_t(c.value), &s, 0) == c.value && WEXITSTATUS(s) == 7; }, one, 1);
  add("waitid", child, [](Call& c) { siginfo_t i{}; return waitid(P_PID, id_t(c.value), &i, WEXITED) == 0 && i.si_status == 7; }, one, 1);
  add("flock", [](Call& c) { c.in = open("/proc/self/exe", O_RDONLY); check(flock(c.in, LOCK_EX) == 0); },
      [](Call&) { return flock(open("/proc/self/exe", O_RDONLY), LOCK_EX); }, [](Call& c) { flock(c.in, LOCK_UN); }, 0);
  add("msgrcv", messages, [](Call& c) { Message m; const long got = msgrcv(int(c.value), &m, sizeof m.text, 0, 0); msgctl(int(c.value), IPC_RMID, nullptr); return got; },
      [](Call& c) { const Message m; check(msgsnd(int(c.value), &m, 1, 0) == 0); }, 1);
  add("msgsnd", full_messages, [](Call& c) { const Message m; const long got = msgsnd(int(c.value), &m, sizeof m.text, 0); msgctl(int(c.value), IPC_RMID, nullptr); return got; },
      [](Call& c) { Message m; check(msgrcv(int(c.value), &m, sizeof m.text, 0, 0) > 0); }, 0);
  add("semop", semaphore, [](Call& c) { const long got = taken(c, nullptr); semctl(int(c.value), 0, IPC_RMID); return got; }, post, 0);
  add("semtimedop", semaphore, [](Call& c) { const long got = taken(c, &kLong); semctl(int(c.value), 0, IPC_RMID); return got; }, post, 0);
  add("sigtimedwait", none, [](Call&) { const sigset_t s = only(kWaited); return sigtimedwait(&s, nullptr, &kLong) == kWaited; }, send<kWaited>, 1);
  add("signalfd", none, [](Call& c) { const sigset_t s = only(kRead); signalfd_siginfo i; c.in = signalfd(-1, &s, 0); return read(c.in, &i, sizeof i) == sizeof i; }, send<kRead>, 1);
  add("sigsuspend", none, [](Call&) { sigset_t s; sigfillset(&s); sigdelset(&s, kHandled); return sigsuspend(&s); }, send<kHandled>, -1, EINTR);
  add("pause", none, [](Call&) { const sigset_t s = only(kHandled); pthread_sigmask(SIG_UNBLOCK, &s, nullptr); return pause(); }, send<kHandled>, -1, EINTR);
  // clang-format on
  return out;
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void run(Call& c) {
  const double began = now();
  c.tid = pid_t(syscall(SYS_gettid));
  errno = 0;
  c.got = c.make(c);
  c.got_error = c.got == -1 ? errno : 0;
  c.seconds = now() - began;
}

}  // namespace

int main(int argc, char** argv) {
  struct sigaction count {};
  count.sa_handler = [](int) { ++handled; };
  sigaction(kHandled, &count, nullptr);
  sigset_t blocked = only(kHandled);
  sigaddset(&blocked, kWaited);
  sigaddset(&blocked, kRead);
  pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
  std::deque<Call> all = calls();
  for (Call& c : all) c.prepare(c);
  for (Call& c : all) c.thread = std::thread([&c] { run(c); });
  for (Call& c : all)
    while (c.tid == 0) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(
      300));  // all are in their calls by then, or else wait a little less
  wait_for_start(&argc, &argv);
  int wrong = 0;
  for (Call& c : all)
    if (c.release) c.release(c);
  for (Call& c : all) {
    c.thread.join();
    if (c.got == c.expected && c.got_error == c.error && (c.release || c.seconds >= kSleep))
      continue;
    printf("%s: %ld (%s) after %.3f s\n", c.name.c_str(), c.got, strerror(int(c.got_error)),
           c.seconds);
    ++wrong;
  }
  printf("%zu calls, %d wrong, %d signals\n", all.size(), wrong, int(handled));
  return wrong != 0;
}
