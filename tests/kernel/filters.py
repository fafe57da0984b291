# SPDX-License-Identifier: Apache-2.0
"""Programs that run under a system call filter (seccomp)."""

import struct
import sys

BPF, UPROBE, URETPROBE = 321, 336, 335
ITERATOR = 33  # what bpf() is asked to make
EPERM, KILL = 0x50001, 0x80000000
LOAD, EQUAL, RETURN, ALLOW = 0x20, 0x15, 0x06, 0x7FFF0000

SCRIPT = """#!{python}
import ctypes, os, sys
class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]
code = bytes.fromhex("{code}")
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, ctypes.byref(Program(len(code) // 8, code)), 0, 0) != 0:
    raise OSError(ctypes.get_errno(), "no filter")
os.execv("{program}", ["{program}", *sys.argv[1:]])
"""


def filtered(folder, program, *rules):
    """A script that executes the program so that each (system call, its first argument or None, what becomes of it) holds."""
    code = []
    for call, argument, action in rules:
        end = [(RETURN, 0, 0, action)]
        if argument is not None:
            end = [(LOAD, 0, 0, 16), (EQUAL, 0, 1, argument), *end]
        code += [(LOAD, 0, 0, 0), (EQUAL, 0, len(end), call), *end]
    code.append((RETURN, 0, 0, ALLOW))
    script = folder / f"filtered-{program.name}"
    script.write_text(SCRIPT.format(python=sys.executable, program=program, code=b"".join(struct.pack("HBBI", *one) for one in code).hex()))
    script.chmod(0o755)
    return script
