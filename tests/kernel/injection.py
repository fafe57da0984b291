# SPDX-License-Identifier: Apache-2.0
"""System calls made by another process against its will, as by someone who has taken it over."""

import ctypes
import os
import pathlib
import struct

import support

SEIZE, INTERRUPT, GETREGS, SETREGS, SINGLESTEP, DETACH, CONT = 0x4206, 0x4207, 12, 13, 9, 17, 7
WALL = 0x40000000
SIGTRAP, SIGSYS = 5, 31
REGISTERS = ("r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss"
             " fs_base gs_base ds es fs gs").split()
ARGUMENTS = ("rdi", "rsi", "rdx", "r10", "r8", "r9")

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


def ptrace(request, pid, data=None):
    if libc.ptrace(request, pid, None, data) != 0:
        raise OSError(ctypes.get_errno(), f"ptrace({request:#x})")


class Gone(Exception):
    """The call ended its process; by which signal."""

    def __init__(self, signal):
        super().__init__(signal)
        self.signal = signal


class TakenOver:
    """The main thread of a process, stopped. call() returns what the kernel does: negative errno where it fails."""

    def __init__(self, pid):
        self.pid = pid
        self.memory = open(f"/proc/{pid}/mem", "r+b", buffering=0)
        ptrace(SEIZE, pid)
        ptrace(INTERRUPT, pid)
        self.wait()
        self.before = self.registers()
        self.gate = self.find_gate()
        # Of two pages: in reach of nobody else, as the thread is stopped.
        self.room = self.call(9, 0, 8192, 3, 0x22, -1, 0)  # mmap
        assert self.room > 0, self.room

    def wait(self):
        _, status = os.waitpid(self.pid, WALL)
        if os.WIFSIGNALED(status) or os.WIFEXITED(status):
            raise Gone(os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0)
        return os.WSTOPSIG(status)

    def registers(self):
        raw = (ctypes.c_ulonglong * len(REGISTERS))()
        ptrace(GETREGS, self.pid, raw)
        return dict(zip(REGISTERS, raw))

    def set_registers(self, values):
        ptrace(SETREGS, self.pid, (ctypes.c_ulonglong * len(REGISTERS))(*(values[name] for name in REGISTERS)))

    def find_gate(self):
        """Where a `syscall` instruction stands."""
        for line in pathlib.Path(f"/proc/{self.pid}/maps").read_text().splitlines():
            if "[vdso]" not in line and "libc.so" not in line or " r-xp " not in line:
                continue
            start, end = (int(part, 16) for part in line.split()[0].split("-"))
            self.memory.seek(start)
            at = self.memory.read(end - start).find(b"\x0f\x05")
            if at >= 0:
                return start + at
        raise AssertionError("no syscall instruction")

    def call(self, number, *arguments):
        """Texts and bytes are put into its memory, and stand for their address."""
        values = dict(self.before)
        at = getattr(self, "room", 0)
        for name, argument in zip(ARGUMENTS, arguments):
            if isinstance(argument, (str, bytes)):
                raw = argument.encode() + b"\0" if isinstance(argument, str) else argument
                self.memory.seek(at)
                self.memory.write(raw)
                values[name] = at
                at += (len(raw) + 15) // 16 * 16
            else:
                values[name] = argument & (2**64 - 1)
        values.update(rax=number, orig_rax=2**64 - 1, rip=self.gate)
        self.set_registers(values)
        while True:
            ptrace(SINGLESTEP, self.pid)
            if self.wait() == SIGTRAP and self.registers()["rip"] != self.gate:
                break
        return struct.unpack("q", struct.pack("Q", self.registers()["rax"]))[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.memory.close()
        if not os.path.exists(f"/proc/{self.pid}"):
            return
        try:
            self.set_registers(self.before)
            ptrace(DETACH, self.pid)
        except OSError:  # it is gone
            pass


def children(pid):
    return [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def helper(pid, name):
    """The child of this process that calls itself so."""
    found = [child for child in children(pid) if pathlib.Path(f"/proc/{child}/comm").read_text().strip() == name]
    assert len(found) == 1, (name, found)
    return found[0]


def started(profiler):
    """Its process, once it has given up its rights and has threads."""
    pid = profiler.process.pid
    support.wait_for(lambda: len(os.listdir(f"/proc/{pid}/task")) > 1, "its threads")
    return pid
