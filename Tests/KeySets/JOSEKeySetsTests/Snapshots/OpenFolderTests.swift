import Foundation
import TestSupport
import Testing

@testable import JOSEKeySets

@Suite("Files of the snapshot folder") struct OpenFolderTests {
    @Test("K23: a file of exactly the largest size is read, and one of a byte more is rejected")
    func size() throws {
        let temporary = try TemporaryFolder()
        let folder = try OpenFolder(temporary.url.path, making: false)
        for count in [0, 1, 65_535, 65_536, 65_537] {
            let bytes = [UInt8](repeating: 0x61, count: count)
            try folder.create("\(count)", contents: bytes.span)
            #expect(try folder.read("\(count)", maximumBytes: count) == bytes)
            guard count > 0 else { continue }
            #expect(throws: SnapshotFault.tooLarge) { try folder.read("\(count)", maximumBytes: count - 1) }
        }
        let none: [UInt8] = []
        #expect(throws: SnapshotFault.system(EEXIST)) { try folder.create("0", contents: none.span) }
    }

    #if os(Linux)
        @Test("a file that cannot be read and a folder that cannot be written to the disk throw the system's error")
        func unreadable() throws {
            let temporary = try TemporaryFolder()
            let good = try OpenFolder(temporary.url.path, making: false)
            let bytes: [UInt8] = [0x61]
            try good.create("file", contents: bytes.span)
            #expect(try good.read("file", maximumBytes: 1 << 20) == bytes)
            #expect(throws: Never.self) { try good.synchronize() }
            // The memory of the process is a regular file that has no first page.
            let folder = try OpenFolder("/proc/self", making: false)
            #expect(throws: SnapshotFault.system(EIO)) { try folder.read("mem", maximumBytes: 1 << 20) }
            // Its folder is on no disk.
            #expect(throws: SnapshotFault.system(EINVAL)) { try folder.synchronize() }
        }
    #endif
}
