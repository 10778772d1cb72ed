"""Installs what the libraries need, and says what could not be had."""
import importlib
import os
import shutil
import subprocess
import sys
from importlib import metadata

from libraries import HERE, said

ROOT = os.path.dirname(os.path.dirname(HERE))


def has_package(name):
    return said("dpkg-query", "-W", "-f=${Status}", name).endswith(" installed")


def has_wheel(name):
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def missing_debian(library):
    tools = [package for command, package in library.tools if not shutil.which(command)]
    if not shutil.which("dpkg-query"):
        return tools
    return tools + [package for package in library.debian if not has_package(package)]


def missing_wheels(library):
    return [wheel for wheel in library.wheels if not has_wheel(wheel)]


def missing_folder(library):
    """What others publish for Swift is taken from git repositories that the caller names."""
    return ["the folder BULLA_PACKAGES"] if library.from_packages and not os.environ.get("BULLA_PACKAGES") else []


def unique(names):
    return list(dict.fromkeys(names))


def agreed():
    """Under CI and as root nobody is asked, as in Tests/Scripts/install.sh."""
    if os.environ.get("CI") or os.geteuid() == 0:
        return True
    try:
        return input("Go on? [y/N] ").strip() in ("y", "Y", "yes")
    except EOFError:
        return False


def apt(packages):
    return subprocess.run(["sh", os.path.join(ROOT, "Tests/Scripts/apt.sh"), *packages], stdout=sys.stderr).returncode == 0


def pip(wheels):
    """As requirements.txt pins them."""
    pins = {}
    with open(os.path.join(HERE, "python", "requirements.txt")) as file:
        for line in file:
            if "==" in line:
                pins[line.split("==")[0].lower()] = line.strip()
    wanted = [pins[wheel.lower()] for wheel in wheels]
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted]
    return subprocess.run(command, stdout=sys.stderr).returncode == 0


def in_one_go_or_each(names_of, libraries, install):
    """Where one name cannot be had, the others still are."""
    names = unique(name for library in libraries for name in names_of(library))
    if names and not install(names):
        for library in libraries:
            own = names_of(library)
            if own:
                install(own)


# What makes the tokens, whatever is measured.
MAKER = "jwcrypto"


def install(libraries, note):
    """The libraries that are there in the end."""
    packages = unique(name for library in libraries for name in missing_debian(library))
    wheels = unique([MAKER][has_wheel(MAKER):] + [name for library in libraries for name in missing_wheels(library)])
    if packages:
        note("Will be installed with apt: " + " ".join(packages))
    if wheels:
        note("Will be installed from PyPI, beside the harnesses alone: " + " ".join(wheels))
    if (packages or wheels) and agreed():
        if shutil.which("apt-get"):
            in_one_go_or_each(missing_debian, libraries, apt)
        if not has_wheel(MAKER):
            pip([MAKER])
        in_one_go_or_each(missing_wheels, libraries, pip)
        importlib.invalidate_caches()
    present = []
    for library in libraries:
        lacking = missing_debian(library) + missing_wheels(library) + missing_folder(library)
        if lacking:
            note(f"{library.name} is left out: {' '.join(lacking)} could not be had")
        else:
            present.append(library)
    return present
