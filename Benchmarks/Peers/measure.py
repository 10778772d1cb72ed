"""Starts the harnesses, has them prove themselves, and runs the rounds."""
from harness_process import Gone, HarnessProcess
from results import Results


def start(libraries, place, fixtures, core, log, note):
    """The harnesses that are ready."""
    ready = []
    for library in libraries:
        harness = None
        try:
            if library.build:
                library.build(place)
            harness = HarnessProcess(library, [*library.start(place), fixtures], core, log)
            harness.prove()
        except Exception as fault:
            note(f"{library.name} is left out: {fault}")
            if harness:
                harness.close()
            continue
        ready.append(harness)
    return ready


def check(harness, made, note):
    """Drops what is not what it should be."""
    for operation, reason in harness.accepted.items():
        note(f"{harness.library.name} takes a broken token, {operation}: {reason}")
    for operation, token in list(harness.proved.items()):
        fault = made.fault(operation, token) if made and token != "-" else None
        if fault:
            note(f"{harness.library.name} makes no token, {operation}: {fault}")
            harness.left_out[operation] = fault
            del harness.proved[operation]


def rounds(harnesses, operations, seconds, count, note, progress=lambda text: None):
    """For each operation each library for a moment, `count` times over, so that what disturbs one disturbs all."""
    results = Results(operations, [harness.library for harness in harnesses])
    gone = set()
    for operation in operations:
        able = [harness for harness in harnesses if operation in harness.proved and harness not in gone]
        progress(f"{operation}, {len(able)} libraries")
        for number in range(count + 1):
            # The first of a round finds the caches as the last one left them: they take turns.
            turn = number % max(1, len(able))
            for harness in able[turn:] + able[:turn]:
                if harness in gone:
                    continue
                try:
                    rate = harness.measure(operation, seconds)
                except Gone as fault:
                    note(f"{harness.library.name} is left out from {operation} on: {fault}")
                    gone.add(harness)
                    continue
                # In the first round compilers that work at run time do so.
                if number:
                    results.add(harness.library, operation, rate)
    return results
