# SPDX-License-Identifier: Apache-2.0
"""Estimates of PostgreSQL from samples against perf's stacks of the same time. The long form, with more programs, is
scripts/bench --only samples."""

import os
import signal
import subprocess

import pytest
from agreement import Agreement, shares_of_estimates, shares_of_samples
from perf_stacks import Operations, Perf
from support import Folder, Profiler, wait_for
from test_postgresql import SPEC, Server
from test_sampling_run import SAMPLING, samples

pytestmark = pytest.mark.alone

ENOUGH = 1500  # samples on CPUs, with which shares are known to a point


@pytest.fixture
def selecting():
    """A server that two clients ask all the while."""
    server, client = Server(), None
    try:
        server.pgbench("-i", "-s", "1", "-q")
        command = ["runuser", "-u", "postgres", "--", server.bin / "pgbench", "-h", server.folder, "-p", server.port, "-U", "postgres", "-n",
                   "-S", "-c", 2, "-T", 600, "postgres"]
        client = subprocess.Popen([str(word) for word in command], cwd=server.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, start_new_session=True)
        yield server
    finally:
        if client:
            os.killpg(client.pid, signal.SIGTERM)
            client.wait()
        server.stop()


def test_estimates_are_as_perfs_samples_of_the_same_time(selecting):
    with Folder() as folder, Perf(folder) as perf:
        with Profiler(SPEC, "--pid", selecting.pid, options=(*SAMPLING, "--samples", "199")) as profiler:
            wait_for(lambda: samples(profiler.snapshot_now())["taken"] > ENOUGH, "samples")
            snapshot = profiler.finish(end=True)
        perf.stop()
        operations, window = Operations(snapshot), snapshot["window"]
        theirs = perf.samples(selecting.pid, operations, window["start_ns"], window["end_ns"])
    seen = samples(snapshot)
    assert seen["broken"] <= 0.01 * seen["taken"], seen
    known = [(sample.time_ns, sample.key) for sample in theirs if not sample.lost]
    assert len(known) > 0.9 * len(theirs)
    agreement = Agreement(shares_of_estimates(snapshot, operations.key), shares_of_samples(known), (seen["taken"], len(known)))
    assert len(agreement.pairs) >= 8, agreement.text()
    # One run in ten thousand is beyond these by chance.
    assert abs(agreement.worst()[1].z) < 4.5, agreement.text()
    assert agreement.chi2_per_df() < 3.5, agreement.text()
    assert not agreement.out_of_order(), agreement.text()
