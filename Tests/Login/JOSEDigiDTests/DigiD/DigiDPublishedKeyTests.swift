#if SAML
    import JOSE
    @testable import JOSEDigiD
    import JOSETesting
    import TestSupport
    import Testing

    @testable import JOSEItsme
    @testable import JOSERelyingParty

    /// Keys whose private halves are public, in the connection of a service with DigiD.
    @Suite("DigiD with publicly known keys") struct DigiDPublishedKeyTests {
        @Test(
            "itsme case 34: with DigiD by SAML, publicly known keys are rejected in production, and itsme's everywhere (R39)"
        )
        func connections() throws {
            let parties = try Parties.made()
            guard case .array(let keys)? = try ProviderSample("itsme/default-keys").message["keys"] else {
                Issue.record("no keys")
                return
            }
            #expect(keys.count == 2)
            let good = parties.service
            let metadata = try DigiDFixture.metadata(parties, now: .now)
            for (number, json) in keys.enumerated() {
                let known = try PrivateKey(jwk: json.text)
                let pem = try known.exportPrivatePEM()
                let issued = try parties.maker.issue(
                    "known-\(number)", .given(pem: pem), extensions: CertificateMaker.Extensions.plainLeaf)
                let certificate = try Certificate(pem: issued.pem)
                // In PEM the key has no `use` and no `alg`, which its publisher gave it.
                let key = try PrivateKey(pem: issued.keyPEM)
                func failure(_ host: String?, _ make: () throws -> DigiDConnection) throws -> RelyingPartyError? {
                    var connection = try make()
                    connection.host = host
                    do {
                        _ = try DigiDRelyingParty(
                            connection, transport: ScriptedDigiD(.saml3, clock: TestClock()), store: MemoryLoginStore())
                        return nil
                    } catch let error as RelyingPartyError { return error }
                }
                func connection(_ key: PrivateKey, _ certificate: Certificate) throws -> DigiDConnection {
                    try DigiDConnection(
                        entityID: Parties.service, consumer: DigiDConnection.Consumer(url: Parties.consumerURL),
                        provider: metadata, key: key, certificate: certificate)
                }
                let own = try PrivateKey(pem: good.issued.keyPEM)
                let connections: [(Bool, () throws -> DigiDConnection)] = [
                    (true, { try connection(own, good.certificate) }),
                    (false, { try connection(key, certificate) }),
                    (
                        false,
                        {
                            try DigiDConnection(
                                entityID: Parties.service, consumer: DigiDConnection.Consumer(url: Parties.consumerURL),
                                provider: metadata, signer: RemoteSigner(key), certificate: certificate)
                        }
                    ),
                    (
                        false,
                        {
                            var connection = try connection(own, good.certificate)
                            connection.decryption = [try SAMLKey(key, certificate: certificate)]
                            return connection
                        }
                    ),
                ]
                let refused = RelyingPartyError(.configurationError, in: .configuration)
                for (index, (isAllowed, make)) in connections.enumerated() {
                    #expect(try failure(nil, make) == (isAllowed ? nil : refused), "\(number), \(index)")
                    // Elsewhere a key that itsme publishes for its own tests is rejected too, and one of a standard is
                    // not.
                    let isOfTests = try CompromisedKeys.ofTests.contains(.privateKey(key))
                    #expect(
                        try failure("preprod1.digid.nl", make) == (isAllowed || !isOfTests ? nil : refused),
                        "\(number), \(index)")
                }
            }
        }
    }
#endif
