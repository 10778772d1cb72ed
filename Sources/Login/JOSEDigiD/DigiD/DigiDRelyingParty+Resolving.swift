#if SAML
    internal import JOSE
    internal import JOSESupport
    internal import JOSEKeySets
    internal import JOSERelyingParty
    internal import JOSETokens

    extension DigiDRelyingParty {
        /// The largest accepted response, in bytes.
        private static let answerLimit = 256 * 1024

        /// Resolves the artifact, checks the response in the order of DigiD's interface, and returns the user.
        func user(
            of artifact: DigiDArtifact, _ transaction: DigiDTransaction
        ) async throws(RelyingPartyError) -> DigiDUser {
            let resolve: ArtifactResolve
            let url: String
            let envelope: [UInt8]
            do throws(RelyingPartyError.Reason) {
                url = try connection.resolution()
                resolve = try ArtifactResolve(
                    artifact.text, issuer: connection.entityID, destination: url,
                    now: session.clock.now.secondsSince1970)
                envelope = try await connection.signer.sign(resolve.draft(for: connection.signer.certificate))
            } catch {
                throw RelyingPartyError(error, in: .request)
            }
            let answer = try await send(envelope, to: url)
            let login = try read(answer, resolve, transaction)
            // An assertion is accepted once, even if two artifacts resolve to it.
            try await session.useOnce(
                connection.provider.entityID + " " + login.assertionID, kind: "digid assertion",
                until: NumericDate(secondsSince1970: login.assertionEnd), step: .assertion)
            do throws(RelyingPartyError.Reason) {
                let level = try transaction.level.reached(by: login.classReference)
                return DigiDUser(
                    number: try number(login), level: level, pseudonym: pseudonym(login),
                    locality: login.subjectLocality, mandate: try mandate(login), returnTo: transaction.returnTo,
                    session: transaction.route == .app ? nil : login.subjectName.map { DigiDUserSession(nameID: $0) })
            } catch {
                throw RelyingPartyError(error, in: .assertion)
            }
        }

        /// Sends the message to the URL from the signed metadata, without redirects.
        private func send(_ envelope: [UInt8], to url: String) async throws(RelyingPartyError) -> [UInt8] {
            var request = TransportRequest(url: url)
            request.method = .post
            request.headers = [
                TransportHeaderField("Content-Type", "text/xml; charset=utf-8"),
                TransportHeaderField("Accept", "text/xml"),
                // This is the value of SAML 2.0 Bindings, 3.2.3.1.
                TransportHeaderField("SOAPAction", "\"http://www.oasis-open.org/committees/security\""),
            ]
            request.body = envelope
            request.bodyLimit = Self.answerLimit
            request.redirectLimit = 0
            let response: TransportResponse
            do throws(TransportError) {
                response = try await transport.send(request)
            } catch {
                throw RelyingPartyError(RelyingPartyError.Reason(transport: error), in: .artifactResponse)
            }
            guard response.status == 200 else {
                // DigiD responds with 404 to XML that it cannot parse, to an unknown issuer and to an invalid
                // signature.
                throw RelyingPartyError(
                    .unexpectedStatus(response.status), in: .artifactResponse,
                    action: response.status == 404 ? .fixConfiguration : nil)
            }
            guard response.body.count <= Self.answerLimit else {
                throw RelyingPartyError(.tooLarge, in: .artifactResponse)
            }
            guard Self.isSOAP(response) else { throw RelyingPartyError(.contentTypeMismatch, in: .artifactResponse) }
            return response.body
        }

        /// Returns whether the response is SOAP. Some older brokers send the content type of SOAP 1.2.
        private static func isSOAP(_ response: TransportResponse) -> Bool {
            let type = (response.header("Content-Type") ?? "").prefix { $0 != ";" }.lowercased()
            let word = type.filter { $0 != " " && $0 != "\t" }
            return word == "text/xml" || word == "application/soap+xml"
        }

        private func read(
            _ body: [UInt8], _ resolve: ArtifactResolve, _ transaction: DigiDTransaction
        ) throws(RelyingPartyError) -> SAMLLogin {
            var rules = ArtifactResponseRules(
                connection.generation, from: connection.provider, to: connection.entityID,
                consumerURL: connection.consumer.url, resolveID: resolve.id, requestID: transaction.requestID,
                now: session.clock.now.secondsSince1970)
            rules.wantsSignedAssertion = connection.wantsSignedAssertions
            rules.decryption = connection.decryptionKeys
            do throws(SAMLRejection) {
                return try SAMLLogin.read(body, rules)
            } catch {
                guard let status = error.status else { throw RelyingPartyError(error.reason, in: .artifactResponse) }
                // Logins with the app can be switched off alone.
                throw .digiD(
                    top: status.topWord, second: status.secondWord,
                    isInner: status.isInner && transaction.route == .app,
                    isFirstInterface: connection.interface == .saml3)
            }
        }

        private func number(_ login: SAMLLogin) throws(RelyingPartyError.Reason) -> DigiDNumber {
            guard connection.interface == .saml4 else {
                guard let name = login.identifiers.first else { throw .claimMissing("NameID") }
                return try DigiDNumber(nameID: name.text, sectors: connection.sectors)
            }
            return try number(among: login.identifiers)
        }

        /// Returns the only number of a person. Throws `malformed` if the identifiers contain two different numbers.
        private func number(among identifiers: [SAMLIdentifier]) throws(RelyingPartyError.Reason) -> DigiDNumber {
            var found: Set<DigiDNumber> = []
            for name in identifiers {
                guard DigiDNumber.qualifiers.contains(where: { bytesEqual(name.qualifier, $0) })
                else { continue }
                found.insert(try DigiDNumber(name.text, qualifier: name.qualifier, sectors: connection.sectors))
            }
            guard let number = found.first else { throw .sectorUnexpected }
            guard found.count == 1 else { throw .malformed }
            return number
        }

        private func mandate(_ login: SAMLLogin) throws(RelyingPartyError.Reason) -> DigiDMandate? {
            guard let legal = login.legalSubject else { return nil }
            guard connection.acceptsMandates else { throw .claimUnexpected("LegalSubjectID") }
            return DigiDMandate(number: try number(among: legal), services: login.mandateServices)
        }

        private func pseudonym(_ login: SAMLLogin) -> String? {
            let qualifier = DigiDNumber.pseudonymQualifier.utf8
            return login.identifiers.first { $0.qualifier?.utf8.elementsEqual(qualifier) ?? false }?.text
        }
    }
#endif
