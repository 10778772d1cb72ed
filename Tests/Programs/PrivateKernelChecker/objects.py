"""objects.py OBJDUMP KERNELS LEAKS SOURCES: checks the machine code of the arithmetic on secrets, function by function.

Numbers are in vector registers and in memory that only vector instructions read. So neither a conditional jump nor an address can depend on
them if, in each function,
- no instruction moves a vector to a general register or to a mask register, or sets flags by one;
- general registers are loaded from the function's own spill slots only, where on every path a general register was stored last, and from
  the fields of LOADS (arrays in the frame, which an index addresses, do not overlap spill slots: the compiler sees to that);
- the frame is one that private_wipe_traces clears;
- there is no call, no jump to another function, no gather or scatter, and no instruction whose access to memory a mask decides.
Each function of the object LEAKS has a leak, which must be reported by the rule that PLANTED names. In the drivers, which
MemorySanitizer and memcheck check, verdicts that are public by design are marked in the source, and calls of private_shown declare values
public; VERDICTS and SHOWN list them, as they were reviewed."""
import collections
import glob
import re
import subprocess
import sys

# The loads of general registers that are not spill slots: what each reads is public.
LOADS = {
    "private_multiply": {"(%rdx)": "modulus->n", "0x80(%rdx)": "modulus->blocks"},
    "private_square": {"(%rsi)": "modulus->n", "0x80(%rsi)": "modulus->blocks"},
}
FUNCTIONS = 16
# The bytes of the largest frame: private_wipe_traces clears the stack below its caller to a fixed depth.
FRAME = 8192
VERDICTS = collections.Counter({
    ("private_libcrypto.c", "whether the key is of a form that the kernels take."): 1,
    ("private_pass.c", "whether the check has failed."): 1,
    ("private_pass.c", "whether the product of the primes is the modulus."): 1,
    ("private_rsa.c", "whether an input is below the modulus (RFC 8017, 5.1.2, step 1)."): 1,
})
# The calls that declare values public to MemorySanitizer and memcheck: one for each verdict of this file.
SHOWN = collections.Counter({"private_pass.c": 2})

# The functions of the object LEAKS, with the rule that finds each: every rule has at least one.
PLANTED = {
    "leak_branch": "load of a general register",
    "leak_index": "load of a general register",
    "leak_early_exit": "load of a general register",
    "leak_stored_vector": "load of a general register",
    "leak_gather": "gather",
    "leak_masked_load": "mask register",
    "leak_vector_flag": "flags by a vector",
    "leak_moved_vector": "vector to a general register",
    "leak_call": "call",
    "leak_last_call": "call",
    "leak_frame": "frame",
}

GENERAL = re.compile(r"%(?:[re]?(?:ax|bx|cx|dx|si|di|bp|sp)|[abcd][lh]|[sd]il|[sb]pl|r\d+[dwb]?)$")
FLAGS_BY_VECTORS = re.compile(r"v?(?:ptest|pcmp[ei]str|testp[sd]|u?comis[sdh]|comx|ucomx)|k(?:or)?test")
ALLOWED_WITHOUT_OPERANDS = {"retq", "vzeroupper", "nop", "cqto", "cltq"}


def functions(objdump, path):
    """Returns the instructions of each function: address, mnemonic and operands."""
    text = subprocess.run([objdump, "-dr", "--no-show-raw-insn", path], check=True, capture_output=True, text=True).stdout
    found, name = {}, None
    for line in text.splitlines():
        begins = re.match(r"[0-9a-f]+ <(.+)>:$", line)
        if begins:
            name = begins.group(1)
            found[name] = []
            continue
        # The target of a jump to another file's function is not known yet: a relocation says so, behind the instruction.
        if name and re.match(r"\s+[0-9a-f]+:\s+R_X86_64_PLT32\s", line):
            address, mnemonic, _ = found[name].pop()
            found[name].append((address, mnemonic, ["another function"]))
            continue
        if re.match(r"\s+[0-9a-f]+:\s+R_X86_64_", line):
            continue
        instruction = re.match(r"\s+([0-9a-f]+):\s+(?:(?:cs|data16|rep|lock)\s+)*(\S+)\s*([^#<]*)", line)
        if instruction and name:
            found[name].append((int(instruction.group(1), 16), instruction.group(2), split(instruction.group(3).strip())))
    return found


def split(operands):
    """Splits operands at the commas outside of parentheses."""
    return [each.strip() for each in re.split(r",\s*(?![^(]*\))", operands) if each.strip()]


def is_memory(operand):
    return "(" in operand or re.fullmatch(r"0x[0-9a-f]+|%[fg]s:.*", operand) is not None


def slot(operand):
    """The offset of a slot in the frame, and its base, or None."""
    found = re.fullmatch(r"(-?0x[0-9a-f]+|-?\d+)?\((%rsp|%rbp)\)", operand)
    return (found.group(2), int(found.group(1) or "0", 0)) if found else None


def is_vector(mnemonic, operands):
    return mnemonic.startswith("v") or any(re.search(r"%[xyz]mm", each) for each in operands)


