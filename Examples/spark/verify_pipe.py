"""Verifies the tokens of a data set with bulla, as a child process of each partition (RDD.pipe).

    spark-submit verify_pipe.py INPUT OUTPUT bulla verify --keys s1.pub.jwk --iss https://id.example.com --aud shop --alg ES256

INPUT has a JSON object with id and token in each line. OUTPUT gets {"id":"a7","result":"valid"} or
{"id":"a8","result":"invalid","error":"token_expired"} for each, to be joined by id. The policy is the command line of bulla verify; the
command and its key files must be on every machine. The job fails if a token was neither accepted nor rejected.
"""

import os
import shlex
import sys

from pyspark.sql import SparkSession

# --exit-zero: tokens that are invalid, and partitions that are empty, are no failure of the task. Any other status is one, and Spark
# repeats the task: 2 for keys that cannot be read, 75 for tokens whose verification could not be completed.
# --jobs 1: Spark runs a task for each core.
FLAGS = ["--input", "jsonl", "--exit-zero", "--jobs", "1", "--quiet"]


def main():
    source, target, *policy = sys.argv[1:]
    spark = SparkSession.builder.appName("bulla verify").getOrCreate()
    tokens = spark.read.schema("id string, token string").json(source)
    # toJSON escapes line feeds, so that each row is one line whatever is in it. Without env, pipe gives the child an empty environment;
    # without checkCode, a child that was killed would end its answers silently.
    answers = tokens.toJSON().pipe(shlex.join(policy + FLAGS), env={"PATH": os.environ["PATH"]}, checkCode=True)
    answers.saveAsTextFile(target)
    spark.stop()


main()
