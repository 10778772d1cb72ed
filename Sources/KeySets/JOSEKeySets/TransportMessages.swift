package import JOSE
internal import JOSESupport

/// A header field (RFC 9110, 5).
public struct TransportHeaderField: Sendable, Equatable {
    /// The name of the field. Names are compared without regard to the case of ASCII letters.
    public var name: String
    /// The value of the field, without white space around it.
    public var value: String

    /// Creates a header field with a name and a value.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// An HTTP request, with the limits on its time and on its response.
public struct TransportRequest: Sendable, Equatable {
    /// The method of a request.
    @nonexhaustive public enum Method: String, Sendable {
        /// GET (RFC 9110, 9.3.1).
        case get = "GET"
        /// POST (RFC 9110, 9.3.3).
        case post = "POST"
    }

    /// The method. The default is GET.
    public var method: Method = .get
    /// The absolute URL, with a scheme and a host.
    public var url: String
    /// The header fields, except those that a transport sets itself: Host, Content-Length, User-Agent and
    /// Accept-Encoding.
    public var headers: [TransportHeaderField] = []
    /// The body of a POST.
    public var body: [UInt8] = []
    /// The time limit for the exchange, from the call to the last byte of the response, redirects and retries included.
    /// The default is 5 seconds.
    public var deadline: Duration = .seconds(5)
    /// The time limit for name resolution, connection and TLS, which never exceeds `deadline`. The default is 3
    /// seconds.
    public var connectDeadline: Duration = .seconds(3)
    /// The size of the largest accepted response body in bytes, after decompression. The default is 512 KiB.
    public var bodyLimit = 512 * 1024
    /// The number of redirects that are followed, each to the same scheme, host and port. The default, 0, follows none.
    public var redirectLimit = 0

    /// Creates a GET request with the default limits.
    public init(url: String) { self.url = url }
}

/// An HTTP response.
public struct TransportResponse: Sendable, Equatable {
    /// The status code of three digits (RFC 9110, 15).
    public var status: Int
    /// The header fields, in the order in which they were received.
    public var headers: [TransportHeaderField]
    /// The body, decoded if it was compressed.
    public var body: [UInt8]

    /// Creates a response.
    public init(status: Int, headers: [TransportHeaderField] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Returns the value of the first header field with the given name, or nil if there is none.
    public func header(_ name: String) -> String? { headers.first { $0.isNamed(name) }?.value }
    /// Returns the values of all header fields with the given name, in order.
    public func headers(_ name: String) -> [String] { headers.filter { $0.isNamed(name) }.map(\.value) }
}

extension TransportHeaderField {
    fileprivate func isNamed(_ other: String) -> Bool {
        name.utf8.count == other.utf8.count
            && zip(name.utf8, other.utf8).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
    }
}

// Requests and responses contain secrets and personal data: descriptions contain only names, locations and sizes.

extension TransportHeaderField: Redacted {
    /// The name of the field, without its value.
    package var summary: String { name }
}

extension TransportRequest: Redacted {
    /// A description with the method, the URL without query, fragment and user information, and the sizes of the other
    /// parts.
    public var description: String {
        "\(method.rawValue) \(Self.location(of: url)), \(headers.count) header fields, \(body.count) bytes"
    }

    private static func location(of url: String) -> String {
        let bare = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        // The URL is read as bytes, so that an invalid URL shows no more than a valid one.
        guard let at = bare.lastIndex(of: UInt8(ascii: "@")) else { return String(Substring(bare)) }
        let scheme = bare.prefix { $0 != UInt8(ascii: "/") }
        return String(Substring(scheme)) + "//" + String(Substring(bare[bare.index(after: at)...]))
    }
}

extension TransportResponse: Redacted {
    /// A description with the status and the sizes of the other parts.
    public var description: String { "\(status), \(headers.count) header fields, \(body.count) bytes" }
}
