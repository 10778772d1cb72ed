internal import JOSEBytes

/// Which of the two files tie a site to apps.
@nonexhaustive public enum LinkFileKind: Equatable, Sendable, CaseIterable {
    /// `apple-app-site-association`: universal links of iOS.
    case apple
    /// `assetlinks.json`: App Links of Android.
    case android

    /// The last part of its URL.
    public var name: String {
        switch self {
        case .apple: "apple-app-site-association"
        case .android: "assetlinks.json"
        }
    }

    /// Where it may lie on its host.
    public var paths: [String] {
        switch self {
        case .apple: ["/.well-known/" + name, "/" + name]
        case .android: ["/.well-known/" + name]
        }
    }
}

/// A file as a server gave it, or as it lies on a disk: then nothing is known but its name and its bytes.
public struct LinkFile: Sendable {
    /// What it is read as.
    public var kind: LinkFileKind
    /// Its URL, or the name of a file.
    public var place: String
    /// Of the answer; nil: there was none.
    public var status: Int?
    /// Of the answer, as it came; nil: none, or no answer.
    public var contentType: String?
    /// As it came.
    public var body: [UInt8]

    /// The URL must be the one that was asked: no system follows a redirect to this file.
    public init(
        _ kind: LinkFileKind, place: String, status: Int? = nil, contentType: String? = nil, body: [UInt8]
    ) {
        self.kind = kind
        self.place = place
        self.status = status
        self.contentType = contentType
        self.body = body
    }

    /// Bytes of an `apple-app-site-association` that iOS still reads.
    public static let appleByteLimit = 131_072

    /// What is wrong with how it is served: all there is, in the order of the name, the answer and the size.
    var servingFindings: [LinkFinding] {
        var findings: [LinkFinding] = []
        let isURL = place.contains("://")
        if isURL {
            if let url = LinkURL(place) {
                if !kind.paths.contains(url.path) || url.hasQuery { findings.append(.error(.name)) }
            } else {
                findings.append(.error(.notHTTPS))
            }
        } else if place.split(separator: "/").last.map(String.init) != kind.name {
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
