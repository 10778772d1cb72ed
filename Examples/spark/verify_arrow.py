"""Verifies the tokens of a data frame with bulla, as a child process of each partition (DataFrame.mapInArrow).

    spark-submit verify_arrow.py INPUT OUTPUT bulla verify --keys s1.pub.jwk --iss https://id.example.com --aud shop --alg ES256

INPUT has a JSON object with id and token in each line, and OUTPUT one with id, result and error. The policy is the command line of bulla
verify; the command and its key files must be on every machine. The job fails if a token was neither accepted nor rejected.
"""

import json
import subprocess
import sys
import threading

import pyarrow
from pyspark.sql import SparkSession

# See verify_pipe.py.
FLAGS = ["--input", "jsonl", "--exit-zero", "--jobs", "1", "--quiet"]


def verify(policy):
    """Returns a function for mapInArrow. It has one process for each partition that has rows."""

    def write(stream, rows):
        try:
            stream.write(rows)
            stream.flush()
        except BrokenPipeError:
            pass  # The reader finds that answers are missing.

    def of_partition(batches):
        child = None
        try:
            for batch in batches:
                if child is None:
                    child = subprocess.Popen(policy + FLAGS, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
                rows = zip(batch.column("id").to_pylist(), batch.column("token").to_pylist())
                text = "".join(json.dumps({"id": name, "token": token}) + "\n" for name, token in rows).encode()
                # The answers are read while the rows are written, because neither pipe holds a whole batch.
                writer = threading.Thread(target=write, args=(child.stdin, text))
                writer.start()
                lines = [child.stdout.readline() for _ in range(batch.num_rows)]
                writer.join()
                if not all(line.endswith(b"\n") for line in lines):
                    raise RuntimeError(f"bulla ended with status {child.wait()} before it had answered each row")
                answers = [json.loads(line) for line in lines]
                yield pyarrow.RecordBatch.from_pydict({
                    "id": pyarrow.array([answer["id"] for answer in answers], pyarrow.string()),
                    "result": pyarrow.array([answer["result"] for answer in answers], pyarrow.string()),
                    "error": pyarrow.array([answer.get("error") for answer in answers], pyarrow.string()),
                })
            if child is not None:
                child.stdin.close()
                status = child.wait()
                if status != 0:
                    raise RuntimeError(f"bulla ended with status {status}")
        finally:
            if child is not None and child.poll() is None:
                child.kill()
                child.wait()

    return of_partition


def main():
    source, target, *policy = sys.argv[1:]
    spark = SparkSession.builder.appName("bulla verify").getOrCreate()
    tokens = spark.read.schema("id string, token string").json(source)
    tokens.mapInArrow(verify(policy), "id string, result string, error string").write.json(target)
    spark.stop()


main()
