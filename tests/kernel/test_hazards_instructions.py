# SPDX-License-Identifier: Apache-2.0
"""Functions that begin with each kind of instruction, in many states of the flags: the same with and without a probe there."""

import itertools
import json
import pathlib
import subprocess

import pytest
import support
from support import Folder, operation

CONDITIONS = ["o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g"]
CPU = set(pathlib.Path("/proc/cpuinfo").read_text().split("flags", 1)[1].split("\n", 1)[0].split())

# name → body; the probe sits on the first instruction unless a later one is cheaper. What is random or differs between
# processors (time, ids, the address of thread storage) is wiped again.
ALLOWED = {
    **{f"short_j{c}": f"j{c} 1f; inc %rax; 1: ret" for c in CONDITIONS},
    **{f"near_j{c}": f"{{disp32}} j{c} 1f; inc %rax; 1: ret" for c in CONDITIONS},
    **{f"set{c}": f"set{c} %al; ret" for c in ("b", "e", "s", "o", "p")},
    "jump_short": "jmp 1f; ud2; 1: ret", "jump_near": "{disp32} jmp 1f; ud2; 1: ret", "jump_bnd": ".byte 0xf2, 0xe9, 2, 0, 0, 0; ud2; ret",
    "jump_register": "jmp *%r11", "jump_memory": "jmp *returns(%rip)",
    "jrcxz": "jrcxz 1f; inc %rax; 1: ret", "jecxz": "jecxz 1f; inc %rax; 1: ret",
    "loop": "loop 1f; inc %rax; 1: ret", "loope": "loope 1f; inc %rax; 1: ret", "loopne": "loopne 1f; inc %rax; 1: ret",
    "call_near": "call just_return; inc %rax; ret", "call_register": "call *%r11; inc %rax; ret",
    "call_memory": "call *returns(%rip); inc %rax; ret",
    "ret_pop": "ret $8", "rep_ret": "rep ret",
    "push_low": "push %rbx; pop %rax; ret", "push_high": "push %r12; pop %rax; ret", "push_rsp": "push %rsp; pop %rax; sub %rsp, %rax; ret",
    "push_rex": ".byte 0x40, 0x53; pop %rax; ret", "push_word": "pushw %bx; pop %ax; ret", "push_number": "push $-3; pop %rax; ret",
    "push_memory": "push data(%rip); pop %rax; ret", "push_fs": "push %fs; pop %rax; ret",
    "enter": "enter $16, $0; leave; ret", "sub_rsp": "sub $24, %rsp; add $24, %rsp; cmp %eax, %eax; ret",
    "nop1": "nop; ret", "nop2": "xchg %ax, %ax; ret", "nop3": "nopl (%rax); ret", "nop4": "nopl 0(%rax, %rax); ret",
    "nop5": ".byte 0x0f, 0x1f, 0x44, 0, 0; ret", "nop6": ".byte 0x66, 0x0f, 0x1f, 0x44, 0, 0; ret",
    "nop7": ".byte 0x0f, 0x1f, 0x80, 0, 0, 0, 0; ret", "nop8": ".byte 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0; ret",
    "pause": "pause; ret", "endbr": "endbr64; ret",
    "clc": "clc; ret", "stc": "stc; ret", "cmc": "cmc; ret", "cld": "cld; ret", "std": "std; ret", "lahf": "lahf; ret", "sahf": "sahf; ret",
    "adc": "adc %rbx, %rax; ret", "sbb": "sbb %rbx, %rax; ret", "rcl": "rcl $3, %rbx; ret", "inc": "inc %ebx; ret", "neg": "neg %rbx; ret",
    "cmp": "cmp %rax, %rbx; ret", "cmove": "cmove %rbx, %rax; ret", "mov": "mov %rbx, %rax; ret", "bswap": "bswap %rbx; ret",
    "xchg": "xchg %rax, %rbx; ret", "xchg_memory": "xchg %rbx, data(%rip); ret", "mul": "mulq data(%rip); ret",
    "mov_load": "mov data(%rip), %rax; ret", "mov_store": "mov %rbx, data(%rip); ret", "mov_number": "movl $5, data(%rip); ret",
    "lea": "lea data(%rip), %rax; ret", "lea_32": "lea data(%eip), %eax; ret", "add_store": "add %rsi, data(%rip); ret", "cmpxchg": "cmpxchg %rbx, data(%rip); ret",
    "cmpxchg16b": "cmpxchg16b data(%rip); ret", "bts": "bts %rcx, data(%rip); ret", "movbe": "movbe data(%rip), %rax; ret",
    "mov_absolute": "movabs data, %rax; ret", "gs_null": "mov %gs, %eax; ret", "fs_load": "mov %fs:0, %rax; xor %eax, %eax; ret",
    "movs": "movsb; ret", "stos": "stosq; ret", "lods": "lodsw; ret", "scas": "scasb; ret", "cmps": "cmpsl; ret", "xlat": "xlat; ret",
    "sse_load": "movdqa data(%rip), %xmm0; ret", "sse_store": "movdqu %xmm1, data(%rip); ret", "ucomisd": "ucomisd %xmm0, %xmm1; ret",
    "ptest": "ptest data(%rip), %xmm1; ret", "x87": "fldpi; fstp %st(0); ret", "stmxcsr": "stmxcsr data(%rip); ret",
    "cpuid": "cpuid; xor %eax, %eax; xor %ebx, %ebx; xor %ecx, %ecx; xor %edx, %edx; ret",
    "rdtsc": "rdtsc; xor %eax, %eax; xor %edx, %edx; ret",
}
if "avx2" in CPU:
    ALLOWED |= {"vmovaps": "vmovaps data(%rip), %xmm0; ret", "vandps": "vandps data(%rip), %xmm1, %xmm0; ret",
                "vaddsd": "vaddsd %xmm0, %xmm1, %xmm0; ret", "vpinsrw": "vpinsrw $3, %ebx, %xmm1, %xmm0; ret",
                "vpextrw": "vpextrw $3, %xmm1, %eax; ret", "vpavgw": "vpavgw data(%rip), %xmm1, %xmm0; ret",
                "vpalignr": "vpalignr $3, data(%rip), %xmm1, %xmm0; ret", "vucomisd": "vucomisd %xmm0, %xmm1; ret",
                "vmaskmov": "vpmaskmovd %xmm1, %xmm0, data(%rip); ret"}
