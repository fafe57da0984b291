/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0 */
#pragma once

/*
 * What the kernel side of the sampler tells of one sample: this header, included by both sides. The
 * program that includes it has __u32 and __u64 already.
 */
enum {
  CM_ON_CPU = 1,  /* a timer hit while the thread ran */
  CM_OFF_CPU = 2, /* the thread came back to a CPU */
};

#define CM_STACK_PAGE 4096u
#define CM_STACK_BYTES 16384u /* of a stack that are copied at most */
#define CM_REGISTERS 17
#define CM_RETURNS 65u /* return probes that a thread may be in: the kernel's limit, and one */

/* Behind struct cm_sample: of a function that is to return to a probe. */
struct cm_return {
  __u64 slot; /* where on the stack the probe's address stands in place of the one below */
  __u64 address;
};

/*
 * Behind it are `returns` of struct cm_return, innermost first, and at `stack_at` the stack. A
 * thread that executes a probed instruction elsewhere is told to be at that instruction.
 */
struct cm_sample {
  __u32 kind;
  __u32 stack_bytes; /* that were copied: of [rsp, rsp + stack_bytes) */
  __u32 stack_at;    /* behind this struct, where they begin */
  __u32 pid, tid;    /* as the first pid namespace has them */
  __u32 cpu;
  __u32 state;    /* off CPU: as the kernel has it when the thread went; 0: it was preempted */
  __u32 returns;  /* at most CM_RETURNS */
  __u32 in_probe; /* on CPU: it ran the kernel's code for a probe, whosever; where that is known */
  __u32 unused;
  __u64 time_ns;                 /* CLOCK_MONOTONIC; off CPU: when it came back */
  __u64 kernel_ip;               /* on CPU: where it was in the kernel; 0: in the program */
  __u64 off_ns, runnable_ns;     /* off CPU: for how long, and how much of it waiting for a CPU */
  __u64 weight_ns;               /* off CPU: the waiting time that it stands for */
  __u64 registers[CM_REGISTERS]; /* of user mode, in DWARF's order: rax rdx rcx rbx rsi rdi rbp
                                  * rsp r8 to r15 rip */
};
