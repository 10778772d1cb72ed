internal import JOSESupport

/// The kind of a file that associates a website with apps.
@nonexhaustive package enum LinkFileKind: Equatable, Sendable, CaseIterable {
    /// The file `apple-app-site-association`, for universal links of iOS.
    case apple
    /// The file `assetlinks.json`, for App Links of Android.
    case android

    /// The name of the file, which is the last part of its URL.
    package var name: String {
        switch self {
        case .apple: "apple-app-site-association"
        case .android: "assetlinks.json"
        }
    }

    /// The URL paths at which the operating system requests the file.
    package var paths: [String] {
        switch self {
        case .apple: ["/.well-known/" + name, "/" + name]
        case .android: ["/.well-known/" + name]
        }
    }
}

/// A file to check, either downloaded from a server or local. A local file has no HTTP status and no content type.
package struct LinkFile: Sendable {
    /// The kind of the file.
    package var kind: LinkFileKind
    /// The URL of the file, or the path of a local file.
    package var location: String
    /// The HTTP status of the response, or nil for a local file.
    package var status: Int?
    /// The `Content-Type` of the response, or nil if there is none.
    package var contentType: String?
    /// The bytes of the file.
    package var body: [UInt8]

    /// Creates a file to check.
    ///
    /// - Parameters:
    ///   - kind: The kind of the file.
    ///   - location: The URL that was requested, or the path of a local file. Do not follow redirects when you request
    ///     the file, because iOS and Android do not follow them either.
    ///   - status: The HTTP status of the response, or nil for a local file.
    ///   - contentType: The `Content-Type` of the response, or nil if there is none.
    ///   - body: The bytes of the file.
    package init(
        _ kind: LinkFileKind, location: String, status: Int? = nil, contentType: String? = nil, body: [UInt8]
    ) {
        self.kind = kind
        self.location = location
        self.status = status
        self.contentType = contentType
        self.body = body
    }

    /// The largest size in bytes of an `apple-app-site-association` file that iOS reads: 128 KiB.
    package static let appleByteLimit = 131_072

    /// The findings about how the file is served, in the order of the name, the response and the size.
    var servingFindings: [LinkFinding] {
        var findings: [LinkFinding] = []
        let isURL = location.contains("://")
        if isURL {
            if let url = LinkURL(location) {
                if !kind.paths.contains(url.path) || url.hasQuery { findings.append(.error(.name)) }
            } else {
                findings.append(.error(.notHTTPS))
            }
        } else if location.split(separator: "/").last.map(String.init) != kind.name {
            findings.append(.error(.name))
        }
        if let status, status != 200 {
            findings.append(.error((300..<400).contains(status) ? .redirected : .status(status)))
        }
        if status != nil || contentType != nil {
            let type = contentType?.split(separator: ";", omittingEmptySubsequences: false).first.map {
                $0.lowercased()
            }
            if type?.trimmingSpaces != "application/json" { findings.append(.error(.contentType)) }
        }
        if kind == .apple, body.count > Self.appleByteLimit { findings.append(.error(.tooLarge(body.count))) }
        return findings
    }
}

extension String {
    var trimmingSpaces: String {
        let start = drop { $0 == " " || $0 == "\t" }
        return String(start.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
