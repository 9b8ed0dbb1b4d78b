"""Builds the programs and the tests anew after a change inside functions, in seconds; `scripts/mutate` is the only caller.

Everything in a build folder of SwiftPM is built from the sources as they were before some files changed. `build` compiles only these
files, links, and puts the programs into another folder. It changes nothing in the build folder.

Other files need not be compiled again if the module file of the changed module stays the same: it describes all declarations of the
module, and all bodies that other files may inline. `make_modules` makes these module files from the sources as they are, beside the other
folder. An incremental build can leave other ones in the build folder, whose bytes are in another order. If the files changed only in string
literals, the module files are not compared, as these are in them only as part of a checksum. (The first value of a stored property is also
in initialisers of extensions in other files, which are not compiled again. Such a mutant would survive, and be noticed.)
"""

import json
import shlex
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

TESTS = "PushProviderPackageTests.xctest"
PROGRAMS = (TESTS, "pushsend", "pushserve")
# Mutants are not debugged, so they need no debug information.
FAST_LINKER = ["-use-ld=lld", "-Xlinker", "--strip-debug"]


class NeedsFullBuild(Exception):
    """Only `swift build` can build it, and why."""


class DoesNotCompile(Exception):
    """The errors of the compiler."""


@dataclass
class Command:
    """A command of SwiftPM's manifest: a module to compile, or a program to link."""

    inputs: str
    arguments: list[str]

    @property
    def output(self):
        return Path(value_of(self.arguments, "-o"))


def read_manifest(build):
    """The commands that compile a module and those that link a program."""
    try:
        text = (Path(build) / "debug.yaml").read_text(encoding="utf-8")
    except FileNotFoundError:
        raise NeedsFullBuild(f"{build} has no debug.yaml") from None
    compiling, linking = [], []
    for block in text.split("\n\n"):
        if "swiftc" not in block:
            continue
        lines = dict(line.strip().partition(": ")[::2] for line in block.splitlines())
        if "args" not in lines:
            continue
        arguments = json.loads(lines["args"])
        if "-emit-module-path" in arguments:
            compiling.append(Command(lines["inputs"], arguments))
        elif "-emit-executable" in arguments:
            linking.append(Command(lines["inputs"], arguments))
    return compiling, linking


def value_of(arguments, name):
    return arguments[arguments.index(name) + 1]


def with_value(arguments, name, value):
    """The same arguments with another value after a name."""
    index = arguments.index(name) + 1
    return arguments[:index] + [str(value)] + arguments[index + 1 :]


def without_option(arguments, name):
    if name not in arguments:
        return arguments
    index = arguments.index(name)
    return arguments[:index] + arguments[index + 2 :]


# --- Compiling


def frontend_jobs(arguments):
    """What the compiler's driver would run to build a module: one command for the module file, one for each source file."""
    arguments = without_option(arguments, "-index-store-path")
    arguments = [argument for argument in arguments if argument not in ("-incremental", "-enable-batch-mode")]
    printed = run(arguments + ["-disable-batch-mode", "-driver-print-jobs"])
    return [shlex.split(line) for line in printed.splitlines() if " -frontend " in line]


def module_of(file, compiling):
    name = json.dumps(str(file))
    for command in compiling:
        # A module that a plugin uses is compiled a second time, for the machine that builds.
        if name in command.inputs and not Path(value_of(command.arguments, "-output-file-map")).parent.name.endswith("-tool.build"):
            return command
    raise NeedsFullBuild(f"no Swift module of the build has {file}")


def modules_of(files, compiling):
    """The command and the files of each module, by its name."""
    modules = {}
    for file in files:
        command = module_of(file, compiling)
        modules.setdefault(value_of(command.arguments, "-module-name"), (command, []))[1].append(file)
    return modules


def compile_files(files, compiling, out, compares_modules):
    """Compiles the files. Returns the new object file by the path of the old one."""
    modules, objects, jobs = modules_of(files, compiling), {}, []
    for name, (command, changed) in modules.items():
        all_jobs = frontend_jobs(command.arguments)
        folder = out / "modules" / name
        folder.mkdir(parents=True)
        for file in changed:
            job = next(job for job in all_jobs if "-primary-file" in job and value_of(job, "-primary-file") == str(file))
            old = value_of(job, "-o")
            objects[old] = folder / Path(old).name
            jobs.append(redirected(with_value(job, "-o", objects[old]), folder / file.name))
        if compares_modules:
            jobs.append(module_job(all_jobs, folder / f"{name}.swiftmodule"))
    with ThreadPoolExecutor() as pool:
        for _ in pool.map(run, jobs):
            pass
    if compares_modules:
        require_same_modules(modules, out)
    return objects


def require_same_modules(modules, out):
    modules_before = modules_folder(out)
    for name, (command, _) in modules.items():
        built = modules_before / f"{name}.swiftmodule"
        if not built.exists():
            built = Path(value_of(command.arguments, "-emit-module-path"))
        if built.read_bytes() != (out / "modules" / name / f"{name}.swiftmodule").read_bytes():
            raise NeedsFullBuild(f"the declarations of {name} have changed")


def module_job(all_jobs, new):
    module = next(job for job in all_jobs if "-emit-module" in job and "-primary-file" not in job)
    return redirected(with_value(module, "-o", new), new)


def modules_folder(out):
    return out.with_name(f"{out.name}-modules")


def make_modules(build_folder, out, files):
    folder = modules_folder(out)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    compiling, _ = read_manifest(build_folder)
    for name, (command, _) in modules_of(files, compiling).items():
        run(module_job(frontend_jobs(command.arguments), folder / f"{name}.swiftmodule"))


def redirected(job, new):
    """A job whose other outputs are beside a new file."""
    for argument in job:
        if argument.startswith("-emit-") and argument.endswith("-path") or argument == "-serialize-diagnostics-path":
            job = with_value(job, argument, f"{new}.{argument.strip('-')}")
    return job


# --- Linking


def link(linking, objects, out):
    """Links each program that has one of the object files. For the other programs, makes a link to the built one."""
    done = set()
    for command in linking:
        name = command.output.name
        if name not in PROGRAMS:
            continue
        index, listed = next(
            (index, argument[1:]) for index, argument in enumerate(command.arguments) if argument.endswith(".LinkFileList")
        )
        old = Path(listed).read_text(encoding="utf-8").splitlines()
        new = [str(objects.get(shlex.split(line)[0], line)) if line else line for line in old]
        if new == old:
            (out / name).symlink_to(command.output)
        else:
            own_list = out / f"{name}.LinkFileList"
            own_list.write_text("\n".join(new) + "\n", encoding="utf-8")
            arguments = with_value(command.arguments, "-o", out / name)
            run(arguments[:index] + [f"@{own_list}"] + arguments[index + 1 :] + FAST_LINKER)
        done.add(name)
    if done != set(PROGRAMS):
        raise NeedsFullBuild(f"the build has no command that links {', '.join(sorted(set(PROGRAMS) - done))}")


def run(arguments):
    result = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise DoesNotCompile(result.stderr + result.stdout)
    return result.stdout


def build(build_folder, out, files, compares_modules):
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    compiling, linking = read_manifest(build_folder)
    if not linking:
        raise NeedsFullBuild("the manifest of the build has no program")
    link(linking, compile_files(files, compiling, out, compares_modules), out)
