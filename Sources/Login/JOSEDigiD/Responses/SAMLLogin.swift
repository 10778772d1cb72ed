#if SAML
    internal import JOSE

    /// The contents of a verified assertion. Its descriptions show nothing about the user.
    package struct SAMLLogin: Sendable {
        /// The ID of the assertion, which is marked as used until ``assertionEnd``.
        package let assertionID: String
        /// The end of the assertion's validity, including the leeway, in seconds since 1970.
        package let assertionEnd: Double
        /// The URI of the authentication context class that the login reached.
        package let classReference: String
        /// The network address of the user, as the provider saw it.
        package let subjectLocality: String?
        /// The NameID of the subject as it was received, by which messages about the user's session name the user.
        package let subjectName: String?
        /// The identifiers of the user: the NameID in DigiD's SAML interface up to version 3.7, and the decrypted
        /// values of `ActingSubjectID` after that version.
        package let identifiers: [SAMLIdentifier]
        /// The identifiers of the person on whose behalf the user acts, decrypted from `LegalSubjectID`; nil if the
        /// user acts for themselves.
        package let legalSubject: [SAMLIdentifier]?
        /// The UUIDs of the services for which the user may act on behalf of another person (`MandateServices`).
        package let mandateServices: [String]
    }

    /// An identifier of a person, and the qualifier that states its kind. Its descriptions show neither.
    package struct SAMLIdentifier: Sendable, Equatable {
        package let qualifier: String?
        package let text: String
    }

    extension SAMLLogin: Redacted {}
    extension SAMLIdentifier: Redacted {}
#endif
