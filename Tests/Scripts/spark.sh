#!/bin/sh
# spark.sh BULLA [--short]: runs Tests/Scripts/spark.py with PySpark from PyPI, in .build/spark, and Debian's Java if there is none.
set -eu
cd "$(dirname "$0")/../.."
command -v java >/dev/null || sh Tests/Scripts/apt.sh openjdk-17-jre-headless
venv=.build/spark
"$venv/bin/python" -c 'import pandas, pyarrow, pyspark; assert pyspark.__version__ == "4.0.1"' 2>/dev/null || {
    python3 -c 'import ensurepip, venv' 2>/dev/null || sh Tests/Scripts/apt.sh python3-venv
    rm -rf "$venv"
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check pyspark==4.0.1 pyarrow==26.0.1 pandas==2.2.3
}
exec python3 -B Tests/Scripts/spark.py "$@"
