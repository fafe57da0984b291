/* SPDX-License-Identifier: Apache-2.0 */
/* Begins with a push, which a probe costs little on. */
__attribute__((naked)) long linked(__attribute__((unused)) long value)
{
	__asm__("push %rbp\n\t.cfi_adjust_cfa_offset 8\n\tlea 1(%rdi), %rax\n\tpop %rbp\n\t.cfi_adjust_cfa_offset -8\n\tret");
}
