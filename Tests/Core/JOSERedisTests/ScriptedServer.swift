#if Redis
    import Foundation
    import Synchronization
    import TestSupport

    struct NoServer: Error {}

    /// A server on loopback that sends a script to each connection, whatever it receives. It does not speak Redis.
    final class ScriptedServer: Sendable {
        let port: UInt16
        private let listener: Int32
        private let accepted = Counter()

        /// The number of connections that were accepted.
        var connections: Int { accepted.value.load(ordering: .relaxed) }

        private final class Counter: Sendable { let value = Atomic(0) }

        /// Creates a server.
        ///
        /// - Parameter script: The replies, of which one is sent each time that data arrive. An empty one ends the connection.
        init(script: [[UInt8]], host: UInt32 = 0x7F00_0001, port wanted: UInt16 = 0) throws {
            listener = Self.socketOfStream()
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = host.bigEndian
            address.sin_port = wanted.bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let listener = listener
            // Connections of a server that was killed at this port may not have ended yet.
            var reuses: Int32 = 1
            _ = unsafe setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &reuses, socklen_t(MemoryLayout<Int32>.size))
            let works = unsafe withUnsafeMutablePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe bind(listener, $0, size) == 0 && listen(listener, 16) == 0
                        && getsockname(listener, $0, &size) == 0
                }
            }
            guard listener >= 0, works else { throw NoServer() }
            port = UInt16(bigEndian: address.sin_port)
            Thread.detachNewThread { [accepted] in
                while true {
                    let connection = accept(listener, nil, nil)
                    guard connection >= 0 else { break }
                    accepted.value.add(1, ordering: .relaxed)
                    Thread.detachNewThread { Self.serve(connection, script) }
                }
                // Not before this thread uses the number no more: the next server could get it, and this script would answer there.
                close(listener)
            }
        }

        deinit {
            // This wakes the thread that accepts connections, and ends it if it does not wait.
            _ = shutdown(listener, Int32(SHUT_RDWR))
        }

        static func socketOfStream() -> Int32 {
            #if canImport(Darwin)
                socket(AF_INET, SOCK_STREAM, 0)
            #else
                socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            #endif
        }

        private static func serve(_ connection: Int32, _ script: [[UInt8]]) {
            var piece = [UInt8](repeating: 0, count: 4096)
            defer { close(connection) }
            for answer in script {
                guard unsafe recv(connection, &piece, piece.count, 0) > 0 else { return }
                #if canImport(Darwin)
                    let flags: Int32 = 0
                #else
                    let flags = Int32(MSG_NOSIGNAL)
                #endif
                if answer.isEmpty { return }
                var rest = answer[...]
                while !rest.isEmpty {
                    let sent = unsafe rest.withUnsafeBytes { unsafe send(connection, $0.baseAddress, $0.count, flags) }
                    guard sent > 0 else { return }
                    rest = rest.dropFirst(sent)
                }
            }
            while unsafe recv(connection, &piece, piece.count, 0) > 0 {}
        }
    }
#endif
