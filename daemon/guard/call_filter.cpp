// SPDX-License-Identifier: Apache-2.0
#include "guard/call_filter.h"

#include <fcntl.h>
#include <linux/bpf.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

namespace compmond::guard {
namespace {

// A list of what is forbidden, not of what is allowed: sockets, files, threads and memory stay
// usable for whatever shows and records the results, in any version of the libraries below.
constexpr int kForbidden[] = {
    // other programs
    SCMP_SYS(execve), SCMP_SYS(execveat), SCMP_SYS(fork), SCMP_SYS(vfork),
    // other processes' memory and descriptors
    SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev), SCMP_SYS(process_madvise),
    SCMP_SYS(pidfd_getfd), SCMP_SYS(kcmp), SCMP_SYS(userfaultfd), SCMP_SYS(move_pages),
    SCMP_SYS(migrate_pages),
    // users and rights
    SCMP_SYS(setuid), SCMP_SYS(setgid), SCMP_SYS(setreuid), SCMP_SYS(setregid), SCMP_SYS(setresuid),
    SCMP_SYS(setresgid), SCMP_SYS(setgroups), SCMP_SYS(setfsuid), SCMP_SYS(setfsgid),
    SCMP_SYS(capset), SCMP_SYS(keyctl), SCMP_SYS(add_key), SCMP_SYS(request_key),
    // namespaces and mounts
    SCMP_SYS(unshare), SCMP_SYS(setns), SCMP_SYS(chroot), SCMP_SYS(pivot_root), SCMP_SYS(mount),
    SCMP_SYS(umount2), SCMP_SYS(move_mount), SCMP_SYS(mount_setattr), SCMP_SYS(open_tree),
    SCMP_SYS(fsopen), SCMP_SYS(fsconfig), SCMP_SYS(fsmount), SCMP_SYS(fspick), SCMP_SYS(swapon),
    SCMP_SYS(swapoff), SCMP_SYS(quotactl), SCMP_SYS(open_by_handle_at), SCMP_SYS(mknod),
    SCMP_SYS(mknodat), SCMP_SYS(fanotify_init),
    // the kernel and the machine
    SCMP_SYS(init_module), SCMP_SYS(finit_module), SCMP_SYS(delete_module), SCMP_SYS(kexec_load),
    SCMP_SYS(kexec_file_load), SCMP_SYS(reboot), SCMP_SYS(acct), SCMP_SYS(syslog),
    SCMP_SYS(sethostname), SCMP_SYS(setdomainname), SCMP_SYS(settimeofday), SCMP_SYS(clock_settime),
    SCMP_SYS(clock_adjtime), SCMP_SYS(adjtimex), SCMP_SYS(iopl), SCMP_SYS(ioperm),
    SCMP_SYS(modify_ldt), SCMP_SYS(personality), SCMP_SYS(vhangup),
    // emptying files, which Landlock sees from Linux 6.2
    SCMP_SYS(truncate), SCMP_SYS(creat),
    // signals to whoever a number stands for, which Landlock sees from Linux 6.12
    SCMP_SYS(tkill), SCMP_SYS(pidfd_send_signal),
    // ways around this filter: what it cannot look at
    SCMP_SYS(openat2), SCMP_SYS(io_uring_setup), SCMP_SYS(io_uring_enter),
    SCMP_SYS(io_uring_register)};

}  // namespace

int filter_calls(const Needs& needs) {
  const std::unique_ptr<void, void (*)(scmp_filter_ctx)> filter(::seccomp_init(SCMP_ACT_ALLOW),
                                                                ::seccomp_release);
  if (!filter) return ENOMEM;
  int err = 0;
  const auto forbid = [&](int call, std::initializer_list<scmp_arg_cmp> arguments = {},
                          uint32_t action = SCMP_ACT_ERRNO(EPERM)) {
    const int result = ::seccomp_rule_add_array(filter.get(), action, call,
                                                unsigned(arguments.size()), arguments.begin());
    if (result != 0 && err == 0) err = -result;
  };
  for (const int call : kForbidden) forbid(call);
  forbid(SCMP_SYS(open), {SCMP_A1_64(SCMP_CMP_MASKED_EQ, O_TRUNC, O_TRUNC)});
  forbid(SCMP_SYS(openat), {SCMP_A2_64(SCMP_CMP_MASKED_EQ, O_TRUNC, O_TRUNC)});
  for (const int call : {SCMP_SYS(kill), SCMP_SYS(tgkill), SCMP_SYS(rt_sigqueueinfo),
                         SCMP_SYS(rt_tgsigqueueinfo)})  // to itself it may, as abort() does
    forbid(call, {SCMP_A0_64(SCMP_CMP_NE, scmp_datum_t(::getpid()))});
  forbid(SCMP_SYS(ptrace),
         {SCMP_A0_64(SCMP_CMP_NE, PTRACE_DETACH)});  // a started program is let go
  forbid(SCMP_SYS(clone), {SCMP_A0_64(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0)});  // threads only
  // Its arguments cannot be looked at; the C library falls back to clone.
  forbid(SCMP_SYS(clone3), {}, SCMP_ACT_ERRNO(ENOSYS));
  if (!needs.perf_events) forbid(SCMP_SYS(perf_event_open));
  if (!needs.probes) forbid(SCMP_SYS(bpf));
  // What is loaded is all there will be, and nothing stays behind when compmond ends.
  for (const int command : {BPF_PROG_LOAD, BPF_BTF_LOAD, BPF_OBJ_PIN})
    if (needs.probes) forbid(SCMP_SYS(bpf), {SCMP_A0_64(SCMP_CMP_EQ, scmp_datum_t(command))});
  return err != 0 ? err : -::seccomp_load(filter.get());
}

}  // namespace compmond::guard
