# SPDX-License-Identifier: Apache-2.0
"""A command that compmond starts does what it does without, also before its own code begins."""

import os
import signal
import subprocess

import pytest
import support
from support import BIN, COMPMOND, DEADLINE, Folder, Profiler, check_accounting, component, wait_for

STARTING = BIN / "starting"
WORK = support.spec(["work"])


def alone(*command, env=None):
    plain = subprocess.run([str(c) for c in command], capture_output=True, timeout=DEADLINE, env=env)
    return plain.stdout, plain.returncode


def shell_code(status):
    return status if status >= 0 else 128 - status


@pytest.mark.parametrize("what", ["nothing", "raise", "int3", "signal", "thread", "fork", "spawn", "exec"])
def test_what_libraries_do_before_the_entry_point_is_as_without(what):
    env = dict(os.environ, STARTING=what)
    out, status = alone(STARTING, 10, env=env)
    with Profiler(WORK, "--", STARTING, 10, env=env) as profiler:
        snapshot = profiler.finish(code=status)
        assert profiler.stdout.startswith(out)  # the summary follows
    check_accounting(snapshot)
    # A process that runs on from a fork, or was spawned, before the start is none of those observed.
    calls = component(snapshot, "work")["calls"]
    assert calls == (21 if what == "exec" else 10), calls


@pytest.mark.parametrize("what", ["exit", "killed", "trap kills"])
def test_one_that_ends_before_its_own_code_begins_ends_as_without(what):
    env = dict(os.environ, STARTING=what)
    out, status = alone(STARTING, env=env)
    with Profiler(WORK, "--", STARTING, env=env, wait=False) as profiler:
        assert profiler.process.communicate(timeout=DEADLINE)[0] == out
        assert profiler.process.returncode == shell_code(status), profiler.stderr()
        assert "before its own code began: nothing of it was observed" in profiler.stderr()


def state_of(pid):
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0]


def test_one_that_is_stopped_before_its_own_code_begins_goes_on_when_it_is_continued():
    with Profiler(WORK, "--", STARTING, 10, env=dict(os.environ, STARTING="stop"), wait=False) as profiler:
        assert support.read_line(profiler.process.stdout, "its word") == "stops 0\n"
        pid = int(subprocess.run(["pgrep", "-P", str(profiler.process.pid), "-x", "starting"], capture_output=True, check=True).stdout)
        wait_for(lambda: state_of(pid) in "tT", "it to stop")
        assert "ready" not in profiler.stderr()
        os.kill(pid, signal.SIGCONT)
        snapshot = profiler.finish(code=3)
        assert profiler.stdout.startswith(b"caught 0\ncalls 10 sum 100\n")
    assert component(snapshot, "work")["calls"] == 10


def test_compmond_can_be_ended_while_a_program_waits_before_its_own_code():
    with Profiler(WORK, "--", STARTING, 10, env=dict(os.environ, STARTING="stop"), wait=False) as profiler:
        assert support.read_line(profiler.process.stdout, "its word") == "stops 0\n"
        pid = int(subprocess.run(["pgrep", "-P", str(profiler.process.pid), "-x", "starting"], capture_output=True, check=True).stdout)
        wait_for(lambda: state_of(pid) in "tT", "it to stop")
        profiler.process.send_signal(signal.SIGTERM)
        assert profiler.process.wait(timeout=DEADLINE) == 128 + signal.SIGTERM, profiler.stderr()
        assert "stopped before anything was observed: SIGTERM" in profiler.stderr()
        wait_for(lambda: not os.path.exists(f"/proc/{pid}"), "the program, which nobody saw run, to be ended")


