"""Reads the image of a code from the standard input, in base64, as the camera of a phone does, and prints the text of its QR code.

The image is a PNG of one bit a pixel, without a filter. Needs the reader of ZXing (zxing-cpp).
"""

import base64
import struct
import sys
import zlib

import zxingcpp


def main():
    image = base64.b64decode(sys.stdin.read(), validate=True)
    place, header, data = 8, b"", b""
    while place < len(image):
        (size,) = struct.unpack(">I", image[place : place + 4])
        kind, content = image[place + 4 : place + 8], image[place + 8 : place + 8 + size]
        (checksum,) = struct.unpack(">I", image[place + 8 + size : place + 12 + size])
        assert checksum == zlib.crc32(kind + content), kind
        if kind == b"IHDR":
            header = content
        if kind == b"IDAT":
            data += content
        place += 12 + size
    width, height = struct.unpack(">II", header[:8])
    assert header[8:] == b"\x01\x00\x00\x00\x00", header
    rows = zlib.decompress(data)
    stride = 1 + (width + 7) // 8
    assert len(rows) == height * stride and set(rows[::stride]) == {0}
    pixels = bytearray()
    for row in range(height):
        line = rows[row * stride + 1 : (row + 1) * stride]
        pixels += bytes(255 * (line[x // 8] >> (7 - x % 8) & 1) for x in range(width))
    found = zxingcpp.read_barcodes(memoryview(pixels).cast("B", (height, width)))
    assert len(found) == 1, found
    print(found[0].format.name, found[0].text)


main()
