/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linked N [pointers]: calls a library's function N times, through the linkage table, or by each
 * kind of pointer in turn that machine code knows.
 */
#include "../targets/wait.h"

long linked(long value);

struct table {
	char before[8];
	long (*near)(long value);
	char between[400];
	long (*far)(long value);
};
struct table linked_table;
long (*linked_alone)(long value);

#define CALLS 9

/* Written out, since compilers choose among them as they like. `linked` changes rax alone. */
long by_pointers(long value);
__asm__(".text\n.type by_pointers, @function\nby_pointers:\n.cfi_startproc\n"
	"push %rbx\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset rbx, 0\n"
	"push %r12\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset r12, 0\n"
	"push %r13\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset r13, 0\n"
	"lea linked_table(%rip), %rbx\nmov %rbx, %r13\nmov $1, %ecx\n"
	"mov linked_alone(%rip), %rax\nmov %rax, %r12\n"
	"call *%rax\nmov %rax, %rdi\n"
	"call *%r12\nmov %rax, %rdi\n"
	"call *8(%rbx)\nmov %rax, %rdi\n"
	"call *8(%r13)\nmov %rax, %rdi\n"
	"call *416(%rbx)\nmov %rax, %rdi\n"
	"call *(%rbx,%rcx,8)\nmov %rax, %rdi\n"
	"call *408(%r13,%rcx,8)\nmov %rax, %rdi\n"
	"call *linked_alone(%rip)\nmov %rax, %rdi\n"
	"push %r12\n.cfi_adjust_cfa_offset 8\ncall *(%rsp)\n"
	"pop %r12\n.cfi_adjust_cfa_offset -8\n"
	"pop %r13\n.cfi_adjust_cfa_offset -8\n.cfi_restore r13\n"
	"pop %r12\n.cfi_adjust_cfa_offset -8\n.cfi_restore r12\n"
	"pop %rbx\n.cfi_adjust_cfa_offset -8\n.cfi_restore rbx\nret\n"
	".cfi_endproc\n.size by_pointers, . - by_pointers\n");

int main(int argc, char **argv)
{
	long value = 0;

	wait_for_start(&argc, &argv);
	linked_table.near = linked_table.far = linked_alone = linked;
	const int pointers = argc > 2;

	for (long i = 0, n = argument(argc, argv, 1, 0); i < n; i += pointers ? CALLS : 1)
		value = pointers ? by_pointers(value) : linked(value);
	printf("%ld\n", value);
	return 0;
}
