internal import CRaw
internal import Foundation
internal import JOSE

extension Fixtures {
    /// Returns rows of a leaf, its issuer and a root on P-256, valid for a hundred years: parsing, and path validation.
    func certificateRows() throws -> [Row] {
        let texts = [Self.leaf, Self.intermediate, Self.root]
        let certificates = try texts.map { try Certificate(base64: $0) }
        let chain = try CertificateChain(Array(certificates[..<2]))
        let trust = try CertificateTrust(roots: [certificates[2]], name: .dns("op.example.com"))
        let ders = texts.map { Array(Data(base64Encoded: $0) ?? Data()) }
        return [
            Row(
                "x5c", "verify chain of two, P-256",
                { count in
                    var good = 0
                    for _ in 0..<count where (try? trust.verify(chain)) != nil { good += 1 }
                    return good
                }, raw: { Raw("key", "X509", [(.key, ders[0]), (.input, ders[1]), (.secret, ders[2])]) }),
            Row(
                "x5c", "read certificate, P-256",
                { count in
                    var good = 0
                    for _ in 0..<count where (try? Certificate(der: ders[0])) != nil { good += 1 }
                    return good
                }, raw: { Raw("key", "X509 read", [(.key, ders[0])]) }),
        ]
    }

    private static let leaf =
        "MIIBijCCAS+gAwIBAgIBBzAKBggqhkjOPQQDAjAOMQwwCgYDVQQDDANtaWQwIBcNMjYxMTIxMDE1NDQ0WhgPMjEyNjEwMjgwMTU0"
        + "NDRaMA8xDTALBgNVBAMMBGxlYWYwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASeSOOFhH7qzrwp3bdCi9P2Da7tV8TdK9hgeFw1"
        + "MnQ6c+k3IXjw3hKXCE2QjSLzZ4v9spm2JoJgdHenjHPrsM7xo3sweTAMBgNVHRMBAf8EAjAAMA4GA1UdDwEB/wQEAwIHgDAdBgNV"
        + "HQ4EFgQUiIxKlSSOQ9y0R7f5UOhim5WZ0oowHwYDVR0jBBgwFoAU/J6MfKQo9+j7yINI6zXobomxoOMwGQYDVR0RBBIwEIIOb3Au"
        + "ZXhhbXBsZS5jb20wCgYIKoZIzj0EAwIDSQAwRgIhAMuNqCncH955lVKifdrPPPNYrTe0MSY6lF9Ew1lmHHA4AiEA1LJQ7OBSjjBV"
        + "d/1bPW8GGoFF6qeN+VLLOFxK710H48E="
    private static let intermediate =
        "MIIBczCCARqgAwIBAgIBBzAKBggqhkjOPQQDAjAPMQ0wCwYDVQQDDARSb290MCAXDTI2MTEyMTAxNTQ0NFoYDzIxMjYxMDI4MDE1"
        + "NDQ0WjAOMQwwCgYDVQQDDANtaWQwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASeMBBk9Bum7RFTP5SL4vAeTojXVo1fY+4WfJrm"
        + "QF/n7PEaoyg5Aqz45Eu/Ns1BoBWA/LQZxadWzRT4b3zxVuNYo2YwZDASBgNVHRMBAf8ECDAGAQH/AgEAMA4GA1UdDwEB/wQEAwIC"
        + "BDAdBgNVHQ4EFgQU/J6MfKQo9+j7yINI6zXobomxoOMwHwYDVR0jBBgwFoAUGa0oWrgy+3xSbl7M+H/p1/rTnSMwCgYIKoZIzj0E"
        + "AwIDRwAwRAIgR4zMu2aHSN5C+b+XnWgxAx4VAr2r7+1gk+9whBDxvbMCIAJLzvrvU8LONEUmCFZfz+Lf7F2u8Z06cc6flpYe0K5y"
    private static let root =
        "MIIBZDCCAQqgAwIBAgIUOsKVhrbCfgwHpYXRnXM2MbIH+lIwCgYIKoZIzj0EAwIwDzENMAsGA1UEAwwEUm9vdDAgFw0yNjExMjEw"
        + "MTU0NDRaGA8yMTI2MTAyODAxNTQ0NFowDzENMAsGA1UEAwwEUm9vdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABP9xBmQ8GYTG"
        + "aRqBUEv8+Dng4O+gRsyqyPFrODkZLnSNaVOV5guIS6ZFVdpLwh46rNT3NTHzcb+EICvwyJ0ysr+jQjBAMA8GA1UdEwEB/wQFMAMB"
        + "Af8wDgYDVR0PAQH/BAQDAgIEMB0GA1UdDgQWBBQZrShauDL7fFJuXsz4f+nX+tOdIzAKBggqhkjOPQQDAgNIADBFAiAepoBEzcpF"
        + "Y30vKe/SL7kH13oOt0jsI1zpTkFJ8u63BQIhAJxStIhKYM5vATedKZvsebpdII5z3L6OakZKIgs1DSSF"
}
