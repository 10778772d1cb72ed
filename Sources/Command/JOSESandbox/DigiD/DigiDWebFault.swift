/// A way in which DigiD's web page returns a user wrongly to the assertion consumer service. What is wrong in the
/// resolution of an artifact is in `DigiDSituations.resolution`. The table below is the only one: pages and tests read
/// it.
package enum DigiDWebFault: String, CaseIterable, Sendable {
    case plus = "raw-plus"
    case toTheApp = "to-the-app"
    case doubledArtifact = "two-artifacts"
    case missingArtifact = "missing-artifact"
    case appValue = "with-app-value"
    case otherRelayState = "other-relay-state"
    case otherSource = "other-source"
    case post = "answered-by-post"

    /// The title on the page, and the code with which a relying party must end the login.
    package var row: (title: String, failure: String) {
        switch self {
        case .plus: ("an artifact whose + is not escaped", "malformed")
        case .toTheApp: ("the artifact goes to the return URL of the app", "state_mismatch")
        case .doubledArtifact: ("two artifacts", "duplicate_parameter(SAMLart)")
        case .missingArtifact: ("no artifact", "missing_parameter(SAMLart)")
        case .appValue: ("the value of the app beside the artifact", "malformed")
        case .otherRelayState: ("wrong RelayState", "state_mismatch")
        case .otherSource: ("an artifact of another provider", "issuer_mismatch")
        case .post: ("an artifact by POST", "content_type_mismatch")
        }
    }
}
