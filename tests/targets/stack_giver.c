/* SPDX-License-Identifier: Apache-2.0 */
/* What altstack_elsewhere.c links: nobody but this library asks for a signal stack. */
#define _GNU_SOURCE
#include <signal.h>
#include <stddef.h>

int give_stack(void *memory, size_t size)
{
	stack_t stack = {.ss_sp = memory, .ss_size = size};

	return sigaltstack(&stack, NULL);
}
