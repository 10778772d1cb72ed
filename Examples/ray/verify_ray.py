"""Verifies the tokens of files with bulla, in a Ray task for each file.

    python verify_ray.py 'tokens/*.json' answers bulla verify --keys s1.pub.jwk --iss https://id.example.com --aud shop --alg ES256

Each line of the files has a JSON object with id and token. The command, its key files and both folders must be on every machine.
"""

import glob
import os
import subprocess
import sys

import ray

FLAGS = ["--input", "jsonl", "--exit-zero", "--jobs", "1", "--quiet"]


@ray.remote(max_retries=3, retry_exceptions=True)
def verify(source, target, policy):
    """Writes a line with id and result for each line of a file. Any status but 0 fails the task: keys that cannot be read (2), tokens whose
    verification could not be completed (75), or a process that was killed. The file of answers appears when it is complete."""
    begun = f"{target}.{os.getpid()}.tmp"
    with open(begun, "wb") as answers:
        subprocess.run([*policy, *FLAGS, source], stdout=answers, check=True)
    os.replace(begun, target)


if __name__ == "__main__":
    pattern, folder, *policy = sys.argv[1:]
    ray.init(address=os.environ.get("RAY_ADDRESS"))
    os.makedirs(folder, exist_ok=True)
    ray.get([verify.remote(os.path.abspath(path), f"{os.path.abspath(folder)}/{os.path.basename(path)}", policy) for path in glob.glob(pattern)])
