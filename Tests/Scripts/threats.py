"""Writes Tests/Vectors/threats/tokens.json: tokens that need arithmetic which the library does not offer on purpose.

RSA by bare exponentiation, CBC without padding, points with a small-order part. Needs Python 3 and the openssl command.
The keys are new in each run. From the top folder: python3 Tests/Scripts/threats.py
"""
import base64
import hashlib
import hmac
import json
import os
import random
import re
import subprocess


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def openssl(*arguments, stdin=b""):
    return subprocess.run(("openssl",) + arguments, input=stdin, capture_output=True, check=True).stdout


class RSA:
    def __init__(self, bits):
        text = openssl("rsa", "-text", "-noout", stdin=openssl("genrsa", str(bits))).decode()

        def number(name):
            found = re.search(name + r":((?:\s*[0-9a-f]{2}:?)+)", text).group(1)
            return int(re.sub(r"[^0-9a-f]", "", found), 16)

        self.n, self.d, self.e = number("modulus"), number("privateExponent"), 65537
        self.p, self.q = number("prime1"), number("prime2")
        self.size = bits // 8

    def raw(self, em):
        return pow(int.from_bytes(em, "big"), self.d, self.n).to_bytes(self.size, "big")

    def jwk(self, private):
        def text(number):
            return b64(number.to_bytes((number.bit_length() + 7) // 8, "big"))

        key = {"kty": "RSA", "n": text(self.n), "e": text(self.e)}
        if private:
            key |= {"d": text(self.d), "p": text(self.p), "q": text(self.q), "dp": text(self.d % (self.p - 1)),
                    "dq": text(self.d % (self.q - 1)), "qi": text(pow(self.q, -1, self.p))}
        return key


OIDS = {"sha1": "06052b0e03021a", "sha256": "0609608648016503040201", "sha384": "0609608648016503040202",
        "sha512": "0609608648016503040203"}


def tlv(tag, body, long_form=False):
    if long_form:
        return bytes([tag, 0x82]) + len(body).to_bytes(2, "big") + body
    return bytes([tag, len(body)]) + body if len(body) < 128 else bytes([tag, 0x81, len(body)]) + body


def digest_info(hash_name, digest, null=b"\x05\x00", long_form=False):
    oid = bytes.fromhex(OIDS[hash_name])
    return tlv(0x30, tlv(0x30, oid + null, long_form) + tlv(0x04, digest, long_form), long_form)


def pkcs1(info, size, block=1, fill=b"\xff", first=0, separator=b"\x00", pad=None, tail=b""):
    pad = fill * (size - 3 - len(info) - len(tail)) if pad is None else pad
    em = bytes([first, block]) + pad + separator + info + tail
    return em.ljust(size, b"\x00")[:size]


def signature_tokens(key):
    header = b64(b'{"alg":"RS256"}')
    text = f"{header}.{b64(b'threat')}"
    digest = hashlib.sha256(text.encode()).digest()
    info = digest_info("sha256", digest)
    size = key.size
    good = pkcs1(info, size)
    forms = {
        "good": good,
        "zeros after a short padding": pkcs1(info, size, pad=b"\xff" * 8, tail=b""),
        "garbage after the digest": pkcs1(info, size, pad=b"\xff" * 8, tail=os.urandom(size - 11 - len(info))),
        "garbage inside the parameters": pkcs1(
            tlv(0x30, tlv(0x30, bytes.fromhex(OIDS["sha256"]) + tlv(0x04, b"\x00" * 20)) + tlv(4, digest)), size),
        "one more octet in the padding's place": pkcs1(info, size, pad=b"\xff" * (size - 4 - len(info)), tail=b"\x00"),
        "BER lengths": pkcs1(digest_info("sha256", digest, long_form=True), size),
        "NULL left out": pkcs1(digest_info("sha256", digest, null=b""), size),
        "block type 2": pkcs1(info, size, block=2),
        "block type 0": pkcs1(info, size, block=0, fill=b"\x00"),
        "padding of other octets": pkcs1(info, size, fill=b"\xfe"),
        "bare hash": pkcs1(digest, size),
        "SHA-1 in its own DigestInfo": pkcs1(digest_info("sha1", hashlib.sha1(text.encode()).digest()), size),
        "SHA-512 in its own DigestInfo": pkcs1(digest_info("sha512", hashlib.sha512(text.encode()).digest()), size),
        "SHA-384's OID on a SHA-256 digest": pkcs1(digest_info("sha384", digest), size),
        "no separator": pkcs1(info, size, separator=b"\xff"),
    }
    rows = [("T14", name, key.raw(em)) for name, em in forms.items()]
    s = int.from_bytes(key.raw(good), "big")
    wide = (s + key.n).to_bytes(size + 1, "big")
    rows += [
        ("T16", "good", key.raw(good)),
        ("T16", "s + n", wide if wide[0] else wide[1:]),
        ("T16", "s = 0", bytes(size)), ("T16", "s = 1", (1).to_bytes(size, "big")),
        ("T16", "s = n - 1", (key.n - 1).to_bytes(size, "big")), ("T16", "s = n", key.n.to_bytes(size, "big")),
        ("T16", "an octet of zero before", b"\x00" + key.raw(good)), ("T16", "an octet less", key.raw(good)[:-1]),
        ("T16", "an octet of zero after", key.raw(good) + b"\x00"), ("T16", "nothing", b""),
    ]
    return [{"row": row, "name": name, "token": f"{text}.{b64(signature)}"} for row, name, signature in rows]


def mgf1(hash_name, seed, count):
    out = b""
    for counter in range((count + 63) // 20 + 1):
        out += hashlib.new(hash_name, seed + counter.to_bytes(4, "big")).digest()
    return out[:count]


def pss(key, text, hash_name="sha256", mgf="sha256", salt=32, trailer=0xBC, declared=None):
    bits = key.n.bit_length() - 1
    size = (bits + 7) // 8
    digest = hashlib.new(declared or hash_name, text).digest()
    salt = os.urandom(salt)
    h = hashlib.new(hash_name, bytes(8) + digest + salt).digest()
    db = bytes(size - len(salt) - len(h) - 2) + b"\x01" + salt
    masked = bytearray(a ^ b for a, b in zip(db, mgf1(mgf, h, len(db))))
    masked[0] &= 0xFF >> (8 * size - bits)
    return key.raw((bytes(masked) + h + bytes([trailer])).rjust(key.size, b"\x00"))


def pss_tokens(key):
    text = f"{b64(b'{%salg%s:%sPS256%s}' % ((bytes([34]),) * 4))}.{b64(b'threat')}"
    data = text.encode()
    most = key.size - 32 - 2
    rows = {
        "good": pss(key, data), "no salt": pss(key, data, salt=0), "a salt of 20": pss(key, data, salt=20),
        "a salt of 31": pss(key, data, salt=31), "a salt of 33": pss(key, data, salt=33),
        "the longest salt": pss(key, data, salt=most), "MGF1 with SHA-1": pss(key, data, mgf="sha1"),
        "MGF1 with SHA-512": pss(key, data, mgf="sha512"), "another trailer": pss(key, data, trailer=0xCC),
        "SHA-1 throughout": pss(key, data, hash_name="sha1", mgf="sha1", salt=20),
        "SHA-512 throughout": pss(key, data, hash_name="sha512", mgf="sha512", salt=64),
    }
    return [{"row": "T15", "name": name, "token": f"{text}.{b64(signature)}"} for name, signature in rows.items()]


def cbc_token(cek, padded, header, encrypted_key=b"", wrong_mac=False):
    header = b64(header)
    iv = os.urandom(16)
    body = b""
    if padded:
        body = openssl("enc", "-aes-128-cbc", "-nopad", "-K", cek[16:].hex(), "-iv", iv.hex(), stdin=padded)
    length = (len(header) * 8).to_bytes(8, "big")
    tag = hmac.new(cek[:16], header.encode() + iv + body + length, "sha256").digest()[:16]
    if wrong_mac:
        tag = bytes([tag[0] ^ 1]) + tag[1:]
    return ".".join([header, b64(encrypted_key), b64(iv), b64(body), b64(tag)])


def hidden_tokens(key):
    """Returns tokens whose content keys are in no memory: each key is written with all bits inverted."""

    def oaep(cek):
        data = hashlib.sha1(b"").digest() + bytes(key.size - len(cek) - 42) + b"\x01" + cek
        seed = os.urandom(20)
        masked = bytes(a ^ b for a, b in zip(data, mgf1("sha1", seed, len(data))))
        em = b"\x00" + bytes(a ^ b for a, b in zip(seed, mgf1("sha1", masked, 20))) + masked
        return pow(int.from_bytes(em, "big"), key.e, key.n).to_bytes(key.size, "big")

    rows = []
    for _ in range(4):
        cek = os.urandom(32)
        token = cbc_token(cek, b"fifteen octets.\x01", b'{"alg":"RSA-OAEP","enc":"A128CBC-HS256"}', oaep(cek))
        rows.append({"token": token, "cek": b64(bytes(byte ^ 255 for byte in cek))})
    return rows


def cbc_tokens(cek):
    """Returns tokens with a valid MAC and every kind of padding."""

    def token(padded, wrong_mac=False):
        return cbc_token(cek, padded, b'{"alg":"dir","enc":"A128CBC-HS256"}', wrong_mac=wrong_mac)

    plain = b"fifteen octets."
    rows = {
        "good": token(plain + b"\x01"), "good, a whole block of padding": token(plain + b"!" + b"\x10" * 16),
        "padding of zero": token(plain + b"\x00"), "padding longer than a block": token(plain + b"\x11"),
        "padding of 255": token(plain + b"\xff"), "padding longer than the text": token(b"\x20" * 16),
        "padding not all equal": token(plain[:13] + b"\x01\x02\x03"),
        "padding whose first octet differs": token(b"\x0f" + b"\x10" * 15),
        "no block at all": token(b""),
        "wrong MAC, good padding": token(plain + b"\x01", wrong_mac=True),
        "wrong MAC, bad padding": token(plain + b"\x00", wrong_mac=True),
    }
    return [{"row": "T22", "name": name, "token": text} for name, text in rows.items()]


class Edwards:
    """The curve of RFC 8032, 5.1, in affine coordinates: slow, and for public points only."""

    p = 2**255 - 19
    d = -121665 * pow(121666, -1, p) % p

    @classmethod
    def add(cls, a, b):
        (x1, y1), (x2, y2) = a, b
        t = cls.d * x1 * x2 * y1 * y2 % cls.p
        return ((x1 * y2 + x2 * y1) * pow(1 + t, -1, cls.p) % cls.p, (y1 * y2 + x1 * x2) * pow(1 - t, -1, cls.p) % cls.p)

    @classmethod
    def times(cls, n, a):
        result = (0, 1)
        while n:
            if n & 1:
                result = cls.add(result, a)
            a = cls.add(a, a)
            n >>= 1
        return result

    @classmethod
    def decode(cls, text):
        y = int.from_bytes(text, "little")
        sign, y = y >> 255, y & (2**255 - 1)
        u, v = (y * y - 1) % cls.p, (cls.d * y * y + 1) % cls.p
        x2 = u * pow(v, -1, cls.p) % cls.p
        x = pow(x2, (cls.p + 3) // 8, cls.p)
        if (x * x - x2) % cls.p:
            x = x * pow(2, (cls.p - 1) // 4, cls.p) % cls.p
        if (x * x - x2) % cls.p:
            raise ValueError("not on the curve")
        return (x if x & 1 == sign else (cls.p - x) % cls.p), y

    @staticmethod
    def encode(a):
        return (a[1] | (a[0] & 1) << 255).to_bytes(32, "little")


def small_order():
    """Returns the points of order 1, 2, 4 and 8, and non-canonical encodings of these and other points."""
    order = 2**252 + 27742317777372353535851937790883648493
    seed = 0
    while True:
        seed += 1
        try:
            point = Edwards.times(order, Edwards.decode(hashlib.sha256(bytes([seed])).digest()))
        except ValueError:
            continue
        if Edwards.times(4, point) != (0, 1):
            break
    points = [Edwards.times(n, point) for n in range(8)]
    base = Edwards.decode((4 * pow(5, -1, Edwards.p) % Edwards.p).to_bytes(32, "little"))
    rows = [{"name": f"order divides 8, number {n}", "x": b64(Edwards.encode(a))} for n, a in enumerate(points)]
    rows += [{"name": f"prime order plus small order {n}", "x": b64(Edwards.encode(Edwards.add(base, points[n])))}
             for n in (1, 2, 4)]
    for extra in range(19):
        y = Edwards.p + extra
        for sign in (0, 1):
            rows.append({"name": f"y = p + {extra}, sign {sign}", "x": b64((y | sign << 255).to_bytes(32, "little"))})
    for y in (1, Edwards.p - 1):
        rows.append({"name": f"x = 0 with its sign set, y = {'1' if y == 1 else '-1'}",
                     "x": b64((y | 1 << 255).to_bytes(32, "little"))})
    rows.append({"name": "not on the curve", "x": b64((2).to_bytes(32, "little"))})
    return rows


def is_prime(n):
    return pow(2, n - 1, n) == 1 and all(pow(a, n - 1, n) == 1 for a in (3, 5, 7, 11))


def roca():
    """Returns a modulus of primes that are powers of 65537 modulo a product of small primes (CVE-2017-15361)."""
    small = [n for n in range(2, 702) if all(n % d for d in range(2, n))]
    product = 1
    for prime in small:
        product *= prime

    def prime():
        while True:
            k = random.randrange(2**1023 // product + 1, 2**1024 // product)
            power = pow(65537, random.getrandbits(128), product)
            candidate = k * product + power
            if candidate.bit_length() == 1024 and is_prime(candidate):
                return candidate

    while True:
        n = prime() * prime()
        if n.bit_length() == 2048:
            return {"kty": "RSA", "n": b64(n.to_bytes(256, "big")), "e": "AQAB"}


def main():
    key, small = RSA(2048), RSA(1024)
    cek = os.urandom(32)
    text = f"{b64(b'{%salg%s:%sRS256%s}' % ((bytes([34]),) * 4))}.{b64(b'threat')}"
    signed = small.raw(pkcs1(digest_info("sha256", hashlib.sha256(text.encode()).digest()), small.size))
    data = {
        "rsa": key.jwk(True), "small": {"key": small.jwk(False), "private": small.jwk(True), "token": f"{text}.{b64(signed)}"},
        "cek": b64(cek), "tokens": signature_tokens(key) + pss_tokens(key) + cbc_tokens(cek),
        "edwards": small_order(), "roca": roca(), "hidden": hidden_tokens(key),
    }
    folder = os.path.join(os.path.dirname(__file__), "../Vectors/threats")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "tokens.json"), "w") as file:
        json.dump(data, file, indent=1)
        file.write("\n")


main()
