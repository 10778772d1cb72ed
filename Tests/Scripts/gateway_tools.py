"""What the tests of gateways share: the command, a folder for files, requests, and proxies with the configurations of Examples/Gateway."""
import json, os, pathlib, shutil, socket, subprocess, sys, tempfile, time

from ports import held_port

bulla = sys.argv[1]
root = pathlib.Path(__file__).resolve().parents[2] / "Examples/Gateway"
place = pathlib.Path(tempfile.mkdtemp())
faults = []


def expect(found, wanted, what):
    print(("ok   " if found == wanted else "FAIL ") + what + ("" if found == wanted else f": {found!r}, not {wanted!r}"), flush=True)
    if found != wanted:
        faults.append(what)


def make(*arguments, text=None):
    return subprocess.run([bulla, *arguments], input=text, capture_output=True, text=True, check=True).stdout.strip()


def token(claims):
    (place / "claims.json").write_text(json.dumps(claims))
    return make("sign", "--key", f"{place}/s1.jwk", "--iss", "https://id.example.com", "--aud", "shop", f"{place}/claims.json")


def ask(port, target, fields=(), whole=True):
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        head = f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + "".join(f"{f}\r\n" for f in fields)
        client.sendall((head + "\r\n" if whole else head).encode())
        if not whole:
            return "", ""
        got = b""
        while part := client.recv(65536):
            got += part
    text = got.decode("latin-1")
    return text[9:12], text


def wait_for(ready):
    for _ in range(3000):
        try:
            ready()
            return
        except OSError:
            time.sleep(0.02)
    sys.exit("a server does not start")


def serve(changes):
    configuration = json.loads((root / "gateway.json").read_text())
    configuration["listen"] = [f"unix:{place}/gateway.sock"]
    configuration.update(changes)
    (place / "gateway.json").write_text(json.dumps(configuration))
    process = subprocess.Popen([bulla, "serve", "--quiet", f"{place}/gateway.json"], stdout=subprocess.DEVNULL)

    def ready():
        with socket.socket(socket.AF_UNIX) as probe:
            probe.connect(f"{place}/gateway.sock")

    wait_for(ready)
    os.chmod(f"{place}/gateway.sock", 0o666)
    return process


def make_keys():
    make("key", "generate", "P-256", "--alg", "ES256", "--kid", "s1", "--out", f"{place}/s1.jwk", "--public-out", f"{place}/keys.json")


def adapted(file, port, backend):
    """Returns an example for a port of its own and the port of a backend."""
    text = (root / file).read_text()
    for old, new in [("/run/bulla", str(place)), (":8080", f":{port}"), (":8081", f":{backend}")]:
        text = text.replace(old, new)
    return text


def nginx_command(text):
    """Writes the configuration of nginx, with this text in `http`, and returns the command."""
    user = "user root;" if os.geteuid() == 0 else ""
    folders = "".join(f"{n}_temp_path {place}/{n};" for n in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
    (place / "nginx.conf").write_text(
        f"{user} daemon off; pid {place}/nginx.pid; error_log stderr;\nevents {{}}\nhttp {{ access_log off; {folders}\n{text}\n}}\n")
    return [shutil.which("nginx") or "/usr/sbin/nginx", "-c", f"{place}/nginx.conf", "-p", str(place)]


def caddy_command(text):
    (place / "Caddyfile").write_text("{\n\tadmin off\n}\n" + text)
    return [shutil.which("caddy"), "run", "--config", f"{place}/Caddyfile", "--adapter", "caddyfile"]


# What Caddy's configuration needs of the service's, as its comment says.
CADDY = {"request": {"path-header": "X-Forwarded-Uri", "method-header": "X-Forwarded-Method", "target-header": "X-Forwarded-Uri"}}
NGINX = {"gateway": "nginx"}


def start_proxy(command, port):
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env={**os.environ, "HOME": str(place)})
    wait_for(lambda: socket.create_connection(("127.0.0.1", port)).close())
    return process
