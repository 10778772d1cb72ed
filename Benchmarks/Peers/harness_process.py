"""A harness as the runner sees it; the protocol is in README.md."""
import os
import select
import subprocess
import time

# Proving takes Python libraries some hundred operations; nothing takes this long but a harness that hangs.
PATIENCE = 120


class Gone(Exception):
    """The harness ended, or says nothing any more."""


class HarnessProcess:
    def __init__(self, library, command, core=None, log=None):
        self.library = library
        self.proved = {}
        self.left_out = {}
        self.accepted = {}
        self.pending = b""
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, preexec_fn=lambda: pin(core),
            env={**os.environ, **library.environment})

    def prove(self):
        """Until it is ready: what it can do, having refused every broken token."""
        while True:
            word, *fields = self.line().split("\t")
            if word == "ready":
                return
            operation, text = fields[0], fields[1]
            {"can": self.proved, "cannot": self.left_out, "accepts": self.accepted}[word][operation] = text

    def measure(self, operation, seconds):
        """Operations a second of the processor's time."""
        try:
            self.process.stdin.write(f"{operation} {seconds}\n".encode())
            self.process.stdin.flush()
        except OSError as fault:
            raise Gone(str(fault)) from fault
        name, count, nanoseconds = self.line(PATIENCE + seconds).split("\t")
        if name != operation:
            raise Gone(f"answers {name} for {operation}")
        return int(count) * 1e9 / max(1, int(nanoseconds))

    def line(self, patience=PATIENCE):
        end = time.monotonic() + patience
        while b"\n" not in self.pending:
            readable, _, _ = select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))
            more = os.read(self.process.stdout.fileno(), 1 << 16) if readable else b""
            if not more:
                raise Gone("it ended" if readable else "it hangs")
            self.pending += more
        line, self.pending = self.pending.split(b"\n", 1)
        return line.decode()

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def pin(core):
    if core is not None and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})
