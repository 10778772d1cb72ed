#if SAML
    /// The contents of a verified assertion. Its descriptions show nothing about the user.
    package struct SAMLLogin: Sendable {
        /// The ID of the assertion, which is marked as used until ``assertionEnd``.
        package let assertionID: String
        /// The end of the assertion's validity with leeway, in seconds since 1970.
        package let assertionEnd: Double
        /// The authentication context class that the user reached.
        package let classReference: String
        /// The network address of the user, as the provider saw it.
        package let subjectLocality: String?
        /// The identifiers of the user: the assertion's NameID in the earlier generation, the decrypted values of
        /// `ActingSubjectID` in the later one.
        package let identifiers: [SAMLIdentifier]
        /// The identifiers of the person on whose behalf the user acts, decrypted from `LegalSubjectID`; nil if users act for
        /// themselves.
        package let legalSubject: [SAMLIdentifier]?
        /// The UUIDs of the services for which the user may act on behalf of that person (`MandateServices`).
        package let mandateServices: [String]
    }

    /// An identifier and the qualifier that names its kind. Its descriptions show neither.
    package struct SAMLIdentifier: Sendable, Equatable {
        package let qualifier: String?
        package let text: String
    }

    extension SAMLLogin: CustomStringConvertible, CustomReflectable {
        package var description: String { "SAMLLogin" }
        package var customMirror: Mirror { Mirror(self, children: []) }
    }
    extension SAMLIdentifier: CustomStringConvertible, CustomReflectable {
        package var description: String { "SAMLIdentifier" }
        package var customMirror: Mirror { Mirror(self, children: []) }
    }
#endif
