// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0
/*
 * Entry and exit probes and thread lifecycle: each hit appends one record to the slot of its
 * thread. See record.h for how records travel.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "record.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Knobs, set before loading. */
const volatile __u64 exe_inode =
	0; /* the observed program: a target that executes another file is none any more */
const volatile __u32 exe_dev = 0;	/* its device, as the kernel has it; 0: any */
const volatile bool all_of_exe = false; /* observe every process that executes the program */
const volatile bool follow_forks = true;
const volatile bool tail_calls = false; /* an observed function may end in a jump to another one */

/* enum cm_recording; written by user space. */
volatile __u32 recording = CM_OFF;

/* Slots that no thread owns, lowest number on top. */
struct {
	__uint(type, BPF_MAP_TYPE_STACK);
	__uint(max_entries, 1);
	__uint(key_size, 0);
	__uint(value_size, sizeof(__u32));
} free_slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct cm_slot);
} slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");

/* Processes to observe, by tgid. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u8);
} targets SEC(".maps");

enum slot_choice {
	UNKNOWN = 0,
	IGNORED = 1,
	FIRST_SLOT = 2
};

struct thread_state {
	__u32 choice;	  /* enum slot_choice, or FIRST_SLOT + slot number */
	__u32 generation; /* of the targets when it was IGNORED */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct thread_state);
} threads SEC(".maps");

/* The slot found last on this CPU: mostly that of the thread that runs, which saves a look-up. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} recent SEC(".maps");

/* Hits that found no slot, one counter per CPU; user space sums them. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} no_slot SEC(".maps");

/* Bumped by user space when it adds a process, so that threads once ignored are looked at again. */
volatile __u32 targets_generation = 0;

extern bool bpf_session_is_return(void) __ksym __weak;
extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __ksym __weak;

static __always_inline void count_no_slot(void)
{
	__u32 zero = 0;
	__u64 *count = bpf_map_lookup_elem(&no_slot, &zero);

	if (count)
		*count += 1;
}

static __noinline struct cm_slot *take_slot(struct task_struct *task, struct thread_state *state)
{
	__u32 number, tgid = task->tgid;
	/* Read before the look-up: a process that is added after it bumps the number. */
	__u32 generation = targets_generation;
	struct cm_slot *slot;

	if (!bpf_map_lookup_elem(&targets, &tgid)) {
		state->choice = IGNORED;
		state->generation = generation;
		return 0;
	}
	if (bpf_map_pop_elem(&free_slots, &number)) {
		count_no_slot();
		return 0;
	}
	slot = bpf_map_lookup_elem(&slots, &number);
	if (!slot)
		return 0;
	slot->pid = tgid;
	slot->tid = task->pid;
	slot->start_ns = BPF_CORE_READ(task, start_boottime);
	slot->next_seq = 0;
	slot->dropped = 0;
	slot->trampoline = 0;
	__builtin_memset(slot->open_at, 0, sizeof(slot->open_at));
	bpf_probe_read_kernel(slot->comm, sizeof(slot->comm), &task->comm);
	slot->chunk.slot = number;
	slot->chunk.count = 0;
	slot->chunk.first_seq = 0;
	slot->chunk.lost = 0;
	slot->chunk.generation += 1;
	__sync_lock_test_and_set(&slot->state, CM_LIVE); /* all of the above is visible first */
	state->choice = FIRST_SLOT + number;
	return slot;
}

/* The slot of the current thread by way of its storage, or NULL. */
static __noinline struct cm_slot *find_slot(struct task_struct *task, __u32 *latest)
{
	struct thread_state *state;
	__u32 number;

	state = bpf_task_storage_get(&threads, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!state) {
		count_no_slot();
		return 0;
	}
	if (state->choice >= FIRST_SLOT) {
		number = state->choice - FIRST_SLOT;
		*latest = number;
		return bpf_map_lookup_elem(&slots, &number);
	}
	if (state->choice == IGNORED && state->generation == targets_generation)
		return 0;
	return take_slot(task, state);
}

/* The slot of `task`, the current thread, or NULL when it is not to be observed. */
static __always_inline struct cm_slot *slot_of_current(struct task_struct *task)
{
	__u32 zero = 0, *latest = bpf_map_lookup_elem(&recent, &zero);
	struct cm_slot *slot;

	if (!latest)
		return 0; /* never: an array has its entry */
	slot = bpf_map_lookup_elem(&slots, latest);
	/* Any number may stand there, also one written by a thread that was preempted: the slot
	 * itself says whose it is. */
	if (slot && slot->tid == task->pid && slot->start_ns == task->start_boottime &&
	    slot->state == CM_LIVE)
		return slot;
	return find_slot(task, latest);
}

/*
 * Hands a full chunk to the ring and starts the next one with the record numbered `seq`. When the
 * ring is full the chunk stays as it is (user space will still read it in place) and the new record
 * is the one that is lost.
 */
