internal import Foundation
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#endif

/// A child process that answers requests line by line. It has one end of a socket pair as its input and output, and this process
/// has the other: however this process ends, the child reads the end of its input.
package final class Tethered: Sendable {
    private let socket: Int32
    private let unread = Mutex<[UInt8]>([])
    /// The process identifier of the child, which this process may end.
    package let identifier: Int32

    package init(_ tool: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        #if canImport(Darwin)
            let stream = SOCK_STREAM
        #else
            let stream = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        #endif
        var ends: [Int32] = [0, 0]
        guard unsafe socketpair(AF_UNIX, stream, 0, &ends) == 0 else {
            throw FaultServer.Complaint(description: "no pair of sockets")
        }
        socket = ends[0]
        // A process that hangs is a failed test, not a run that never ends. A busy machine may need a minute to start one.
        var patience = timeval(tv_sec: 300, tv_usec: 0)
        unsafe setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        #if canImport(Darwin)
            _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
            var quiet: Int32 = 1
            unsafe setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &quiet, socklen_t(MemoryLayout<Int32>.size))
        #endif
        let theirs = FileHandle(fileDescriptor: ends[1], closeOnDealloc: false)
        let process = Process()
        process.executableURL = URL(filePath: tool)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = theirs
        process.standardOutput = theirs
        defer { close(ends[1]) }
        do { try process.run() } catch {
            close(socket)
            throw error
        }
        identifier = process.processIdentifier
    }

    deinit { close(socket) }

    /// Kills the child, and returns when it is gone with all its descriptors, so that another process can listen where it did.
    package func kill() {
        #if canImport(Darwin)
            func send(_ signal: Int32) -> Bool { Darwin.kill(identifier, signal) == 0 }
        #else
            func send(_ signal: Int32) -> Bool { Glibc.kill(identifier, signal) == 0 }
        #endif
        _ = send(SIGKILL)
        // Foundation asks for the status of a child that has ended, after which there is no process of this number.
        let end = ContinuousClock.now + .seconds(300)
        while send(0), ContinuousClock.now < end { usleep(1_000) }
    }

    package func ask(_ line: String) throws -> String {
        try unread.withLock { unread in
            try send(line + "\n")
            return try next(&unread)
        }
    }

    /// Sends a line whose answer is read later.
    package func tell(_ line: String) throws { try send(line + "\n") }

    package func line() throws -> String { try unread.withLock { try next(&$0) } }

    /// Returns the next line; nil if none begins in this time.
    package func line(within milliseconds: Int32) throws -> String? {
        try unread.withLock { unread in
            var place = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            if unread.isEmpty, unsafe poll(&place, 1, milliseconds) <= 0 { return nil }
            return try next(&unread)
        }
    }

    private func send(_ text: String) throws {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            #if canImport(Darwin)
                let flags: Int32 = 0
            #else
                let flags = Int32(MSG_NOSIGNAL)
            #endif
            #if canImport(Darwin)
                let sent = unsafe rest.withUnsafeBytes { unsafe Darwin.send(socket, $0.baseAddress!, $0.count, flags) }
            #else
                let sent = unsafe rest.withUnsafeBytes { unsafe Glibc.send(socket, $0.baseAddress!, $0.count, flags) }
            #endif
            if sent < 0, errno == EINTR { continue }
            guard sent > 0 else { throw FaultServer.Complaint(description: "the process is gone") }
            rest = rest.dropFirst(sent)
        }
    }

    private func next(_ unread: inout [UInt8]) throws -> String {
        var piece = [UInt8](repeating: 0, count: 65536)
        while true {
            if let end = unread.firstIndex(of: 10) {
                defer { unread.removeFirst(end + 1) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            let got = unsafe recv(socket, &piece, piece.count, 0)
            if got < 0, errno == EINTR { continue }
            guard got != 0 else { throw FaultServer.Complaint(description: "the process has ended") }
            guard got > 0 else { throw FaultServer.Complaint(description: "the process says nothing") }
            unread += piece[..<got]
        }
    }
}
