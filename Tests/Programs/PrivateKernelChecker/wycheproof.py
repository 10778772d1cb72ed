"""wycheproof.py FOLDER: prints Wycheproof's vectors for RSA-OAEP with one hash and no label as lines for the checker of the private kernels:
hash, validity, private key, ciphertext and text."""
import glob
import json
import sys

HASHES = {"SHA-1": 0, "SHA-256": 1, "SHA-384": 2, "SHA-512": 3}
for path in sorted(glob.glob(sys.argv[1] + "/testvectors_v1/rsa_oaep_*.json")):
    with open(path, encoding="utf-8") as file:
        for group in json.load(file)["testGroups"]:
            if group["sha"] != group["mgfSha"] or group["sha"] not in HASHES:
                continue
            for test in group["tests"]:
                if test.get("label"):
                    continue
                print(HASHES[group["sha"]], int(test["result"] == "valid"), group["privateKeyPkcs8"], test["ct"] or "-", test["msg"] or "-")