if "bmi2" in CPU:
    ALLOWED |= {"andn": "andn data(%rip), %rbx, %rax; ret", "mulx": "mulx data(%rip), %rax, %rbx; ret", "shlx": "shlx %rcx, data(%rip), %rax; ret",
                "bextr": "bextr %rcx, data(%rip), %rax; ret", "rorx": "rorx $5, data(%rip), %rax; ret"}
if "fsgsbase" in CPU:
    ALLOWED["rdfsbase"] = "rdfsbase %rax; xor %eax, %eax; ret"

REFUSED = {
    "pushf": "pushf; popf; ret", "pushf_word": "pushfw; popfw; ret",
    "rep_movs": "rep movsb; ret", "rep_stos": "rep stosq; ret", "rep_lods": "rep lodsb; ret", "repe_cmps": "repe cmpsb; ret",
    "repne_scas": "repne scasb; ret", "rep_ins": "rep insb; ret",
    "xbegin": ".byte 0xc7, 0xf8, 0, 0, 0, 0; ret", "lock": "lock incl data(%rip); ret", "cs_nop": "cs nopw 0(%rax, %rax); ret",
    "notrack": "notrack jmp *%r11", "xchg_r8": "xchg %rax, %r8; ret", "jump_word": ".byte 0x66, 0x74, 0, 0; ret",
    "mov_ss": "mov %eax, %ss; ret", "int3": "int3; ret", "int": "int $0x80; ret", "syscall": "syscall; ret", "sysenter": "sysenter; ret",
    "hlt": "hlt; ret", "cli": "cli; ret", "sti": "sti; ret", "in": "in %dx, %al; ret", "out": "out %al, %dx; ret", "iret": "iretq",
    "ud2": "ud2; ret", "xgetbv": "xgetbv; ret", "vzeroupper": "vzeroupper; ret", "vpshufd": "vpshufd $27, %xmm0, %xmm0; ret",
    "vcmpps": "vcmpps $1, %xmm0, %xmm1, %xmm0; ret", "vfnmadd132ss": "vfnmadd132ss %xmm0, %xmm1, %xmm0; ret",
    "vpmaskmovd": "vpmaskmovd %xmm2, %xmm0, data(%rip); ret", "vpxor": "vpxor data(%rip), %xmm1, %xmm0; ret",
    "evex": "vmovups %zmm0, %zmm1; ret",
    "rex_twice_call": ".byte 0x48, 0x41, 0xff, 0xd3; ret", "rex_twice_lea": ".byte 0x41, 0x48, 0x8d, 0x05, 0, 0, 0, 0; ret",
    "five_prefixes": ".byte 0x64, 0x65, 0x66, 0x67, 0xf2, 0x41, 0xff, 0xd3; ret", "rex_before_prefix": ".byte 0x48, 0x66, 0x89, 0xd8; ret",
}

