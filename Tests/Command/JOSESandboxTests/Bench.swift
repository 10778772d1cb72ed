import Foundation
import JOSE
import JOSEDigiD
import JOSEKeySets
import JOSERelyingParty
import JOSESandbox
import JOSESupport
import JOSETokens
import Synchronization
import Testing

/// A sandbox and a service in one process. Requests go from one to the other without a network, and the browser is simulated.
struct Bench {
    /// The bench of most tests. A task makes it, because its keys take seconds, in which no thread may wait.
    static let shared = Task { try Bench() }

    let sandbox: Sandbox
    let service: DemoService
    let store: MemoryLoginStore
    static let origin = "https://service.test:8444"
    static var now: NumericDate { .now }

    /// Creates the bench.
    ///
    /// - Parameters:
    ///   - elapsed: A monotonic clock in seconds, for the service's own timeout of logins.
    ///   - watch: Is called with each response of the sandbox to the service.
    init(
        clock: WallClock = .system, elapsed: @escaping @Sendable () -> Double = { SystemClock.elapsed() },
        pause: DemoService.Pause? = nil, watch: @escaping @Sendable (TransportResponse) -> Void = { _ in }
    ) throws {
        let place = ServicePlace()
        let sandbox = try Sandbox(
            port: 8443, apiPort: 9443, service: Self.origin, serviceAPIPort: 8445, authority: TestAuthority(),
            transport: Wire { await place.answer($0) },
            certified: { certificate in
                Wire { request in
                    var request = request
                    request.clientCertificate = certificate.der
                    return await place.answer(request)
                }
            }, clock: clock, makeKey: KeyPool().next)
        let store = MemoryLoginStore()
        self.sandbox = sandbox
        self.store = store
        service = try DemoService(
            sandbox.configuration, keys: sandbox.serviceKeys,
            transport: Wire { request in
                let response = sandbox.answer(Self.shown(request, sandbox))
                watch(response)
                return response
            }, store: store, clock: clock, elapsed: elapsed,
            pause: pause ?? { try await Task.sleep(for: $0) }, timeLimit: busyTimeLimit)
        place.set(service)
    }

    /// Adds the service's client certificate to a request to the host that requires it, as TLS would.
    private static func shown(_ request: WebRequest, _ sandbox: Sandbox) -> WebRequest {
        var request = request
        if request.host == Sandbox.apiHost { request.clientCertificate = sandbox.serviceCertificate.der }
        return request
    }

    func client(_ name: String) throws -> TestClient {
        try #require(sandbox.configuration.clients.first { $0.name == name })
    }

    func registration(_ name: String) throws -> Registration {
        try #require(registration(of: client(name)))
    }

    /// Returns `nil` for a client of DigiD, which is registered in another way.
    private func registration(of client: TestClient) -> Registration? {
        sandbox.providers.flatMap(\.clients).first { $0.profile == client.profile }
    }

    /// The names of the logins to which the table of misbehaviours applies, except those that are polled for, those of apps, and those that
    /// request an age alone.
    var names: [String] {
        sandbox.configuration.clients.filter { client in
            guard let registration = registration(of: client), !client.profile.hasSuffix(".ciba") else { return false }
            return !registration.isAgeProof && !registration.isMitIDAge && !client.profile.hasSuffix(".app")
        }.map(\.name).filter(service.offers)
    }

    /// Returns the age of a person of the sandbox in years, computed from the texts of both dates.
    static func years(of id: String) -> String? {
        guard let birth = Person.all.first(where: { $0.id == id })?.birthdate else { return nil }
        let today = Date.now.formatted(.iso8601.year().month().day())
        guard let born = Int(birth.prefix(4)), let year = Int(today.prefix(4)) else { return nil }
        return "\(year - born - (today.suffix(5) < birth.suffix(5) ? 1 : 0))"
    }

    /// Logs in from the button to the last page, as a user does on the pages.
    func login(
        _ name: String, person: String = "anna", decision: String = "approve", carrier: String = "001001",
        forgetsCookies: Bool = false, _ fault: Misbehaviour? = nil
    ) async throws -> Surfer {
        var surfer = Surfer(self)
        await surfer.post(Self.origin + "/login/\(name)", [])
        if surfer.title == "Which carrier?" { await surfer.submit(["carrier": carrier]) }
        if forgetsCookies { surfer.forgetCookies(of: Self.origin) }
        await surfer.submit(["person": person, "misbehaviour": fault?.name ?? "", "decision": decision])
        if surfer.title.hasSuffix(": back to the service") { await surfer.submit([:]) }
        return surfer
    }
}

/// A clock of the service and of the sandbox, on which time passes when the service waits.
final class BenchClock: Sendable {
    private let time = Mutex(Bench.now)
    var reading: WallClock { .custom { self.time.withLock { $0 } } }
    func pass(_ duration: Duration) { time.withLock { $0 += duration } }
}

extension Bench {
    /// Returns a bench in which the intervals between polls pass at once.
    static func withoutPauses() throws -> Bench {
        let clock = BenchClock()
        return try Bench(clock: clock.reading, pause: { clock.pass($0) })
    }
}

/// The time limit for requests to the sandbox: on a loaded machine an answer may take more than five seconds, and a provider that gave none is not
/// asked again for a minute.
let busyTimeLimit = Duration.seconds(120)

/// The service, which is set after the sandbox: each of the two is created with a reference to the other.
private final class ServicePlace: Sendable {
    private let service = Mutex<DemoService?>(nil)

    func set(_ made: DemoService) { service.withLock { $0 = made } }

    func answer(_ request: WebRequest) async -> TransportResponse {
        guard let service = service.withLock({ $0 }) else { return TransportResponse(status: 503) }
        return await service.answer(request)
    }
}

