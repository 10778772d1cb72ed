#!/bin/sh
# workflows.sh: checks the files of .github by their published schemas, and what schemas cannot say by workflows.py. The tool comes from
# PyPI into .build/workflows, once for each version.
set -eu
cd "$(dirname "$0")/../.."
tool='check-jsonschema==0.39.0'
place=.build/workflows
if [ "$(cat "$place/ready" 2>/dev/null)" != "$tool" ] || ! "$place/bin/python3" -c '' 2>/dev/null; then
    rm -rf "$place"
    mkdir -p .build
    python3 -m venv "$place" || {
        echo "A virtual environment of Python is needed: apt install python3-venv" >&2
        exit 1
    }
    "$place/bin/python3" -m pip install --quiet --disable-pip-version-check "$tool"
    echo "$tool" >"$place/ready"
fi
check() { # check <schema> <file...>
    schema=$1
    shift
    "$place/bin/check-jsonschema" --quiet --builtin-schema "$schema" "$@"
}

check vendor.github-workflows .github/workflows/*.yml
check custom.github-workflows-require-timeout .github/workflows/*.yml
check vendor.github-issue-forms .github/ISSUE_TEMPLATE/bug.yml .github/ISSUE_TEMPLATE/feature.yml
check vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
check vendor.dependabot .github/dependabot.yml
"$place/bin/python3" -B Tests/Scripts/workflows.py

# Positive controls: each file below has one fault, which must be found.
faults=$(mktemp -d)
trap 'rm -rf "$faults"' EXIT
trap 'exit 1' INT TERM HUP
echo 'on: push
jobs: {a: {runs-on: x, timeout-minutes: 1, steps: [{users: actions/checkout@v1.0.0}]}}' >"$faults/step.yml"
echo 'on: push
jobs: {a: {runs-on: x, steps: [{run: ls}]}}' >"$faults/timeout.yml"
echo 'name: a
description: b
body: [{type: inputs, attributes: {label: c}}]' >"$faults/form.yml"
rejects() { # rejects <schema> <file>
    if check "$1" "$2" >/dev/null 2>&1; then
        echo "The schema $1 accepts a file with a fault: $(basename "$2")" >&2
        exit 1
    fi
}
rejects vendor.github-workflows "$faults/step.yml"
rejects custom.github-workflows-require-timeout "$faults/timeout.yml"
rejects vendor.github-issue-forms "$faults/form.yml"
echo "The workflows, the issue forms and .spi.yml are valid."