# CF PF AF ZF SF DF OF AC ID: none, each alone, all but each, all, some mixtures.
FLAGS = [1 << bit for bit in (0, 2, 4, 6, 7, 10, 11, 18, 21)]
STATES = [0, *FLAGS, *(sum(FLAGS) - flag for flag in FLAGS), sum(FLAGS), *(sum(pair) for pair in itertools.combinations(FLAGS[:7], 2))][:32]

DRIVER = r"""
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
struct form { const char *name; void (*code)(void); };
extern const struct form forms[];
extern const uint64_t states[];
extern const int n_forms, n_states;
extern struct { uint64_t before[8], middle[8], after[8]; } data_area;
extern uint64_t results[26];
void call_form(void (*code)(void), uint64_t flags);
static uint64_t hash(uint64_t h, const void *p, size_t n)
{
    for (const unsigned char *c = p; n--; c++) h = (h ^ *c) * 0x100000001b3;
    return h;
}
int main(void)
{
    char c;
    printf("pid %d\n", (int)getpid()); fflush(stdout);
    if (read(0, &c, 1) < 0) return 1;
    for (int f = 0; f < n_forms; f++)
        for (int s = 0; s < n_states; s++) {
            for (int i = 0; i < 8; i++)
                data_area.before[i] = data_area.middle[i] = data_area.after[i] = 0x0123456789abcdefull * (uint64_t)(i + 1);
            memset(results, 0, sizeof results);
            call_form(forms[f].code, states[s]);
            printf("%s %lx flags %lx sp %ld %016lx\n", forms[f].name, states[s], results[16], (long)results[17],
                   hash(hash(0xcbf29ce484222325, results, sizeof results), &data_area, sizeof data_area));
        }
    return 0;
}
"""

# Fixed addresses, so that addresses in registers are the same in each run. %r11 is an address to jump or call to, %rsi,
# %rdi and %rbx point into the data, 16 bytes below %rsp at return is the difference that `ret $8` makes.
TRAMPOLINE = r"""
    .text
    .globl call_form
call_form:
    push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15
    sub $24, %rsp
    mov %rsp, saved(%rip)
    mov %rdi, target(%rip)
    mov %rsi, 8(%rsp)
    movdqa vector0(%rip), %xmm0
    movdqa vector1(%rip), %xmm1
    mov $0x1122334455667788, %rax
    mov $data, %rbx
    mov $3, %ecx
    mov $0x2233445566778899, %rdx
    mov $data, %rsi
    mov $data + 16, %rdi
    mov $0x33, %ebp
    mov $0x44, %r8d
    mov $0x55, %r9d
    mov $0x66, %r10d
    mov $just_return, %r11
    mov $0x77, %r12d
    mov $0x88, %r13d
    mov $0x99, %r14d
    mov $0xaa, %r15d
    push 8(%rsp)
    popf
    call *target(%rip)
    mov %rsp, results + 136(%rip)
    mov saved(%rip), %rsp
    pushf
    pop results + 128(%rip)
    push $0
    popf
    mov %rax, results(%rip); mov %rbx, results + 8(%rip); mov %rcx, results + 16(%rip); mov %rdx, results + 24(%rip)
    mov %rsi, results + 32(%rip); mov %rdi, results + 40(%rip); mov %rbp, results + 48(%rip); mov %r8, results + 56(%rip)
    mov %r9, results + 64(%rip); mov %r10, results + 72(%rip); mov %r11, results + 80(%rip); mov %r12, results + 88(%rip)
    mov %r13, results + 96(%rip); mov %r14, results + 104(%rip); mov %r15, results + 112(%rip)
    movdqu %xmm0, results + 144(%rip)
    movdqu %xmm1, results + 160(%rip)
    sub %rsp, results + 136(%rip)
    add $24, %rsp
    pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx
    ret
    .type just_return, @function
just_return: ret
    .size just_return, . - just_return
    .data
    .balign 64
    .globl data_area, results
data_area: .skip 64
data: .skip 128
results: .skip 208
saved: .quad 0
target: .quad 0
returns: .quad just_return
    .balign 16
vector0: .quad 0x3ff0000000000000, 0x1234
vector1: .quad 0x4000000000000000, 0x5678
"""


