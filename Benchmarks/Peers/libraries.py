"""The libraries that are compared: what each needs, how it is built, how it is started. One row each."""
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from importlib import metadata

HERE = os.path.dirname(os.path.abspath(__file__))


@dataclass
class Place:
    """Where things are built, and the command that is Bulla's harness."""
    folder: str
    bench: str

    def file(self, name):
        return os.path.join(self.folder, name)


@dataclass
class Library:
    id: str
    name: str
    built_on: str
    # What `start` gives is run with the folder of fixtures after it.
    start: object
    version: object
    build: object = None
    debian: tuple = ()
    # Commands, with the Debian package of each that is missing.
    tools: tuple = ()
    wheels: tuple = ()
    # "floor", "naive", "ours" or "peer".
    role: str = "peer"
    environment: dict = field(default_factory=dict)
    # Whether its packages come from the folder BULLA_PACKAGES.
    from_packages: bool = False


def run(*command, **options):
    return subprocess.run(command, check=True, text=True, **options)


def said(*command):
    try:
        return run(*command, capture_output=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def debian_version(package):
    """As upstream numbers it."""
    version = said("dpkg-query", "-W", "-f=${Version}", package)
    return version.split(":")[-1].rsplit("-", 1)[0].split("+")[0] or "?"


def source(*names):
    return os.path.join(HERE, *names)


def c_library(id, name, package, *flags):
    def build(place):
        own = sorted(file for file in os.listdir(source("c")) if file == id + ".c")
        compile_c(place, id, own, *flags)
    return Library(
        id, name, "C, OpenSSL", lambda place: [place.file(id)], lambda: debian_version(package), build, tools=COMPILER,
        debian=(package, "libjansson-dev", "libssl-dev", "libc6-dev"))


def compile_c(place, to, own, *flags):
    files = [source("c", file) for file in [*own, "harness.c", "fixtures.c"]]
    run("cc", "-O2", "-std=gnu11", "-Wall", "-Wextra", "-o", place.file(to), *files, *flags, "-ljansson", "-lcrypto")


def build_openssl(place):
    own = [file for file in sorted(os.listdir(source("c"))) if file.startswith("openssl_")]
    compile_c(place, "openssl", own)


def python_library(id, name):
    script = source("python", id + "_library.py")
    return Library(
        id, name, "Python, cryptography", lambda place: [sys.executable, script], lambda: metadata.version(id),
        wheels=(id,), environment={"PYTHONDONTWRITEBYTECODE": "1"})


def go_library(id, name, package):
    def build(place):
        files = [source("go", file) for file in ("harness.go", "keys.go", id + ".go")]
        settings = {"GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOCACHE": place.file("go-cache")}
        run("go", "build", "-o", place.file(id), *files, env={**os.environ, **settings})
    return Library(
        id, name, "Go", lambda place: [place.file(id)], lambda: debian_version(package), build, debian=(package,),
        tools=(("go", "golang-go"),))


def build_rust(place):
    """Of a copy: cargo writes beside what it builds."""
    shutil.copytree(source("rust"), place.file("rust"), dirs_exist_ok=True)
    run("cargo", "build", "--quiet", "--release", "--offline", cwd=place.file("rust"))


def swift_library(id, name, product, package):
    """Returns a library for Swift. A copy of the harness is built, because swift writes Package.resolved beside the manifest, and
    the build has a cache of its own, because the addresses of its packages are replaced."""
    resolved = {}

    folder = "swift-" + id

    def build(place):
        shutil.copytree(source("swift"), place.file(folder), dirs_exist_ok=True)
        own = [f"--{kind}-path={place.file('swift-' + kind)}" for kind in ("cache", "config", "security")]
        run("swift", "build", "--quiet", "-c", "release", "--package-path", place.file(folder), "--product", product, *own, stdout=sys.stderr,
            env=os.environ | {"BULLA_PEER": product})
        with open(place.file(folder + "/Package.resolved")) as file:
            resolved.update((pin["identity"], pin["state"]["version"]) for pin in json.load(file)["pins"])
    return Library(
        id, name, "Swift, BoringSSL", lambda place: [place.file(f"{folder}/.build/release/{product}")],
        lambda: resolved.get(package, "?"), build, from_packages=True)


def node_version():
    try:
        with open("/usr/share/nodejs/jose/package.json") as file:
            return json.load(file)["version"]
    except (OSError, KeyError, ValueError):
        return "?"


def openssl_version():
    words = said("openssl", "version").split()
    return words[1] if len(words) > 1 else "?"


COMPILER = (("cc", "gcc"),)

LIBRARIES = [
    Library("kept", "OpenSSL", "contexts kept; Ed25519 by libsodium", lambda place: [place.bench, "--raw", "--peer"], openssl_version, role="floor"),
    Library(
        "openssl", "OpenSSL", "contexts made anew", lambda place: [place.file("openssl")], openssl_version, build_openssl,
        debian=("libssl-dev", "libjansson-dev", "libc6-dev"), tools=COMPILER, role="naive"),
    Library("bulla", "Bulla", "Swift, OpenSSL", lambda place: [place.bench, "--peer"], lambda: "", role="ours"),
    c_library("cjose", "cjose", "libcjose-dev", "-lcjose"),
    c_library("libjwt", "libjwt", "libjwt-dev", "-ljwt"),
    c_library("jose", "José", "libjose-dev", "-ljose"),
    Library(
        "jsonwebtoken", "jsonwebtoken", "Rust, ring", lambda place: [place.file("rust/target/release/peer-jsonwebtoken")],
        lambda: debian_version("librust-jsonwebtoken-dev"), build_rust, debian=("librust-jsonwebtoken-dev", "librust-libc-dev"),
        tools=(("cargo", "cargo"),)),
    Library(
        "node-jose", "jose", "Node, OpenSSL", lambda place: ["node", source("node", "jose.mjs")], node_version,
        debian=("node-jose",), tools=(("node", "nodejs"),)),
    swift_library("jwtkit", "jwt-kit", "JWTKitPeer", "jwt-kit"),
    swift_library("jwsetkit", "JWSETKit", "JWSETKitPeer", "jwsetkit"),
    go_library("gojose", "go-jose", "golang-gopkg-square-go-jose.v2-dev"),
    go_library("golangjwt", "golang-jwt", "golang-github-golang-jwt-jwt-dev"),
    python_library("joserfc", "joserfc"),
    python_library("jwcrypto", "jwcrypto"),
    python_library("pyjwt", "PyJWT"),
    python_library("authlib", "Authlib"),
]