static __noinline int next_chunk(struct cm_slot *slot, __u64 seq)
{
	if (bpf_ringbuf_output(&ring, &slot->chunk, sizeof(slot->chunk), BPF_RB_NO_WAKEUP)) {
		slot->dropped += 1;
		return 1;
	}
	/* A reader in place must see `count` fall before the number changes: record.h. */
	*(volatile __u32 *)&slot->chunk.count = 0;
	barrier();
	slot->chunk.lost = slot->dropped;
	*(volatile __u64 *)&slot->chunk.first_seq = seq;
	barrier();
	return 0;
}

static __always_inline void append(struct cm_slot *slot, __u64 time, __u64 value, __u32 op,
				   __u16 kind, __u16 flags)
{
	__u64 seq = slot->next_seq;
	__u32 count = slot->chunk.count;
	struct cm_record *record;

	*(volatile __u64 *)&slot->next_seq = seq + 1; /* counted before it is sent */
	if (count >= CM_CHUNK_RECORDS) {
		if (next_chunk(slot, seq))
			return;
		count = 0;
	}
	record = &slot->chunk.records[count & (CM_CHUNK_RECORDS - 1)];
	record->time_ns = time;
	record->value = value;
	record->op = op;
	record->kind = kind;
	record->flags = flags;
	barrier();
	*(volatile __u32 *)&slot->chunk.count = count + 1;
}

/* Where return probes of this process return to; 0 while it has none yet. */
static __noinline __u64 find_trampoline(struct cm_slot *slot)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct xol_area *area = BPF_CORE_READ(task, mm, uprobes_state.xol_area);

	if (area)
		slot->trampoline = BPF_CORE_READ(area, vaddr);
	return slot->trampoline;
}

/* Stack pointers at entry are 16 bytes apart. */
static __always_inline cm_u8 *open_at(struct cm_slot *slot, __u64 sp)
{
	return &slot->open_at[(sp >> 4) & (CM_OPEN_AT - 1)];
}

/*
 * A tail call has the stack pointer of its caller, whose return probe is open. So where none is
 * open at this stack pointer (or at one of the same hash), reading the target's stack is spared.
 * Return probes that never fire, as after a longjmp, leave a count too high, which only costs the
 * reading; one that stands at 255 stays there.
 */
static __always_inline __u16 tail_call_flag(struct cm_slot *slot, __u64 sp)
{
	__u64 trampoline = slot->trampoline;
	__u64 caller = 0;

	if (!*open_at(slot, sp))
		return 0;
	if (!trampoline) {
		trampoline = find_trampoline(slot);
		if (!trampoline)
			return 0;
	}
	if (bpf_probe_read_user(&caller, sizeof(caller), (void *)sp))
		return 0;
	return caller == trampoline ? CM_TAIL_CALL : 0;
}

static __always_inline int entry(struct pt_regs *ctx, struct task_struct *task, __u64 cookie,
				 __u16 flags)
{
	struct cm_slot *slot;
	cm_u8 *open;

	if (recording != CM_ON)
		return 1;
	slot = slot_of_current(task);
	if (!slot)
		return 1;
	if (tail_calls) {
		flags |= tail_call_flag(slot, ctx->sp);
		open = open_at(slot, ctx->sp);
		if ((flags & CM_RETURN_PROBE) && *open < 255)
			*open += 1;
	}
	append(slot, bpf_ktime_get_ns(), ctx->sp, (__u32)cookie, CM_ENTRY, flags);
	return 0;
}

/* `entry_sp`: the stack pointer at the function's entry. */
static __always_inline void leave(__u64 entry_sp, struct task_struct *task, __u64 cookie,
				  bool return_probe)
{
	__u64 now = bpf_ktime_get_ns();
	struct cm_slot *slot;
	cm_u8 *open;

	if (recording != CM_ON)
		return;
	slot = slot_of_current(task);
	if (!slot)
		return;
	if (tail_calls && return_probe) {
		open = open_at(slot, entry_sp);
		if (*open > 0 && *open < 255)
			*open -= 1;
	}
	append(slot, now, entry_sp, (__u32)cookie, CM_EXIT, 0);
}

/*
 * Whether a session program runs at a return, and the cookie of its probe: read from where the
 * kernel keeps them, at half the cost of its two functions for it.
 */
static __always_inline bool session_is_return(struct pt_regs *ctx, struct task_struct *task,
					      __u64 *cookie)
{
	struct bpf_uprobe_multi_run_ctx *run;

	if (!bpf_rdonly_cast || !bpf_core_field_exists(struct bpf_uprobe_multi_run_ctx, uprobe) ||
	    !bpf_core_field_exists(struct bpf_uprobe_multi_run_ctx, session_ctx) ||
	    !bpf_core_field_exists(struct bpf_session_run_ctx, is_return) ||
	    !bpf_core_field_exists(struct bpf_uprobe, cookie) ||
	    !bpf_core_field_exists(struct task_struct, bpf_ctx)) {
		*cookie = bpf_get_attach_cookie(ctx);
		return bpf_session_is_return();
	}
	run = bpf_rdonly_cast(task->bpf_ctx,
			      bpf_core_type_id_kernel(struct bpf_uprobe_multi_run_ctx));
	*cookie = run->uprobe->cookie;
	return run->session_ctx.is_return;
}

