"""Verifies the tokens of files with bulla, in a process for each partition of a Dask bag.

    python verify_dask.py SCHEDULER 'tokens/*.json' answers bulla verify --keys s1.pub.jwk --iss https://id.example.com --aud shop --alg ES256

Each line of the files has a JSON object with id and token. The command and its key files must be on every machine.
"""

import subprocess
import sys

import dask.bag
from dask.distributed import Client

FLAGS = ["--input", "jsonl", "--exit-zero", "--jobs", "1", "--quiet"]


def verify(lines, policy):
    """Returns a line with id and result for each line. Any status but 0 fails the task: keys that cannot be read (2), tokens whose
    verification could not be completed (75), or a process that was killed."""
    rows = "".join(line.rstrip("\n") + "\n" for line in lines)
    done = subprocess.run(policy + FLAGS, input=rows.encode(), stdout=subprocess.PIPE, check=True)
    return done.stdout.decode().splitlines()


if __name__ == "__main__":
    scheduler, source, target, *policy = sys.argv[1:]
    client = Client(scheduler)
    answers = dask.bag.read_text(source).map_partitions(verify, policy)
    files = answers.to_textfiles(f"{target}/*.json", compute=False)
    # A task that failed, or whose worker died, is run again up to three times.
    client.gather(client.compute(files, retries=3))
