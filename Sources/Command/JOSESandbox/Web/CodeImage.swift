internal import JOSEBytes

/// The image of a code that a person reads, in PNG (ISO/IEC 15948): eight digits for the person, and a link as a comment for programs.
/// It stands for a QR code, because no app reads the sandbox's.
package enum CodeImage {
    /// The pixels of the digits 0 to 9: five rows of three bits.
    private static let font: [[UInt8]] = [
        [7, 5, 5, 5, 7], [2, 6, 2, 2, 7], [7, 1, 7, 4, 7], [7, 1, 7, 1, 7], [5, 5, 7, 1, 1], [7, 4, 7, 1, 7],
        [7, 4, 7, 5, 7], [7, 1, 1, 2, 2], [7, 5, 7, 5, 7], [7, 5, 7, 1, 7],
    ]
    /// The pixels of the image for each of the font.
    private static let scale = 8
    private static let keyword = "Comment"

    static func png(digits: String, link: String) -> [UInt8] {
        // Four columns and seven rows of the font's pixels, with a margin of one.
        let columns = digits.utf8.count * 4 + 1
        var pixels: [UInt8] = []
        for row in 0..<7 * scale {
            pixels.append(0)
            for column in 0..<columns {
                let isInk = isInk(Array(digits.utf8), row / scale - 1, column - 1)
                // Each pixel of the font is one byte, of which 0 bits are black.
                pixels.append(isInk ? 0 : 0xFF)
            }
        }
        let size = UInt16(pixels.count)
        var header = bytes(UInt32(columns * scale))
        header += bytes(UInt32(7 * scale))
        header += [1, 0, 0, 0, 0]
        // One block that is not compressed (RFC 1951, 3.2.4).
        var data: [UInt8] = [0x78, 0x01, 0x01]
        data += bytes(size.byteSwapped)
        data += bytes((~size).byteSwapped)
        data += pixels
        data += bytes(adler(pixels))
        var image: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        image += chunk("IHDR", header)
        image += chunk("tEXt", Array("\(keyword)\0\(link)".utf8))
        image += chunk("IDAT", data)
        image += chunk("IEND", [])
        return image
    }

    /// Returns the link in an image, or nil if there is none.
    package static func link(in image: [UInt8]) -> String? {
        let start = Array("tEXt\(keyword)".utf8) + [0]
        guard let place = image.indices.first(where: { image[$0...].starts(with: start) }), place >= 4 else {
            return nil
        }
        let count = image[place - 4..<place].reduce(0) { $0 << 8 | Int($1) }
        let text = image[(place + start.count)...].prefix(max(0, count - start.count + 4))
        return String(decoding: text, as: UTF8.self)
    }

    private static func isInk(_ digits: [UInt8], _ row: Int, _ column: Int) -> Bool {
        guard (0..<5).contains(row), column >= 0, column / 4 < digits.count, column % 4 < 3 else { return false }
        return font[Int(digits[column / 4] - UInt8(ascii: "0"))][row] & (4 >> (column % 4)) != 0
    }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        stride(from: number.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let covered = Array(name.utf8) + content
        return bytes(UInt32(content.count)) + covered + bytes(crc(covered))
    }

    /// Returns the CRC-32 of the bytes (ISO/IEC 15948, D).
    private static func crc(_ bytes: [UInt8]) -> UInt32 {
        var crc = UInt32.max
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 {
                let isOdd = crc & 1 == 1
                crc >>= 1
                if isOdd { crc ^= 0xEDB8_8320 }
            }
        }
        return ~crc
    }

    /// Returns the Adler-32 of the bytes (RFC 1950, 8.2).
    private static func adler(_ bytes: [UInt8]) -> UInt32 {
        var (a, b): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            a = (a + UInt32(byte)) % 65_521
            b = (b + a) % 65_521
        }
        return b << 16 | a
    }
}
