"""Measures bulla serve over a Unix socket: CPU time of its process for each ES256 request, and the latency of signed tokens in a flood."""
import json, os, pathlib, shutil, socket, subprocess, sys, tempfile, time

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
    issuer = {"iss": names[1], "aud": "shop", "alg": "ES256", "keys": "s1.pub.jwk"}
    nested = {**issuer, "nested": True, "decrypt-keys": "e1.jwk", "key-alg": "RSA-OAEP", "enc": "A128CBC-HS256"}
    (place / "g.json").write_text(json.dumps({
        "listen": [f"unix:{place}/s"], "log": "none", "headers": {"X-Auth-Subject": "sub", "X-Auth-Scope": "scope", "X-Auth-Client": "client_id"},
        "issuers": {"signed": issuer, "nested": nested}, "limiter": {"concurrent": 3},
        "policies": [{"path": "/", "issuers": ["signed"]}, {"path": "/nested", "issuers": ["nested"]}]}))
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
    service.terminate()
    sys.exit(service.wait(20))
finally:
    shutil.rmtree(place, ignore_errors=True)
