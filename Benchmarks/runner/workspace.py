"""Builds the programs before the measurements, and makes the folder that servers and senders share."""
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SWIFTPM = f"{ROOT}/scripts/lib/swiftpm"
DEVICE_TOKEN = "0123456789abcdef" * 4
TOPIC = "com.example.app"
SMALL, ONE_KILOBYTE, FOUR_KILOBYTES = 231, 1024, 4096


class Progress:
    """Prints the current step and the elapsed time on standard error."""

    def __init__(self):
        self.begun = time.monotonic()

    def say(self, words):
        print(f"[{time.monotonic() - self.begun:5.0f} s] {words}", file=sys.stderr, flush=True)


class Workspace:
    """A folder for one call of scripts/bench. It is deleted when the call ends."""

    def __init__(self, progress, configuration="release", parent=None):
        self.configuration = configuration
        self.progress = progress
        if parent:
            os.makedirs(parent, exist_ok=True)
        self.folder = tempfile.mkdtemp(prefix="pushprovider-bench-", dir=parent)
        # With `False`, nghttpd has no document for the device token and answers 404. This shows that failures are noticed.
        self.answers_succeed = True
        self.binaries = ""
        # pushsend and pushserve, by their names.
        self.programs = {}
        self.preload = None

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def binary(self, name):
        return self.programs.get(name) or os.path.join(self.binaries, name)

    def peer(self, name):
        return f"{ROOT}/Benchmarks/peers/{name}"

    @property
    def python(self):
        return f"{ROOT}/Benchmarks/.build/venv/bin/python3"

    def prepare(self):
        self.build()
        self.build_program("pushsend")
        self.fill()
        self.build_preload()

    def prepare_service(self):
        """Builds only what the rows of the service need."""
        self.build("--product", "QueueLoad")
        self.build_program("pushsend")
        self.build_program("pushserve")

    def use(self, folder):
        """Uses the programs in a folder, and builds nothing."""
        self.binaries = os.path.abspath(folder)

    # --- Building

    def build(self, *product):
        self.run_slowly("building the measured programs",
                        [SWIFTPM, "beside", "Benchmarks", "build", "-c", self.configuration, *product])
        self.binaries = f"{ROOT}/.build/{self.configuration}"

    def build_program(self, name):
        """Builds a program as scripts/install does, because people run this build. A build without optimisation uses the main
        package, because the Benchmarks package depends only on the libraries."""
        if self.configuration == "debug":
            self.run_slowly(f"building {name}", [SWIFTPM, "build", "--product", name])
            self.programs[name] = f"{ROOT}/.build/debug/{name}"
            return
        choice = f"cd {shlex.quote(ROOT)} && . scripts/lib/build.bash && choose_portable_build"
        self.run_slowly(f"building {name}", ["bash", "-c", f'{choice} && exec "${{build_command[@]}}" --product {name}'])
        self.programs[name] = os.path.join(ROOT, output(["bash", "-c", f'{choice} && echo "${name}"']).strip())

    def run_slowly(self, words, arguments):
        """Runs a long command. Prints from time to time that it still runs; prints the output only if it fails."""
        log = self.path("build.log")
        self.progress.say(f"{words} (the first time takes minutes)")
        with open(log, "w", encoding="utf-8") as file:
            with subprocess.Popen(arguments, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT) as job:
                while True:
                    try:
                        status = job.wait(timeout=30)
                        break
                    except subprocess.TimeoutExpired:
                        self.progress.say(f"still {words}")
                    except BaseException:
                        job.terminate()
                        raise
        if status != 0:
            with open(log, encoding="utf-8", errors="replace") as file:
                sys.stderr.write(file.read())
            raise SystemExit(f"bench: {words} failed; the output is above.")

    def build_preload(self):
        """Builds a library in C that counts allocations. This needs Linux and a C compiler."""
        compiler = shutil.which("cc") or shutil.which("clang")
        if sys.platform != "linux" or not compiler:
            return self.progress.say("allocations are not counted: this needs Linux and a C compiler")
        library = self.path("count_allocations.so")
        output([compiler, "-O2", "-shared", "-fPIC", "-o", library, f"{ROOT}/Benchmarks/preload/count_allocations.c"])
        self.preload = library

    # --- Files for servers and senders

    def fill(self):
        """Makes a self-signed certificate, a signing key, payloads, and a document for the device token."""
        os.makedirs(self.path("docs/3/device"))
        os.makedirs(self.path("nothing"))
        write(self.path(f"docs/3/device/{DEVICE_TOKEN}"), "")
        curve = ["-pkeyopt", "ec_paramgen_curve:P-256"]
        output(["openssl", "req", "-x509", "-newkey", "ec", *curve, "-nodes", "-days", "2", "-subj", "/CN=bench",
                "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                "-keyout", self.path("server.key"), "-out", self.path("server.crt")])
        output(["openssl", "genpkey", "-algorithm", "EC", *curve, "-out", self.path("key.p8")])
        os.chmod(self.path("key.p8"), 0o600)
        for size in (SMALL, ONE_KILOBYTE, FOUR_KILOBYTES):
            write(self.payload(size), payload_text(size))
        self.jwt = output([self.binary("SendLoad"), "--print-token", self.path("key.p8")]).strip()

    def payload(self, size):
        """The file with the same payload as SendLoad sends."""
        return self.path(f"payload-{size}.json")


def machine():
    """Describes the machine by its cores. On a shared machine, the name of the processor means little."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    system = os.uname()
    return {"cores": cores, "system": f"{system.sysname} {system.machine}", "load_before": os.getloadavg()[0],
            "h2load": output(["h2load", "--version"]).strip(), "openssl": output(["openssl", "version"]).strip()}


def payload_text(size):
    empty = '{"aps":{"alert":{"body":""}}}'
    return empty.replace('""', '"' + "x" * max(0, size - len(empty)) + '"')


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def output(arguments):
    done = subprocess.run(arguments, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"bench: {os.path.basename(arguments[0])} failed:\n{done.stderr}")
    return done.stdout
