#if SAML
    internal import JOSESupport
    internal import JOSETokens
    internal import JOSERelyingParty

    extension XMLElement {
        /// Returns the login of an assertion that a verified signature covers.
        func login(_ rules: ArtifactResponseRules) throws(RelyingPartyError.Reason) -> SAMLLogin {
            guard bytesEqual(attribute("Version"), "2.0"), let id = attribute("ID"), !id.isEmpty else {
                throw .malformed
            }
            try checkIssuer(rules)
            let subject = try one(.saml("Subject"))
            let confirmedUntil = try subject.checkConfirmation(rules)
            let validUntil = try one(.saml("Conditions")).checkConditions(rules)
            let statement = try one(.saml("AuthnStatement"))
            guard let reference = try statement.one(.saml("AuthnContext")).text(of: .saml("AuthnContextClassRef"))
            else {
                throw .acrTooLow
            }
            let subjects = try subjects(subject, rules)
            return SAMLLogin(
                assertionID: id, assertionEnd: max(confirmedUntil, validUntil) + rules.tolerance,
                classReference: reference,
                subjectLocality: try statement.optional(.saml("SubjectLocality"))?.attribute("Address"),
                subjectName: try subject.optional(.saml("NameID"))?.text(), identifiers: subjects.acting,
                legalSubject: subjects.legal, mandateServices: subjects.services)
        }

        /// Checks the bearer confirmation of a Subject and returns its end (SAML 2.0 Profiles, 4.1.4.2).
        private func checkConfirmation(_ rules: ArtifactResponseRules) throws(RelyingPartyError.Reason) -> Double {
            let confirmation = try one(.saml("SubjectConfirmation"))
            guard bytesEqual(confirmation.attribute("Method"), SAMLNames.bearer) else { throw .malformed }
            let data = try confirmation.one(.saml("SubjectConfirmationData"))
            guard bytesEqual(data.attribute("InResponseTo"), rules.requestID) else { throw .inResponseToMismatch }
            guard bytesEqual(data.attribute("Recipient"), rules.consumerURL) else { throw .audienceMismatch }
            return try data.checkTimes(rules)
        }

        private func checkTimes(_ rules: ArtifactResponseRules) throws(RelyingPartyError.Reason) -> Double {
            if let start = try time("NotBefore"), rules.now < start - rules.tolerance { throw .notYetValid }
            guard let end = try time("NotOnOrAfter") else { throw .claimMissing("NotOnOrAfter") }
            guard rules.now < end + rules.tolerance else { throw .expired }
            return end
        }

        /// Checks Conditions and returns their end (SAML 2.0 Core, 2.5.1). An unknown condition makes the assertion
        /// invalid, and so does the absence of an AudienceRestriction: an assertion with a bearer confirmation must
        /// have one (SAML 2.0 Profiles, 4.1.4.2).
        private func checkConditions(_ rules: ArtifactResponseRules) throws(RelyingPartyError.Reason) -> Double {
            let end = try checkTimes(rules)
            var isRestricted = false
            for condition in children {
                if condition.has(.saml("AudienceRestriction")) {
                    var audiences: [String] = []
                    for audience in condition.all(.saml("Audience")) { audiences.append(try audience.text()) }
                    guard audiences.contains(where: { bytesEqual($0, rules.audience) }) else { throw .audienceMismatch }
                    isRestricted = true
                } else if !condition.has(.saml("OneTimeUse")), !condition.has(.saml("ProxyRestriction")) {
                    throw .malformed
                }
            }
            guard isRestricted else { throw .audienceMismatch }
            return end
        }
    }
#endif
