"""Starts `bulla-sandbox serve` and `bulla-sandbox demo-login` as processes, and ends them."""
import base64
import json
import os
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(__file__), "../../Scripts"))
from ports import held_port


def code_link(source):
    """Returns the link in the image of a code, whose address is `source`: the comment of a PNG file (ISO/IEC 15948, 11.3.4.3)."""
    image = base64.b64decode(source.split(",", 1)[1])
    start = image.index(b"tEXtComment\0")
    return image[start + 12:start + 4 + int.from_bytes(image[start - 4:start], "big")].decode()


class Sites:
    def __init__(self, program):
        self.folder = tempfile.TemporaryDirectory(prefix="bulla-sites-")
        self.place = self.folder.name
        self.processes = []
        try:
            self.told = self.start(program, "serve", "--dir", self.place, "--port", "0", "--service-port",
                                   str(held_port()), "--service-api-port", str(held_port()), until="curl ")
            # A busy machine may need more than the 15 seconds of a profile for a request.
            self.start(program, "demo-login", "--dir", self.place, "--login-timeout", "120", until="service ")
        except BaseException:
            self.close()
            raise
        with open(os.path.join(self.place, "sandbox.json")) as file:
            self.configuration = json.load(file)
        self.service = self.configuration["service"]
        self.digid = f"https://digid.test:{self.configuration['port']}/"
        self.clients = {each["name"]: each for each in self.configuration["clients"]}

    def start(self, *words, until):
        process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        self.processes.append(process)
        told = []
        for line in process.stdout:
            told.append(line.rstrip("\n"))
            if line.startswith(until):
                return told
        raise RuntimeError(f"{words[1]} ended with {process.wait()}")

    @staticmethod
    def origin(issuer):
        return "/".join(issuer.split("/")[:3]) + "/"

    @property
    def authority(self):
        return os.path.join(self.place, "ca.pem")

    @property
    def rules(self):
        line = next(each for each in self.told if each.startswith("browser "))
        return line.split('"')[1]

    def memory(self):
        """Returns the resident kilobytes of both processes."""
        pages = [open(f"/proc/{each.pid}/statm").read().split()[1] for each in self.processes]
        return sum(map(int, pages)) * os.sysconf("SC_PAGESIZE") // 1024

    def close(self):
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait(20)
            # The service was started last.
            self.last_words = process.stdout.read().split()
            process.stdout.close()
        self.folder.cleanup()
