internal import JOSESupport

#if Server
    internal import CJOSESandbox
#endif

/// The image of a code, in PNG (ISO/IEC 15948): a QR code with a link for a phone, eight digits for the person, and the
/// link as a comment for programs.
package enum CodeImage {
    /// The pixels of the digits 0 to 9: five rows of three bits.
    private static let font: [[UInt8]] = [
        [7, 5, 5, 5, 7], [2, 6, 2, 2, 7], [7, 1, 7, 4, 7], [7, 1, 7, 1, 7], [5, 5, 7, 1, 1], [7, 4, 7, 1, 7],
        [7, 4, 7, 5, 7], [7, 1, 1, 2, 2], [7, 5, 7, 5, 7], [7, 5, 7, 1, 7],
    ]
    /// The pixels of the image for each module of the code and each pixel of the font.
    private static let scale = 8
    /// The blank modules around the code, and below the digits.
    private static let margin = 4
    private static let keyword = "Comment"

    /// Returns the image. The link has at most 400 bytes, so that the pixels are one block of at most 65,535 bytes.
    /// Those of the sandbox have some 100 bytes, and lead to a host that the phone does not know: it reads them, and
    /// cannot follow them.
    static func png(digits: String, link: String) -> [UInt8] {
        precondition(link.utf8.count <= 400, "the link does not fit into one block")
        let code = modules(link)
        let columns = code.count + 2 * margin
        let rows = code.count + 3 * margin + 5
        var pixels: [UInt8] = []
        for row in 0..<rows {
            let line = (0..<columns).map { column in
                let (y, x) = (row - margin, column - margin)
                let isDark =
                    code.indices.contains(y) && code.indices.contains(x) && code[y][x]
                    || isInk(Array(digits.utf8), y - code.count - margin, x)
                // Each module is one byte, of which 0 bits are black.
                return isDark ? UInt8(0) : 0xFF
            }
            for _ in 0..<scale { pixels += [0] + line }
        }
        let size = UInt16(pixels.count)
        var header = bytes(UInt32(columns * scale))
        header += bytes(UInt32(rows * scale))
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
        guard let index = image.indices.first(where: { image[$0...].starts(with: start) }), index >= 4 else {
            return nil
        }
        let count = image[index - 4..<index].reduce(0) { $0 << 8 | Int($1) }
        let text = image[(index + start.count)...].prefix(max(0, count - start.count + 4))
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the modules of a QR code, row by row; true is dark.
    private static func modules(_ text: String) -> [[Bool]] {
        #if Server
            var modules = [UInt8](repeating: 0, count: 177 * 177)
            let data = Array(text.utf8)
            let capacity = modules.count
            let width = unsafe modules.withUnsafeMutableBufferPointer { modules in
                unsafe data.withUnsafeBufferPointer { data in
                    unsafe cjose_sandbox_code(data.baseAddress!, data.count, modules.baseAddress!, capacity)
                }
            }
            return (0..<width).map { row in (0..<width).map { modules[row * width + $0] == 1 } }
        #else
            // Nothing serves the image.
            []
        #endif
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