/* Entry and return in one program, kernels >= 6.13. */
SEC("kprobe")
int on_session(struct pt_regs *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 cookie;

	if (session_is_return(ctx, task, &cookie)) {
		leave(ctx->sp - 8, task, cookie, true);
		return 0;
	}
	if (entry(ctx, task, cookie, CM_RETURN_PROBE))
		return 1; /* not observed: no return probe either */
	return 0;
}

/* The same as two programs, kernels >= 6.6, or one perf event per symbol. */
SEC("kprobe")
int on_entry(struct pt_regs *ctx)
{
	entry(ctx, bpf_get_current_task_btf(), bpf_get_attach_cookie(ctx), CM_RETURN_PROBE);
	return 0;
}

SEC("kprobe")
int on_return(struct pt_regs *ctx)
{
	leave(ctx->sp - 8, bpf_get_current_task_btf(), bpf_get_attach_cookie(ctx), true);
	return 0;
}

/* Exit modes ret-sites and entry-only: the entry, and the instructions that leave the function. */
SEC("kprobe")
int on_entry_plain(struct pt_regs *ctx)
{
	__u64 cookie = bpf_get_attach_cookie(ctx);

	entry(ctx, bpf_get_current_task_btf(), cookie,
	      cookie & CM_COOKIE_ENTRY_ONLY ? CM_ENTRY_ONLY : 0);
	return 0;
}

SEC("kprobe")
int on_exit_site(struct pt_regs *ctx)
{
	leave(ctx->sp, bpf_get_current_task_btf(), bpf_get_attach_cookie(ctx), false);
	return 0;
}

/* The slot of a thread that was observed before, or NULL. Never takes a new one. */
static __always_inline struct cm_slot *known_slot(struct task_struct *task,
						  struct thread_state **out)
{
	struct thread_state *state = bpf_task_storage_get(&threads, task, 0, 0);
	__u32 number;

	if (!state || state->choice < FIRST_SLOT)
		return 0;
	*out = state;
	number = state->choice - FIRST_SLOT;
	return bpf_map_lookup_elem(&slots, &number);
}

static __always_inline void end_slot(struct cm_slot *slot, struct thread_state *state)
{
	state->choice = UNKNOWN;
	__sync_lock_test_and_set(&slot->state, CM_ENDED);
}

SEC("tp_btf/sched_process_exit")
int on_thread_exit(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	struct thread_state *state;
	struct cm_slot *slot = known_slot(task, &state);
	__u32 tgid = task->tgid;
	bool last = task->signal->live.counter == 0;

	if (slot && recording) { /* afterwards user space counts no more: see Session::stop */
		append(slot, bpf_ktime_get_ns(), last, 0, CM_THREAD_EXIT, 0);
		end_slot(slot, state);
	}
	if (last)
		bpf_map_delete_elem(&targets, &tgid);
	return 0;
}

SEC("tp_btf/sched_process_fork")
int on_fork(__u64 *ctx)
{
	struct task_struct *parent = (void *)ctx[0];
	struct task_struct *child = (void *)ctx[1];
	__u32 parent_tgid = parent->tgid, child_tgid = child->tgid;
	struct cm_slot *slot;
	__u8 yes = 1;

	if (parent_tgid == child_tgid || !follow_forks)
		return 0;
	if (!bpf_map_lookup_elem(&targets, &parent_tgid))
		return 0;
	bpf_map_update_elem(&targets, &child_tgid, &yes, BPF_ANY);
	if (!recording)
		return 0;
	slot = slot_of_current(parent);
	if (slot)
		append(slot, bpf_ktime_get_ns(), child_tgid, 0, CM_FORK, 0);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int on_exec(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	struct linux_binprm *bprm = (void *)ctx[2];
	__u32 tgid = task->tgid;
	struct thread_state *state;
	struct cm_slot *slot;
	__u8 yes = 1;

	slot = known_slot(task, &state);
	if (slot && recording) {
		/* The old program's frames are gone; the thread may have a new tid and name. */
		append(slot, bpf_ktime_get_ns(), 0, 0, CM_EXEC, 0);
		end_slot(slot, state);
	}
	if (bprm->file->f_inode->i_ino != exe_inode ||
	    (exe_dev && bprm->file->f_inode->i_sb->s_dev != exe_dev)) {
		bpf_map_delete_elem(&targets, &tgid);
		return 0;
	}
	if (!all_of_exe)
		return 0;
	state = bpf_task_storage_get(&threads, task, 0, 0);
	if (state)
		state->choice = UNKNOWN;
	bpf_map_update_elem(&targets, &tgid, &yes, BPF_ANY);
	if (!recording)
		return 0;
	slot = slot_of_current(task); /* announces the new process */
	if (slot)
		append(slot, bpf_ktime_get_ns(), 1, 0, CM_EXEC, 0);
	return 0;
}
