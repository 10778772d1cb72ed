internal import JOSEKeySets

/// The URLs of the service in its metadata for DigiD.
struct DigiDURLs: Sendable {
    /// The return URL of the app, which is also the assertion consumer service with the index 0.
    let app: String
    /// The page that stands for the return URL as a browser loads it, where the operating system does not open the
    /// service's app.
    let page: String
    /// The assertion consumer service with the index 1.
    let consumer: String
    /// The URL to which the browser returns from a logout that the service began.
    let loggedOut: String
    /// The URL that receives requests to end sessions, by SOAP.
    let logout: String
}

/// The transports of DigiD's requests to the service.
struct DigiDCalls: Sendable {
    /// The transport that presents DigiD's client certificate.
    let certified: any HTTPTransport
    /// The transport that presents no certificate.
    let plain: any HTTPTransport
}
