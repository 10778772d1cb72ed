internal import JOSEBytes

/// One field of a header (RFC 9110, 5).
public struct TransportHeaderField: Sendable, Equatable {
    /// Compared without regard to the case of ASCII letters.
    public var name: String
    /// Without white space around it.
    public var value: String

    /// As it is sent.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// What is asked of a server, and how much it may cost.
public struct TransportRequest: Sendable, Equatable {
    /// What is done to the resource.
    @nonexhaustive public enum Method: String, Sendable {
        /// Read it (RFC 9110, 9.3.1).
        case get = "GET"
        /// Hand it the body (RFC 9110, 9.3.3).
        case post = "POST"
    }

    /// What is done.
    public var method: Method = .get
    /// Absolute, with scheme and host.
    public var url: String
    /// Besides those that a transport sets itself: Host, Content-Length, User-Agent, Accept-Encoding.
    public var headers: [TransportHeaderField] = []
    /// Of a POST.
    public var body: [UInt8] = []
    /// For all of it, from the call to the last byte of the answer, redirects and retries included.
    public var deadline: Duration = .seconds(5)
    /// For names, connection and TLS; never longer than `deadline`.
    public var connectDeadline: Duration = .seconds(3)
    /// Bytes of the answer's body, decoded.
    public var bodyLimit = 512 * 1024
    /// Redirects followed, each of them to the same scheme, host and port; 0: none.
    public var redirectLimit = 0

    /// A GET with the bounds above.
    public init(url: String) { self.url = url }
}

/// What a server answered.
public struct TransportResponse: Sendable, Equatable {
    /// Of three digits (RFC 9110, 15).
    public var status: Int
    /// In the order in which they came.
    public var headers: [TransportHeaderField]
    /// Decoded, where it was compressed.
    public var body: [UInt8]

    /// As it came.
    public init(status: Int, headers: [TransportHeaderField] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The value of the first field of the name.
    public func header(_ name: String) -> String? { headers.first { $0.isNamed(name) }?.value }
    /// The values of all fields of the name, in order.
    public func headers(_ name: String) -> [String] { headers.filter { $0.isNamed(name) }.map(\.value) }
}

extension TransportHeaderField {
    fileprivate func isNamed(_ other: String) -> Bool {
        name.utf8.count == other.utf8.count
            && zip(name.utf8, other.utf8).allSatisfy { Self.lowered($0) == Self.lowered($1) }
    }

    private static func lowered(_ letter: UInt8) -> UInt8 { (0x41...0x5A).contains(letter) ? letter | 0x20 : letter }
}

// What travels holds secrets and what is said of people: printed are places and sizes alone.

extension TransportHeaderField: CustomStringConvertible, CustomReflectable {
    /// The name, and how long the value is.
    public var description: String { "\(name): \(value.utf8.count) bytes" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension TransportRequest: CustomStringConvertible, CustomReflectable {
    /// The method, and the URL without query, fragment and user information; of all else how much there is.
    public var description: String {
        "\(method.rawValue) \(Self.place(url)), \(headers.count) header fields, \(body.count) bytes"
    }
    public var customMirror: Mirror { Mirror(self, children: []) }

    private static func place(_ url: String) -> String {
        let bare = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        // Read as bytes: a URL that is none must not say more than one that is.
        guard let at = bare.lastIndex(of: UInt8(ascii: "@")) else { return String(Substring(bare)) }
        let scheme = bare.prefix { $0 != UInt8(ascii: "/") }
        return String(Substring(scheme)) + "//" + String(Substring(bare[bare.index(after: at)...]))
    }
}

extension TransportResponse: CustomStringConvertible, CustomReflectable {
    /// The status; of all else how much there is.
    public var description: String { "\(status), \(headers.count) header fields, \(body.count) bytes" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
