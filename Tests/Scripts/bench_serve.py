"""Measures bulla serve over a Unix socket: CPU time of its process for each ES256 request, and the latency of signed tokens in a flood.

Then wrk sends nested tokens (ECDH-ES, ES256) over loopback, and two numbers are compared with goals: the median latency on one connection,
and the cores that the service and wrk use with 32 connections. The exit status is 1 if a goal is missed. Other work on the machine counts
against both: the goals are for an idle one.
"""
import json, os, pathlib, re, resource, shutil, socket, subprocess, sys, tempfile, time

from ports import held_port

most_milliseconds, least_part_of_cores = 0.3, 0.9
bulla, seconds = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "5"
place = pathlib.Path(tempfile.mkdtemp())


def make(*arguments):
    return subprocess.run([bulla, *arguments], capture_output=True, text=True, check=True).stdout


def cpu(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def load(connections, path, tokens):
    return subprocess.Popen(
        [f"{place}/load", f"{place}/s", str(connections), seconds, path, f"{place}/{tokens}"], stdout=subprocess.PIPE, text=True)


def wrk(connections, path, token):
    """Returns the median latency in milliseconds, the requests a second, and the cores that the service and wrk used."""
    used, began = cpu(service) + children(), time.monotonic()
    text = subprocess.run(
        ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-H", f"X-Bulla-Path: {path}", "-H", f"Authorization: Bearer {token}",
         f"http://127.0.0.1:{port}/auth"], capture_output=True, text=True, check=True).stdout
    cores = (cpu(service) + children() - used) / (time.monotonic() - began)
    if "Non-2xx" in text or "Socket errors" in text:
        sys.exit(text)
    number, unit = re.search(r"50%\s+([\d.]+)(us|ms|s)\b", text).groups()
    return float(number) * {"us": 1e-3, "ms": 1, "s": 1e3}[unit], float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1]), cores


def children():
    times = resource.getrusage(resource.RUSAGE_CHILDREN)
    return times.ru_utime + times.ru_stime


try:
    subprocess.run([os.environ.get("CC", "clang"), "-O2", "-D_GNU_SOURCE", "-o", f"{place}/load", "Tests/Programs/UnixLoad/load.c"], check=True)
    make("key", "generate", "P-256", "--alg", "ES256", "--kid", "s1", "--out", f"{place}/s1.jwk", "--public-out", f"{place}/s1.pub.jwk")
    make("key", "generate", "RSA", "--alg", "RSA-OAEP", "--kid", "e1", "--out", f"{place}/e1.jwk", "--public-out", f"{place}/e1.pub.jwk")
    (place / "claims").write_text("".join(json.dumps({"sub": f"user-{n}"}) + "\n" for n in range(20_000)))
    names = ["--iss", "https://id.example.com", "--aud", "shop"]
    (place / "signed").write_text(make("sign", "--lines", "--key", f"{place}/s1.jwk", *names, f"{place}/claims"))
    make("key", "generate", "RSA", "--alg", "RSA-OAEP", "--kid", "e1", "--out", f"{place}/x.jwk", "--public-out", f"{place}/x.pub.jwk")
    (place / "few").write_text("".join(json.dumps({"sub": f"user-{n}"}) + "\n" for n in range(500)))
    (place / "flood").write_text(
        make("nest", "--lines", "--key", f"{place}/s1.jwk", "--encrypt-key", f"{place}/x.pub.jwk", "--enc", "A128CBC-HS256", *names, f"{place}/few"))
    make("key", "generate", "P-256", "--alg", "ECDH-ES", "--kid", "d1", "--out", f"{place}/d1.jwk", "--public-out", f"{place}/d1.pub.jwk")
    agreed = make("nest", "--key", f"{place}/s1.jwk", "--encrypt-key", f"{place}/d1.pub.jwk", "--enc", "A128CBC-HS256", *names, "--lines", f"{place}/few").split()[0]
    port = held_port()
    issuer = {"iss": names[1], "aud": "shop", "alg": "ES256", "keys": "s1.pub.jwk"}
    nested = {**issuer, "nested": True, "decrypt-keys": "e1.jwk", "key-alg": "RSA-OAEP", "enc": "A128CBC-HS256"}
    ecdh = {**nested, "decrypt-keys": "d1.jwk", "key-alg": "ECDH-ES"}
    (place / "g.json").write_text(json.dumps({
        "listen": [f"unix:{place}/s", f"127.0.0.1:{port}"], "log": "none", "headers": {"X-Auth-Subject": "sub", "X-Auth-Scope": "scope", "X-Auth-Client": "client_id"},
        "issuers": {"signed": issuer, "nested": nested, "ecdh": ecdh}, "limiter": {"concurrent": 3},
        "policies": [{"path": "/", "issuers": ["signed"]}, {"path": "/nested", "issuers": ["nested"]}, {"path": "/ecdh", "issuers": ["ecdh"]}]}))
    service = subprocess.Popen([bulla, "serve", "--quiet", f"{place}/g.json"])
    while True:
        with socket.socket(socket.AF_UNIX) as probe:
            if probe.connect_ex(f"{place}/s") == 0:
                break
        time.sleep(0.02)
    load(16, "/", "signed").wait()
    before = cpu(service)
    result = json.loads(load(16, "/", "signed").communicate()[0])
    used = cpu(service) - before
    print(f"signed: {result}; {used:.2f} s of CPU, {used / result['requests'] * 1e6:.1f} us a request, {result['requests'] / used:.0f} a CPU-second")
    flood = load(64, "/nested", "flood")
    result = json.loads(load(4, "/", "signed").communicate()[0])
    print(f"signed in a flood: {result}")
    print(f"flood: {json.loads(flood.communicate()[0])}")
    median, rate, _ = wrk(1, "/ecdh", agreed)
    goals = [(f"nested ECDH-ES, 1 connection: median {median:.3f} ms, {rate:.0f} a second", f"below {most_milliseconds} ms", median < most_milliseconds)]
    median, rate, used = wrk(32, "/ecdh", agreed)
    cores = len(os.sched_getaffinity(0))
    least = least_part_of_cores * cores
    goals.append((
        f"nested ECDH-ES, 32 connections: {used:.2f} of {cores} cores with wrk, median {median:.3f} ms, {rate:.0f} a second",
        f"at least {least:.1f} cores", used >= least))
    for text, goal, is_met in goals:
        print(f"{text}; goal: {goal}: {'met' if is_met else 'MISSED'}")
    service.terminate()
    status = service.wait(20)
    sys.exit(status or (0 if all(is_met for _, _, is_met in goals) else 1))
finally:
    shutil.rmtree(place, ignore_errors=True)