def build(folder, forms):
    lines = [TRAMPOLINE, "    .text"]
    for name, body in forms.items():
        lines += ["    .balign 32", f"    .globl f_{name}", f"    .type f_{name}, @function", f"f_{name}: {body}", f"    .size f_{name}, . - f_{name}"]
    lines += ["    .section .rodata", "    .balign 8", "    .globl forms, states, n_forms, n_states", "forms:"]
    lines += [f"    .quad name_{name}, f_{name}" for name in forms]
    lines += ["states: .quad " + ", ".join(map(str, STATES)), f"n_forms: .int {len(forms)}", f"n_states: .int {len(STATES)}"]
    lines += [f"name_{name}: .asciz \"{name}\"" for name in forms]
    lines += ["    .section .note.GNU-stack, \"\", @progbits", ""]
    (folder / "forms.S").write_text("\n".join(lines))
    (folder / "driver.c").write_text(DRIVER)
    subprocess.run(["cc", "-O1", "-fno-pie", "-no-pie", "-o", folder / "forms", folder / "driver.c", folder / "forms.S"], check=True)
    return folder / "forms"


def spec_of(forms, mode):
    return support.spec(None, components=[{"name": name, "in": [f"f_{name}"], "exit": mode} for name in forms])


@pytest.mark.parametrize("mode", ["return-probe", "ret-sites"])
def test_each_form_of_entry_leaves_registers_flags_and_memory_as_they_would_be(mode):
    # What is nothing but its exit, or ends in a jump whose targets are not known, has no ret-sites.
    forms = {name: body for name, body in ALLOWED.items() if mode == "return-probe" or name not in ("ret_pop", "rep_ret", "jump_register", "jump_memory")}
    with Folder() as folder:
        program = build(folder, forms)
        with support.Target(program) as alone:
            expected, status = alone.finish()
        assert status == 0
        observed, status, snapshot = support.observe(spec_of(forms, mode), program)
    differing = [pair for pair in zip(expected.splitlines(), observed.splitlines()) if pair[0] != pair[1]]
    assert not differing, differing[:20]
    assert (status, len(observed.splitlines())) == (0, len(forms) * len(STATES))
    print(f"{len(forms)} forms in {len(STATES)} states of the flags: {len(forms) * len(STATES)} combinations")
    assert len(forms) * len(STATES) >= 1644
    calls = {name: operation(snapshot, f"f_{name}")["calls"] for name in forms}
    assert {name: count for name, count in calls.items() if count != len(STATES)} == {}
    support.check_accounting(snapshot)


def test_forms_that_cannot_carry_a_probe_are_refused():
    with Folder() as folder:
        program = build(folder, REFUSED)
        (folder / "spec.json").write_text(json.dumps(spec_of(REFUSED, "auto")))
        with support.Target(program) as target:
            answer = subprocess.run([support.COMPMOND, "check", "--json", "--spec", folder / "spec.json", "--pid", str(target.pid)],
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    operations = json.loads(answer.stdout)["operations"]
    assert {o["symbol"] for o in operations} == {f"f_{name}" for name in REFUSED}
    assert [o["symbol"] for o in operations if o.get("engine") == "uprobe"] == []
