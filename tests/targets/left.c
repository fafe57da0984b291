/* SPDX-License-Identifier: Apache-2.0 */
/*
 * left jump|unseen|tail [N]: functions that are left without a return, N times, with books of who works how long.
 *   jump: a longjmp leaves two frames; unseen: the same by code of the program's own;
 *   tail: each jumps to the next.
 */
#include <setjmp.h>

#include "wall_book.h"
#include "wait.h"

static jmp_buf place;
static void *own_place[5];
static struct book outer_book = {"outer", 0, 0}, middle_book = {"middle", 0, 0}, inner_book = {"inner", 0, 0};
static struct book first_book = {"first", 0, 0}, second_book = {"second", 0, 0}, third_book = {"third", 0, 0};

/* By itself, so that all exits of `inner` are known. */
static __attribute__((noinline, noreturn)) void jump_unseen(void)
{
	__builtin_longjmp(own_place, 1);
}

PROBED void inner(int unseen)
{
	inner_book.calls++;
	work(&inner_book, 300);
	if (unseen)
		jump_unseen();
	longjmp(place, 1);
}

PROBED void middle(int unseen)
{
	middle_book.calls++;
	work(&middle_book, 200);
	inner(unseen);
	NOT_A_TAIL_CALL();
}

PROBED int outer(void)
{
	outer_book.calls++;
	if (setjmp(place) == 0)
		middle(0);
	work(&outer_book, 1000);
	return 1;
}

PROBED int outer_unseen(void)
{
	outer_book.calls++;
	if (__builtin_setjmp(own_place) == 0)
		middle(1);
	work(&outer_book, 1000);
	return 1;
}

PROBED long third(long value)
{
	third_book.calls++;
	work(&third_book, 300);
	return value + 1;
}

PROBED long second(long value)
{
	second_book.calls++;
	work(&second_book, 200);
	return third(value * 2);
}

PROBED long first(long value)
{
	first_book.calls++;
	work(&first_book, 500);
	return second(value + 3);
}

int main(int argc, char **argv)
{
	wait_for_start(&argc, &argv);
	const char *how = argc > 1 ? argv[1] : "jump";
	const long count = argument(argc, argv, 2, 100);
	const int tail = strcmp(how, "tail") == 0, unseen = strcmp(how, "unseen") == 0;
	long sum = 0;

	for (long i = 0; i < count; i++)
		sum += tail ? first(i) : unseen ? outer_unseen() : outer();
	printf("sum %ld\n", sum);
	print_book(tail ? &first_book : &outer_book);
	print_book(tail ? &second_book : &middle_book);
	print_book(tail ? &third_book : &inner_book);
	return 0;
}
