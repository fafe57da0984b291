# SPDX-License-Identifier: Apache-2.0
"""Why a goal is missed, and what to try next: told beside the figure whenever it is. A key that ends with * stands for all
that begin so."""

REASONS = {
    "floor-*": "Reading the clock at entry and return, which whoever tells times must do, takes most of what is allowed (the column "
               "clock in the table), and with as many busy threads as processors the daemon's own work takes the target's place "
               "(the ratio of CPU time is that of the probes alone). Next: the processor's counter, where the kernel lets BPF read "
               "it; less work per event in pairing and storing.",
    "transport-*": "Finding the thread's slot (its task, 25 ns a call) and writing two records is all that is left; the interval tells how far "
                   "the machine's mood reaches. Next: the task without a call, where the kernel inlines it.",
    "ladder-r": "The empty programs of the floor are hardly more linear: what is left is the noise of a shared machine.",
    "inside-growth": "The shortest runs pay for the first touch of the history's memory; from 10⁶ events on it is constant. Next: none, "
                     "as that is paid once.",
    "inside-day": "The newest 4,096 executions are looked at one by one: in a run of few events a second that is the same work for a "
                  "longer stretch. Next: say within a chunk of the history where the window may begin.",
    "inside-json": "Each name and figure is written anew. Next: keep the text of what does not change.",
    "idle-daemon": "Waking up is what costs, some 70 µs each time in this virtual machine, and data may be no older than 40 ms. Next: sleep "
                   "until the first event, where the kernel can tell.",
    "frame-age": "The frame takes about a millisecond at either age: what is left is noise of a shared machine.",
    "bpftrace-*": "The trap itself costs both the same, and it is most of what a call costs; see the floor in the table.",
    "programs-*": "The traps of 30 operations cost both the same. Next: the overhead budget, which is off here.",
    "screen-*": "The screen is drawn by the processors here, in software; on a display a graphics card does that.",
    "fps-*": "The screen is drawn by the processors here, in software, and they are the observed program's as well: with more clients than "
             "processors it gets its fair share of them, a third of one, and no more. Next: draw only what has changed.",
    "samples-broken": "What is left is the moment in which the kernel has taken a return address and not noted it yet, of functions that are called by "
                      "pointer, in programs with most of a million observed calls a second. "
                      "Next: follow the pointer, as registers are still those of the call.",
    "samples-others": "How long the programs that look at switches take bounds how long they stay, by their own clock, which cannot see the 60 ns a run "
                      "that measuring adds here. Next: fewer looks where threads switch often.",
    "samples-daemon": "Waking up costs the same at any rate, and a process that lives for a second is read like one that stays: where there are few samples or "
                      "many processes, a record's part of that is large. Next: keep what is known of a file's mappings by the file.",
    "samples-idle": "Some 50 wake-ups a second, each of which costs more while others empty the caches. Next: sleep until the first sample.",
    "outside-*": "With as many clients as processors the daemon's own work takes the target's place, and the interval tells how far the machine's mood "
                 "reaches. Next: more rounds on a quiet machine.",
    "switching-off": "What is off has no probes: what is left is the machine's mood, as far as the interval reaches. Next: more rounds on a quiet machine.",
    "switching-paused": "There are no probes then: what is left is the machine's mood, as far as the interval reaches, and samples, which go on. Next: more "
                        "rounds on a quiet machine.",
    "patched-pgbench*": "What is left is the caches: records are written to fresh memory, and read by the daemon on the same processors. Next: a smaller ring for "
                        "threads that record little.",
    "patched-stop*": "Each thread has to come to a stop and be read, some 10 to 20 µs, and neighbours on the machine take their part. Next: fewer patches in a stop.",
    "idle-screen": "The screen is drawn by the processors here, in software. Next: draw less often while no event comes.",
}


def reason(key):
    if key in REASONS:
        return REASONS[key]
    return next((text for pattern, text in REASONS.items() if pattern.endswith("*") and key.startswith(pattern[:-1])), "")
