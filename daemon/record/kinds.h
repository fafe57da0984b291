/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0 */
/* clang-format off: kernel style, as the programs that include it */
#pragma once

/* What records say (record.h): their kinds, and the flags of each. */

enum cm_kind {
	CM_ENTRY = 0,
	CM_EXIT = 1,
	CM_EXEC = 2,
	CM_THREAD_EXIT = 3, /* arg: 1 when it was the process's last thread */
	CM_FORK = 4,	    /* arg: pid of the child process */
	CM_CONTEXT = 5,	    /* arg: of the CM_ENTRY that follows; flags: CM_CONTEXT_* */
	CM_TRANSFER = 6,    /* no call: control goes elsewhere; op: which place, flags: CM_THROW … */
	CM_STAYED = 7,	    /* no call: the function went on where it might have been left */
	CM_INPUT = 8,	    /* in a slice; arg: strata of what was read; flags: CM_EARLIER */
};

enum cm_flags {
	CM_TAIL_CALL = 1,    /* the function that was entered at the same place jumped here */
	CM_ENTRY_ONLY = 2,   /* no exit will follow */
	CM_LIMITED_EXIT = 4, /* only so many such exits can be awaited at once */
};

/* Flags of CM_TRANSFER: what becomes of the frames whose functions it leaves. */
enum cm_transfer {
	CM_THROW = 0,  /* an exception is about to leave some */
	CM_CATCH = 1,  /* it, or a forced unwinding, has left all up to here */
	CM_JUMP = 2,   /* a longjmp or another context is about to leave some */
	CM_FORCE = 3,  /* a forced unwinding is about to leave some */
	CM_RESUME = 4, /* the unwinder goes on with what it is at */
};

/* Flags of CM_EXIT. */
#define CM_JUMP_EXIT 2 /* by a jump to another observed function, which will return in its place */
#define CM_CHEAP_EXIT 1 /* at a place whose probe costs less than that of a return */

/* What an argument of a call says about it. */
enum cm_context_kind {
	CM_TRACE_ID = 0,
	CM_SESSION_ID = 1,
	CM_GIVE = 2, /* another thread will be called with the same pointer */
	CM_TAKE = 3,
};

enum cm_context_type {
	CM_INTEGER = 0,
	CM_INT32 = 1, /* the upper half of the register is not the caller's */
	CM_POINTER = 2,
	CM_STRING = 3, /* sent eight bytes at a time, to its first 0 */
};

/* Flags of CM_CONTEXT: its kind, its type, and */
#define CM_CONTEXT_TYPE_SHIFT 2
#define CM_CONTEXT_MORE 16   /* of a string: another part follows */
#define CM_CONTEXT_ABSENT 32 /* a string that could not be read, or is longer than this: */
#define CM_TEXT_BYTES 64     /* an id of a request has 16 to 36 */