def test_static_programs_and_scripts_are_held_at_their_entry_too():
    with Folder() as folder:
        source = support.ROOT / "tests" / "kernel" / "starting.c"
        for name, how in [("static", ["-static"]), ("static-pie", ["-static-pie"]), ("fixed", ["-no-pie"])]:
            subprocess.run(["cc", "-O2", *how, "-o", folder / name, source], check=True)
            with Profiler(WORK, "--", folder / name, 10) as profiler:
                snapshot = profiler.finish(code=3)
                assert profiler.stdout.startswith(b"calls 10 sum 100\n")
            assert component(snapshot, "work")["calls"] == 10, name
        script = folder / "script"
        script.write_text(f"#!{folder}/static\n")
        script.chmod(0o755)
        out, status = alone(script)  # its interpreter gets the script's name for a number
        with Profiler(support.spec(["main"]), "--", script) as profiler:
            snapshot = profiler.finish(code=status)
            assert profiler.stdout.startswith(out)  # the summary follows
        assert component(snapshot, "main")["calls"] == 1


def test_a_command_gets_the_signals_blocked_and_ignored_that_it_would_get_without():
    python = os.path.realpath("/usr/bin/python3")
    shows = [python, "-c", "print(*(line for line in open('/proc/self/status') if line[:6] in ('SigBlk', 'SigIgn', 'SigCgt')))"]
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1, signal.SIGTERM, signal.SIGPROF])
    try:
        out, status = alone(*shows)
        with Profiler(support.spec(["Py_BytesMain"], image=python), "--", *shows) as profiler:
            profiler.finish(code=status)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    assert b"SigBlk" in out
    assert profiler.stdout.startswith(out), profiler.stdout


def test_the_exit_status_is_passed_on_though_ends_of_children_were_ignored():
    python = os.path.realpath("/usr/bin/python3")
    shows = [python, "-c", "print(*(line for line in open('/proc/self/status') if line[:6] == 'SigIgn')); raise SystemExit(7)"]

    def ignoring():
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)

    out = subprocess.run(shows, capture_output=True, text=True, preexec_fn=ignoring).stdout
    assert "SigIgn" in out
    with Folder() as folder:
        (folder / "spec.json").write_text(support.json.dumps(support.spec(["Py_BytesMain"], image=python)))
        done = subprocess.run([COMPMOND, "--spec", folder / "spec.json", "--headless", "--", *shows], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=DEADLINE, preexec_fn=ignoring)
    assert (done.returncode, done.stdout[:len(out)]) == (7, out), done


def test_a_program_of_32_bits_is_refused_before_it_runs():
    with Folder() as folder:
        (folder / "exit.s").write_text(".globl _start\n_start: mov $1, %eax\nmov $7, %ebx\nint $0x80\n")
        subprocess.run(["as", "--32", "-o", folder / "exit.o", folder / "exit.s"], check=True)
        subprocess.run(["ld", "-m", "elf_i386", "-o", folder / "exit", folder / "exit.o"], check=True)
        with Profiler(WORK, "--", folder / "exit", wait=False) as profiler:
            assert profiler.process.wait(timeout=DEADLINE) == 65
            assert "it is no program of 64 bits" in profiler.stderr(), profiler.stderr()


def test_where_ptrace_is_refused_it_is_said_and_nothing_runs():
    with Folder() as folder:
        spec = folder / "spec.json"
        spec.write_text(support.json.dumps(WORK))
        done = subprocess.run(["strace", "-f", "-o", "/dev/null", COMPMOND, "--spec", spec, "--headless", "--", "/bin/touch", folder / "ran"],
                              capture_output=True, text=True, timeout=DEADLINE)
        assert done.returncode == 77, done
        assert "ptrace is refused here" in done.stderr and "--pid" in done.stderr, done.stderr
        assert not (folder / "ran").exists()


def test_a_setuid_program_is_refused_where_it_would_run_without_its_rights():
    """With no right to trace, the kernel gives a traced program nothing of what its file grants."""
    with Folder() as folder:
        folder.chmod(0o755)
        for name in ("program", "compmond"):
            subprocess.run(["cp", "/usr/bin/id" if name == "program" else COMPMOND, folder / name], check=True)
        (folder / "program").chmod(0o4755)
        (folder / "spec.json").write_text(support.json.dumps(WORK))
        (folder / "spec.json").chmod(0o644)
        done = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", folder / "compmond", "--spec",
                               folder / "spec.json", "--headless", "--", folder / "program", "-u"],
                              capture_output=True, text=True, timeout=DEADLINE)
        assert done.returncode == 77 and "setuid" in done.stderr, done
        assert done.stdout == "", done
