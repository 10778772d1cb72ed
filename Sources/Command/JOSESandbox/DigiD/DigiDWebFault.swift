/// A way in which DigiD's web page returns a user wrongly to the assertion consumer service. What is wrong in the
/// resolution of an artifact is in `DigiDSituations.resolution`.
package enum DigiDWebFault: WrongAnswerRow, WrongAnswer {
    case plus = "raw-plus: an artifact whose + is not escaped -> malformed"
    case toTheApp = "to-the-app: the artifact goes to the return URL of the app -> state_mismatch"
    case doubledArtifact = "two-artifacts: two artifacts -> duplicate_parameter(SAMLart)"
    case missingArtifact = "missing-artifact: no artifact -> missing_parameter(SAMLart)"
    case appValue = "with-app-value: the value of the app beside the artifact -> malformed"
    case otherRelayState = "other-relay-state: wrong RelayState -> state_mismatch"
    case otherSource = "other-source: an artifact of another provider -> issuer_mismatch"
    case post = "answered-by-post: an artifact by POST -> content_type_mismatch"
}
