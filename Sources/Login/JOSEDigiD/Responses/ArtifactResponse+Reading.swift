#if SAML
    internal import JOSESupport
    internal import JOSERelyingParty

    extension SAMLLogin {
        /// Returns the login from a SOAP 1.1 response to an ArtifactResolve. The checks are in the order of DigiD's
        /// interface specification, and the first failure is thrown. All values are read from the element that the
        /// verified signature covers.
        package static func read(_ body: [UInt8], _ rules: ArtifactResponseRules) throws(SAMLRejection) -> SAMLLogin {
            let (response, document) = try refusing { () throws(RelyingPartyError.Reason) in try verified(body, rules) }
            defer { withExtendedLifetime(document) {} }
            try refuse(response.status(isInner: false))
            let inner = try refusing { () throws(RelyingPartyError.Reason) in
                guard let inner = try response.optional(.samlp("Response")) else { throw .expired }
                try inner.checkResponse(rules)
                return inner
            }
            try refuse(inner.status(isInner: true))
            return try refusing { () throws(RelyingPartyError.Reason) in
                guard inner.all(.saml("EncryptedAssertion")).isEmpty else { throw .malformed }
                let assertion = try inner.one(.saml("Assertion"))
                if rules.wantsSignedAssertion {
                    try assertion.verify(by: rules.identityProvider.signingCertificates(at: rules.now))
                }
                return try assertion.login(rules)
            }
        }

        /// Returns the ArtifactResponse, after its signature, issuer and `InResponseTo` were checked.
        private static func verified(
            _ body: [UInt8], _ rules: ArtifactResponseRules
        ) throws(RelyingPartyError.Reason) -> (XMLElement, XMLDocument) {
            let document = try XMLDocument(body)
            let response = try SOAPEnvelope.body(of: document)
            guard response.has(.samlp("ArtifactResponse")), bytesEqual(response.attribute("Version"), "2.0") else {
                throw .malformed
            }
            try response.verify(by: rules.identityProvider.signingCertificates(at: rules.now))
            try response.checkIssuer(rules)
            guard bytesEqual(response.attribute("InResponseTo"), rules.resolveID) else { throw .inResponseToMismatch }
            return (response, document)
        }

        private static func refusing<R>(_ body: () throws(RelyingPartyError.Reason) -> R) throws(SAMLRejection) -> R {
            do throws(RelyingPartyError.Reason) { return try body() } catch { throw SAMLRejection(error) }
        }

        private static func refuse(_ status: Result<SAMLStatus?, RelyingPartyError.Reason>) throws(SAMLRejection) {
            switch status {
            case .success(nil): return
            case .success(let status?):
                let code = ProviderErrorCode(status.secondWord ?? status.topWord)
                throw SAMLRejection(code.map { .providerError($0) } ?? .malformed, status)
            case .failure(let failure): throw SAMLRejection(failure)
            }
        }
    }

    extension XMLElement {
        func checkIssuer(_ rules: ArtifactResponseRules) throws(RelyingPartyError.Reason) {
            guard try bytesEqual(text(of: .saml("Issuer")), rules.identityProvider.entityID) else {
                throw .issuerMismatch
            }
        }

        /// Returns the status of the response; nil for Success.
        func status(isInner: Bool) -> Result<SAMLStatus?, RelyingPartyError.Reason> {
            do throws(RelyingPartyError.Reason) {
                let code = try one(.samlp("Status")).one(.samlp("StatusCode"))
                guard let top = code.attribute("Value") else { throw .malformed }
                if bytesEqual(top, SAMLNames.success) { return .success(nil) }
                let second = try code.optional(.samlp("StatusCode"))?.attribute("Value")
                return .success(SAMLStatus(top: top, second: second, isInner: isInner))
            } catch {
                return .failure(error)
            }
        }

        /// Checks the Response to which the artifact resolved, up to its status.
        fileprivate func checkResponse(_ rules: ArtifactResponseRules) throws(RelyingPartyError.Reason) {
            guard bytesEqual(attribute("Version"), "2.0") else { throw .malformed }
            try checkIssuer(rules)
            guard bytesEqual(attribute("InResponseTo"), rules.requestID) else { throw .inResponseToMismatch }
            if let destination = attribute("Destination"), !bytesEqual(destination, rules.consumerURL) {
                throw .audienceMismatch
            }
            guard let issued = try time("IssueInstant") else { throw .malformed }
            guard rules.now - issued <= ArtifactResponseRules.oldest else { throw .tooOld }
            guard issued - rules.now <= rules.tolerance else { throw .issuedInFuture }
        }
    }
#endif