/// The transport within one process.
struct Wire: HTTPTransport {
    let answer: @Sendable (WebRequest) async -> TransportResponse

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let parts = request.url.dropFirst("https://".count).split(separator: "/", maxSplits: 1)
        let authority = String(parts[0])
        let target = "/" + (parts.count > 1 ? String(parts[1]) : "")
        return await answer(
            WebRequest(
                request.method.rawValue, authority: authority, target: target,
                headers: [TransportHeaderField("Host", authority)] + request.headers, body: request.body))
    }
}

/// A browser without a screen: it has cookies by origin, redirects, and the form of a page.
struct Surfer {
    private let bench: Bench
    private var cookies: [String: [String: String]] = [:]
    private var givenCookies: [String: String] = [:]
    private(set) var url = ""
    /// Whether requests to the service are recorded and not sent.
    var keepsAwayFromService = false
    private(set) var response = TransportResponse(status: 0)

    init(_ bench: Bench) { self.bench = bench }

    var text: String { String(decoding: response.body, as: UTF8.self) }
    var title: String { between("<title>", "</title>") ?? "" }
    func item(_ id: String) -> String? { between("<dd id=\"\(id)\">", "</dd>") }
    /// Returns whether the page tells that nobody is signed in, with a code that the table has for the fault.
    func tells(of fault: Misbehaviour) -> Bool {
        title == "You are not signed in"
            && (fault.failure ?? "").split(separator: "|").contains { String($0) == item("failure") }
    }

    private func between(_ start: String, _ end: String) -> String? {
        guard let from = text.firstRange(of: start), let to = text[from.upperBound...].firstRange(of: end) else {
            return nil
        }
        return String(text[from.upperBound..<to.lowerBound])
    }

    /// Returns the link in the image of a code on the page.
    var codeLink: String? {
        between("data:image/png;base64,", "\"").flatMap { Base64.decode(Array($0.utf8)) }.flatMap(CodeImage.link)
    }
    /// Returns the address of a link on the page.
    func link(_ id: String) -> String? {
        between("<a id=\"\(id)\" href=\"", "\"").map { $0.hasPrefix("/") ? Self.origin(url) + $0 : $0 }
    }
    /// Returns the value of a hidden field of the page.
    func hidden(_ name: String) -> String? { between("name=\"\(name)\" value=\"", "\"") }
    /// Returns a parameter of the address.
    func parameter(_ name: String) -> String? {
        let query = url.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        return FormFields(parsing: query.utf8)?[name]
    }

    /// Returns the last cookie that an origin has set, with its attributes.
    func lastCookie(of origin: String) -> String? { givenCookies[origin] }

    mutating func forgetCookies(of origin: String) { cookies[origin] = nil }

    mutating func get(_ url: String) async { await go("GET", url, []) }

    mutating func post(_ url: String, _ fields: [(String, String)]) async {
        var form = FormFields()
        for (name, value) in fields { form.add(name, value) }
        await go("POST", url, Array(form.encoded.utf8))
    }

    /// Submits the last form of the page, with its hidden fields and the given ones.
    mutating func submit(_ more: [String: String]) async {
        guard let start = text.ranges(of: "<form ").last else { return }
        let form = text[start.lowerBound...]
        func attribute(_ name: String, _ tag: Substring) -> String {
            guard let from = tag.firstRange(of: " \(name)=\""), let to = tag[from.upperBound...].firstIndex(of: "\"")
            else { return "" }
            return String(tag[from.upperBound..<to]).replacing("&amp;", with: "&")
        }
        let head = form.prefix { $0 != ">" }
        var fields: [(String, String)] = []
        for place in form.ranges(of: "<input type=\"hidden\"") {
            let tag = form[place.lowerBound...].prefix { $0 != ">" }
            fields.append((attribute("name", tag), attribute("value", tag)))
        }
        fields += more.sorted { $0.key < $1.key }
        let action = attribute("action", head)
        let target = action.hasPrefix("/") ? Self.origin(url) + action : action
        if attribute("method", head) == "post" { return await post(target, fields) }
        var form2 = FormFields()
        for (name, value) in fields { form2.add(name, value) }
        await get(target + "?" + form2.encoded)
    }

    private static func origin(_ url: String) -> String {
        url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3).joined(separator: "/")
    }

    private mutating func go(_ method: String, _ start: String, _ body: [UInt8]) async {
        var (method, url, body) = (method, start, body)
        for _ in 0..<8 {
            let origin = Self.origin(url)
            if keepsAwayFromService, origin == Bench.origin {
                self.url = url
                return
            }
            let authority = String(origin.dropFirst("https://".count))
            var headers = [TransportHeaderField("Host", authority)]
            if method == "POST" {
                headers.append(TransportHeaderField("Content-Type", "application/x-www-form-urlencoded"))
            }
            let jar = cookies[origin] ?? [:]
            if !jar.isEmpty {
                headers.append(
                    TransportHeaderField("Cookie", jar.map { "\($0)=\($1)" }.sorted().joined(separator: "; ")))
            }
            let request = WebRequest(
                method, authority: authority, target: String(url.dropFirst(origin.count)), headers: headers, body: body)
            response =
                origin == Bench.origin ? await bench.service.answer(request) : await bench.sandbox.respond(request)
            self.url = url
            for cookie in response.headers("Set-Cookie") {
                givenCookies[origin] = cookie
                let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
                cookies[origin, default: [:]][String(pair[0])] = pair.count > 1 ? String(pair[1]) : ""
            }
            guard response.status == 303, let location = response.header("Location") else { return }
            url = location.hasPrefix("/") ? origin + location : location
            (method, body) = ("GET", [])
        }
    }
}
