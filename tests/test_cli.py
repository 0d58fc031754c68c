import json
import subprocess
import sys

import pytest

from xorlit import experiments
from xorlit.__main__ import main


def test_one_step_reports_what_it_did(capsys):
    assert main(["one-step", "--d", "1024", "--m", "64", "--seed", "0", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["learned"]
    assert sorted(report["heads"]) == report["support"]
    assert report["trainable_parameters"] == 128
    assert min(report["peak_attention"]) > 0.9
    assert report["loss_after"] < 0.1 < report["loss_before"]


def test_the_text_report_says_the_same(capsys):
    main(["one-step", "--seed", "3"])
    text = capsys.readouterr().out
    main(["one-step", "--seed", "3", "--json"])
    for value in json.loads(capsys.readouterr().out)["support"]:
        assert str(value) in text


def test_a_rate_of_zero_does_not_learn(capsys):
    main(["one-step", "--rate", "0", "--json"])
    assert not json.loads(capsys.readouterr().out)["learned"]


def test_bad_input_is_one_line_and_exit_code_2():
    process = subprocess.run(
        [sys.executable, "-m", "xorlit", "one-step", "--d", "1"], capture_output=True, text=True
    )
    assert process.returncode == 2
    assert process.stderr.startswith("xorlit: d must be an integer of at least 2")
    assert process.stderr.count("\n") == 1


def test_unknown_experiments_are_refused(capsys):
    assert main(["reproduce", "nothing"]) == 2
    assert "one-step-success" in capsys.readouterr().err
    with pytest.raises(ValueError, match="changes must be among"):
        experiments.config("one-step-success", seeds=3)
