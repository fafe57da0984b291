/* SPDX-License-Identifier: Apache-2.0 */
/* altstack_elsewhere: as altstack, but it is a library (stack_giver.c) that asks for the signal stack. */
#define ELSEWHERE
#include "altstack.c"
