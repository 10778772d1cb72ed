"""Checks the workflows for faults that schemas cannot express. Needs ruamel.yaml; workflows.sh runs it.

Actions are named by a whole version; `run` is shell; make targets and scripts exist.
"""
import glob
import os
import re
import subprocess
import sys

from ruamel.yaml import YAML

SCRIPT = re.compile(r"(?:sh |^|\s)((?:Tests/Scripts|\.ci)/[\w.-]+)")


def load(path):
    with open(path, encoding="utf-8") as file:
        return YAML(typ="safe").load(file)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def faults_of_step(step, targets):
    """Returns the faults of one step of a job, one line each."""
    faults = []
    uses, run = step.get("uses"), step.get("run")
    if uses and not re.fullmatch(r"[\w.-]+/[\w./-]+@v\d+\.\d+\.\d+", uses):
        faults.append(f"not pinned to a version: {uses}")
    if run:
        # Expressions are replaced before a shell reads the text, and could insert any text; variables cannot.
        if "${{" in run:
            faults.append("an expression within run: pass it by env")
        shell = subprocess.run(["bash", "-n"], input=run, capture_output=True, text=True)
        if shell.returncode != 0:
            faults.append(f"not shell: {shell.stderr.strip()}")
        faults += [f"no make target: {name}" for name in re.findall(r"^\s*make ([a-z-]+)", run, re.M) if name not in targets]
        faults += [f"no script: {path}" for path in SCRIPT.findall(run) if not os.path.exists(path)]
        faults += [f"not executable: {path}" for path in re.findall(r"^\s*((?:Tests|\.ci)/\S+)", run, re.M) if not os.access(path, os.X_OK)]
    return faults


def main():
    targets = set(re.findall(r"^([a-z-]+):", read("Makefile"), re.M))
    faults, steps = [], 0
    for path in sorted(glob.glob(".github/workflows/*.yml")):
        for name, job in load(path)["jobs"].items():
            for step in job["steps"]:
                steps += 1
                faults += [f"{path}: {name}: {fault}" for fault in faults_of_step(step, targets)]
    # Positive controls: each of these faults must be found.
    for step in [{"uses": "actions/checkout@v7"}, {"uses": "actions/checkout@main"}, {"run": "if"}, {"run": "make nothing"},
                 {"run": "sh Tests/Scripts/nothing.sh"}, {"run": "Tests/Scripts/test.sh"}, {"run": "echo ${{ github.head_ref }}"}]:
        if len(faults_of_step(step, targets)) != 1:
            faults.append(f"a planted fault is not found: {step}")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults or not steps else 0


if __name__ == "__main__":
    sys.exit(main())
