import json
import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import xorlit
from xorlit import sweeps

GRID = ["--d", "32..128", "--m", "8..16:8", "--trials", "150"]


def command(file, *extra):
    return [sys.executable, "-m", "xorlit", "sweep", *GRID, "--out", str(file), *extra]


def sorted_lines(file):
    return sorted(file.read_bytes().splitlines())


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The file of a sweep that nothing interrupted."""
    file = tmp_path_factory.mktemp("sweep") / "whole.jsonl"
    subprocess.run(command(file), check=True, capture_output=True)
    assert len(sorted_lines(file)) == 3 * 2 * 150
    return file


def test_killing_a_sweep_ten_times_neither_loses_nor_repeats_a_trial(whole, tmp_path):
    file = tmp_path / "killed.jsonl"
    rng = random.Random(0)
    kills = 0
    while kills < 10:
        process = subprocess.Popen(
            command(file), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        before = file.stat().st_size if file.exists() else 0
        while process.poll() is None and (not file.exists() or file.stat().st_size == before):
            time.sleep(0.005)  # a kill during the imports would test nothing
        time.sleep(rng.uniform(0, 0.02))
        if process.poll() is not None:  # finished between two kills: take a part away again
            file.write_bytes(file.read_bytes()[: len(file.read_bytes()) // 3])
            continue
        process.send_signal(signal.SIGKILL)
        process.wait()
        kills += 1
        if kills % 3 == 0:  # and a power cut in the middle of a line
            os.truncate(file, file.stat().st_size - rng.randrange(1, 60))
    subprocess.run(command(file), check=True, capture_output=True)
    assert sorted_lines(file) == sorted_lines(whole)


def test_a_finished_sweep_runs_nothing_again(whole, monkeypatch):
    before = whole.read_bytes()
    monkeypatch.setattr(sweeps, "trial", None)
    table = xorlit.sweep([32, 64, 128], [8, 16], 150, file=whole)
    assert whole.read_bytes() == before
    assert table["seed"].tolist() == list(range(150)) * 6


def test_every_trial_is_on_the_disk_before_the_next_one_starts(tmp_path, monkeypatch):
    file, synced = tmp_path / "trials.jsonl", []
    monkeypatch.setattr(os, "fsync", lambda _: synced.append(file.read_bytes().count(b"\n")))
    xorlit.sweep(d=32, m=8, trials=5, file=file)
    assert synced == [1, 2, 3, 4, 5]


def test_the_table_is_what_one_step_says(whole):
    table = xorlit.sweep([32, 64, 128], [8, 16], 150, file=whole)
    for row in (0, 444, 899):
        d, m, seed = (int(table[name][row]) for name in ("d", "m", "seed"))
        task = xorlit.SparseXOR(d, rng=seed)
        out = xorlit.one_step(
            task, xorlit.sphere(d, m, rng=seed), xorlit.antisymmetric_queries(m, rng=seed)
        )
        assert table["learned"][row] == out.learned
        assert table["collided"][row] == (out.heads[0] == out.heads[1])
        assert table["found"][row] == (set(out.heads) <= set(task.support))
        assert table["loss"][row] == out.loss


@pytest.mark.parametrize("pool", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_any_executor_gives_the_same_table(pool):
    arguments = {"d": [32, 64], "m": 8, "trials": 150, "queries": ["antisymmetric", "independent"]}
    here = xorlit.sweep(**arguments)
    with pool(2) as executor:
        there = xorlit.sweep(**arguments, executor=executor)
    for name in here:
        np.testing.assert_array_equal(here[name], there[name])


def test_dask_runs_a_sweep(tmp_path, capsys):
    distributed = pytest.importorskip("distributed")
    from xorlit.__main__ import main

    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        file = tmp_path / "dask.jsonl"
        arguments = command(file, "--scheduler", cluster.scheduler_address)[3:]
        assert main(arguments) == 0
    report = capsys.readouterr()
    assert report.out.count("learned") == 6
    assert "900 of 900 trials, done" in report.err
    assert len(sorted_lines(file)) == 900


def test_another_grid_may_share_the_file(tmp_path):
    file = tmp_path / "shared.jsonl"
    xorlit.sweep(32, 8, 3, file=file)
    table = xorlit.sweep(32, 8, 3, factor=[64.0, 2.0], positions="balanced", file=file)
    assert len(table["d"]) == 6
    assert len(file.read_text().splitlines()) == 9
    assert {json.loads(line)["positions"] for line in file.read_text().splitlines()} == {
        "sphere",
        "balanced",
    }


def test_a_file_that_is_no_sweep_is_refused_and_kept(tmp_path):
    file = tmp_path / "other.csv"
    file.write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="file must be the output of a sweep"):
        xorlit.sweep(32, 8, 1, file=file)
    assert file.read_text() == "a,b\n1,2\n"


@pytest.mark.parametrize("text", ["", "a", "8..", "0..4", "8..16:0", "1.5"])
def test_bad_sizes_are_refused(text):
    with pytest.raises(ValueError, match="sizes must look like"):
        sweeps.sizes(text)


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"d": 1}, "d must"),
        ({"m": [8, 0]}, "m must"),
        ({"trials": 0}, "trials must"),
        ({"factor": -1.0}, "factor must"),
        ({"positions": "cube"}, "positions must"),
        ({"queries": ["zero"]}, "queries must"),
        ({"length": np.nan}, "length must"),
        ({"first_seed": -1}, "first_seed must"),
        ({"d": []}, "must not be empty"),
    ],
)
def test_bad_grids_are_refused_by_name(change, name):
    with pytest.raises(ValueError, match=name):
        xorlit.sweep(**{"d": 32, "m": 8, "trials": 1, **change})