def after(slots, mnemonic, operands):
    """The slots that hold general registers behind an instruction, of those before it."""
    place = slot(re.split(r"\s*{", operands[-1])[0]) if operands else None
    if place is None or mnemonic.startswith(("cmp", "test", "lea", "push", "j")):
        return slots
    if is_vector(mnemonic, operands):
        return frozenset(each for each in slots if each[0] != place[0] or not place[1] - 8 < each[1] < place[1] + 64)
    if mnemonic.startswith("mov") and (GENERAL.match(operands[0]) or operands[0].startswith("$")):
        return slots | {place}
    return slots


def slots_before(code):
    """The slots that hold general registers before each instruction, whichever path led to it."""
    index = {address: number for number, (address, _, _) in enumerate(code)}
    before = [None] * len(code)
    before[0] = frozenset()
    open_ones = [0]
    while open_ones:
        number = open_ones.pop()
        _, mnemonic, operands = code[number]
        slots = after(before[number], mnemonic, operands)
        next_ones = [] if mnemonic.startswith(("jmp", "ret")) else [number + 1]
        if mnemonic.startswith("j"):
            next_ones.append(index.get(int(operands[0], 16)) if re.fullmatch("0x[0-9a-f]+", operands[0]) else None)
        for following in next_ones:
            if following is None or following >= len(code):
                continue
            merged = slots if before[following] is None else before[following] & slots
            if merged != before[following]:
                before[following] = merged
                open_ones.append(following)
    return before


def faults(name, code):
    own = {f"0x{address:x}" for address, _, _ in code}
    for (_, mnemonic, operands), slots in zip(code, slots_before(code)):
        text = mnemonic + " " + ", ".join(operands)
        frame = re.fullmatch(r"\$0x([0-9a-f]+)", operands[0]) if mnemonic.startswith("sub") and operands[-1] == "%rsp" else None
        if frame and int(frame.group(1), 16) > FRAME:
            yield "frame: " + text
        if mnemonic.startswith("call") or (mnemonic.startswith("j") and operands[0] not in own):
            yield "call: " + text
        if any(each in mnemonic for each in ("gather", "scatter", "compress", "expand", "maskmov")):
            yield "gather: " + text
        if re.search(r"%k[0-7]", text):
            yield "mask register: " + text
        if FLAGS_BY_VECTORS.match(mnemonic):
            yield "flags by a vector: " + text
        if is_vector(mnemonic, operands):
            if operands and GENERAL.match(operands[-1]):
                yield "vector to a general register: " + text
            continue
        if mnemonic in ALLOWED_WITHOUT_OPERANDS or mnemonic.startswith(("nop", "lea", "j", "pop", "ret")):
            continue
        if mnemonic.startswith("push") and not is_memory(operands[0]):
            continue
        # What is left are scalar instructions, which read memory by any operand but the destination of a move.
        for operand in operands[:-1] if mnemonic.startswith(("mov", "set")) else operands:
            if is_memory(operand) and operand not in LOADS.get(name, {}) and (slots is None or slot(operand) not in slots):
                yield "load of a general register: " + text


def main(objdump, kernels, leaks, sources):
    status = 0
    arithmetic = functions(objdump, kernels)
    if len(arithmetic) != FUNCTIONS:
        print(f"{kernels}: {len(arithmetic)} functions, where {FUNCTIONS} were reviewed")
        status = 1
    jumps = 0
    for name, code in arithmetic.items():
        jumps += sum(1 for _, mnemonic, _ in code if mnemonic.startswith("j") and mnemonic != "jmp")
        for fault in faults(name, code):
            print(f"{name}: {fault}")
            status = 1
    planted = {name: code for name, code in functions(objdump, leaks).items() if name.startswith("leak_")}
    if planted.keys() != PLANTED.keys():
        print(f"{leaks}: the planted leaks are {sorted(planted)}, where {sorted(PLANTED)} were reviewed")
        status = 1
    for name, code in planted.items():
        if not any(fault.startswith(PLANTED.get(name, "") + ": ") for fault in faults(name, code)):
            print(f"{name}: a planted leak was not found")
            status = 1
    marks, shown = collections.Counter(), collections.Counter()
    for path in glob.glob(sources + "/*.c"):
        with open(path, encoding="utf-8") as file:
            text, name = file.read(), path.rsplit("/", 1)[1]
        marks.update((name, mark) for mark in re.findall(r"// Public by design: (.*)", text))
        shown.update(name for _ in re.findall(r"\bprivate_shown\(", text))
    if marks != VERDICTS:
        print(f"verdicts that are public by design differ from those that were reviewed: {sorted((marks - VERDICTS) + (VERDICTS - marks))}")
        status = 1
    if shown != SHOWN:
        print(f"calls of private_shown differ from those that were reviewed: {dict(shown)}")
        status = 1
    if status == 0:
        print(f"objects: {len(arithmetic)} functions, {jumps} conditional jumps, none on a secret; {len(planted)} planted leaks found; "
              f"{sum(marks.values())} verdicts are public")
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
