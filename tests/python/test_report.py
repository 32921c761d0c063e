"""python -m fastnp.report: what it has, what scripts do in it, and that nobody is named."""

from __future__ import annotations

import getpass
import os
import subprocess
import sys

import pytest

import fastnp as np
from fastnp import report


def run(*arguments, **more):
    return subprocess.run([sys.executable, "-m", "fastnp.report", *arguments], env={**os.environ, **more}, capture_output=True, text=True)


def test_all_parts_are_there(tmp_path):
    done = run("-o", str(tmp_path / "report.txt"), FASTNP_ISA="v3", FASTNP_CACHE_DIR=str(tmp_path / "cache"))
    assert done.returncode == 0 and "look through it" in done.stdout
    text = (tmp_path / "report.txt").read_text()
    for part in ("== Versions", "== CUDA", "== Disk cache", "== Environment", "== A small program"):
        assert part in text
    assert f"version: {np.__version__}" in text and "llvm: " in text and "instruction set: v3" in text
    assert "FASTNP_ISA=v3" in text and "right in" in text and "1 compiled" in text
    assert "is the user's alone: yes" in text and (tmp_path / "cache").is_dir()


def test_nobody_is_named(tmp_path, monkeypatch):
    home = tmp_path / "home" / "jane-doe"
    home.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USER", "jdoe77")
    monkeypatch.setenv("HOSTNAME", "secretbox.example.org")
    monkeypatch.setattr(report.platform, "node", lambda: "workstation9")
    clean = report.Anonymous()
    text = f"{home}/x.py jdoe77 at workstation9, secretbox.example.org, secretbox: /home/other/y and jane@example.org; jdoe778 {home}-not"
    told = clean(text)
    assert told.startswith("~/x.py USER at HOST, HOST, HOST: /home/USER/y and EMAIL; jdoe778 ") and not told.endswith("~-not")
    log = home / "log"
    log.write_text(f"fastnp breaks: f: calls open() ({home}/work/x.py:3, in f) for jdoe77\n")
    script = home / "repro.py"
    script.write_text("import fastnp as np\nprint(__file__, 'by jdoe77')\nprint(np.compile(lambda x: x + 1)(np.ones(2)))\n")
    done = run("-o", "-", "--log", str(log), "--repro", str(script))
    assert done.returncode == 0
    for word in ("jane-doe", "jdoe77", "secretbox", str(home)):
        assert word not in done.stdout
    name = getpass.getuser()
    assert name == "root" or name not in done.stdout.split()
    assert "(~/work/x.py:3, in f) for USER" in done.stdout
    assert "~/repro.py by USER" in done.stdout and "[2. 2.]" in done.stdout


def test_scripts_that_fail_crash_or_hang(tmp_path):
    script = tmp_path / "repro.py"
    script.write_text("import fastnp as np\nf = np.compile(lambda x: x / 2)\nf(np.ones(3))\nraise KeyError('this one')\n")
    text = report.collect(repro=str(script))
    assert "| f = np.compile" in text and "KeyError: 'this one'" in text and "ended with 1" in text
    assert "fastnp timing: <lambda>: compiled in" in text
    script.write_text("import os\nos.abort()\n")
    assert "ended by signal 6" in report.collect(repro=str(script))
    script.write_text("import time\ntime.sleep(60)\n")
    assert "it did not end within 2 s" in report.collect(repro=str(script), seconds=2)


def test_files_that_are_not_there_are_said(tmp_path, capsys):
    with pytest.raises(SystemExit):
        report.main(["--repro", str(tmp_path / "no.py")])
    assert "there is no file" in capsys.readouterr().err


def test_long_logs_are_cut(tmp_path):
    log = tmp_path / "log"
    log.write_text("".join(f"line {n}\n" for n in range(1000)))
    text = report.collect(log=str(log))
    assert "... 600 lines before" in text and "line 599\n" not in text and "line 600\n" in text and "line 999" in text
