#if SAML
    /// What a verified assertion says. Prints nothing of the user.
    package struct SAMLLogin: Sendable {
        /// To be kept as used until `assertionEnd`, in seconds since 1970.
        package let assertionID: String
        package let assertionEnd: Double
        /// The level that was reached, in DigiD's words.
        package let classReference: String
        /// The network address that the provider saw the user at.
        package let subjectLocality: String?
        /// In the earlier generation the assertion's own NameID; in the later one what was decrypted of `ActingSubjectID`.
        package let identifiers: [SAMLIdentifier]
        /// For whom the user acts: what was decrypted of `LegalSubjectID`; nil: for themselves.
        package let legalSubject: [SAMLIdentifier]?
        /// `MandateServices`: what the user may do for them.
        package let mandateServices: [String]
    }

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
