internal import JOSE

extension Fixtures {
    /// Returns rows of tokens that are verified by their own chain of a leaf and an intermediate, valid for a hundred years: as
    /// the first one under its chain, and as one under a chain whose path is cached.
    func certifiedTokenRows() throws -> [Row] {
        let cases = [
            (SignatureAlgorithm.rs256, Self.rsaRoot, Self.rsaToken), (.es256, Self.curveRoot, Self.curveToken),
        ]
        return try cases.flatMap { algorithm, root, token -> [Row] in
            var trust = try CertificateTrust(roots: [Certificate(base64: root)])
            let policy = SignaturePolicy(algorithms: [algorithm])
            let cached = try JWSVerifier(keys: KeySet.empty, policy: policy, trust: trust)
            trust.pathCacheLifetime = .zero
            let first = try JWSVerifier(keys: KeySet.empty, policy: policy, trust: trust)
            let bytes = Array(token.utf8)
            func work(_ verifier: JWSVerifier) -> Work {
                { count in
                    var good = 0
                    for _ in 0..<count where (try? verifier.verify(bytes)) != nil { good += 1 }
                    return good
                }
            }
            // The key of a cached path is in steady use, so that it has its table.
            if algorithm == .es256 { BatchCase.warm { _ = work(cached)(200) } }
            return [
                Row("x5c", "verify \(algorithm.name), first token", work(first)),
                Row("x5c", "verify \(algorithm.name), cached path", work(cached), goals: [.nanoseconds(15_000)]),
            ]
        }
    }

    private static let rsaRoot =
        "MIIC3TCCAcWgAwIBAgIBBzANBgkqhkiG9w0BAQsFADAPMQ0wCwYDVQQDDARSb290MCAXDTI2MTEyMzA2MjM0MloYDzIxMjYxMDMwMDYy"
        + "MzQyWjAPMQ0wCwYDVQQDDARSb290MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAxb0+R0ZypzbuNkiL4eVg1GfTL+Py7AW0"
        + "ybv+w/m5XbWXAN4yp739MsZ+C7pyb4A0vKzS7C+rdtyg7w9bFpiSn3UBxwv8ksFaogfCCtn0BPKGlH02bD1ZwKS8CWD5pElJLsKQnzxV"
        + "wBXM0AEgG5GPII75VkYlkyFgZHYaKKbe3hk82caIhKCp5oRxBOHhY5JmweVaMcTCDqRJH+n5PER0QK8GBjquGaGFmikVMhJqH2Yn+nYY"
        + "GuT2MC6gihUPZcIplDPnKmoBg107++w0/ySNFA884GBHef51hae+l/JYXlaes4fBd+fnr0UhOOeAuCUZ0ASfRPoxPh/+tJ9+JrjH2QID"
        + "AQABo0IwQDAPBgNVHRMBAf8EBTADAQH/MA4GA1UdDwEB/wQEAwIBBjAdBgNVHQ4EFgQUTu9dEFDQ1tW/aHTZM9fnMj7mBpQwDQYJKoZI"
        + "hvcNAQELBQADggEBAKktjG+M/n1D14rj25HX9Nz3gR1tRFmi7ygZUnthOt2EAhlkadumi+Ie3QlN9E4OFjEeOliYzfOtP5kE6I1uQqu6"
        + "7G5duLNnVA3oWGZpRLZ9AcEDLGeiqsck+i9Ob5WczvD8b/8xIYbhVhqGZtHbHSdCvW8H/NlmnzcFPtdDbuc+B6ip6/hYIqQgxgCmY26H"
        + "VOrrJQiK9a9jP3yERw4LOvk9lCPPvFnmbG6PQS2d4hKfMicu9rDocSTVLpmLHyq4o5m98IWbCwJcDjB9x/+DT4CxDVt1qMJSqbt1vFVo"
        + "fBOJEeVrcqTmNK/mlKLVfbAntjfYQ7fDdllwaUBhx4RSzD4="
    private static let rsaToken =
        "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCIsIng1YyI6WyJNSUlER0RDQ0FnQ2dBd0lCQWdJQkJ6QU5CZ2txaGtpRzl3MEJBUXNGQURB"
        + "Uk1ROHdEUVlEVlFRRERBWkpjM04xWlhJd0lCY05Nall4TVRJek1EWXlNelEwV2hnUE1qRXlOakV3TXpBd05qSXpORFJhTUE4eERUQUxC"
        + "Z05WQkFNTUJHeGxZV1l3Z2dFaU1BMEdDU3FHU0liM0RRRUJBUVVBQTRJQkR3QXdnZ0VLQW9JQkFRRG44aktPTVhvZmw0ekZ6UUVFRXky"
        + "ZXFZTFVXRUFPMmxzOFpJaEVUNU9wdmlqdlRRcERSenBzTXNmNDc5NDRPaCt6bzhUYzBzbUhKdGMwcDRPSlVqOXdUekRkckl4UTFCcURC"
        + "b2oxWGdtVGFLQ08rdmFpRnROSjJrekJva253L1EvdU1RdW1tTHhqV0NtU0hHN2ZETkZRdnlGOTlob2NIWnJpVklNWEdwRVVIRFloNVJT"
        + "NUtCUU9JQVRydSt6Qlh4WEIyT2tOQUlEeHFxdFB5QzdTbGh5R3owUDZFVVNQajJ1Sk1XRFpiamhTQmFtQlpTSUpOK3hLdHVIUFk5ZE5U"
        + "anlOSGNvSjJzWkpGaXR4d1k1WjlVQjkzSnV0eVFxUXpRQVVYUGtkbUtjd1RBRDJiOXlQNHROM1dFNlE0Ynp1MTJhaklQWFFrL0dCV1Ew"
        + "bzhDYldJREJoQWdNQkFBR2plekI1TUF3R0ExVWRFd0VCL3dRQ01BQXdEZ1lEVlIwUEFRSC9CQVFEQWdlQU1CMEdBMVVkRGdRV0JCU3Vu"
        + "UStaamc5ZElLTWtGQzVzUmZvTFJuYmJtakFmQmdOVkhTTUVHREFXZ0JSMmYyb3VWRTNsVDk2OUx1bHB3UGdwR1dtdTJUQVpCZ05WSFJF"
        + "RUVqQVFnZzV2Y0M1bGVHRnRjR3hsTG1OdmJUQU5CZ2txaGtpRzl3MEJBUXNGQUFPQ0FRRUFOdmtyWHlFUVUyU1VsWjJFRGFkZUVocXNU"
        + "Nnc2bytPdlhHVzdmYUJQb1d2cnRuQ04zMkE2ekxNSWdjWlhLMlphMURXWWdPM2NaWHRoN056K2VLc3dNYjNsZkZVRW5FRHMrMEh6akhz"
        + "SWdaSmUzZm00aUNQZU9tMWJvbzlFK2kwV2QyUkRSaGlzS0tOWmtPdFRhR0xvMWFiOC9SQmhwTGNscUg0Q2N4Q2VZM1drRGxrSGQrNkVG"
        + "SXlLRllMSVBwZDhoK3hiZWlrZVVSMHpxUjIveFRmemVYY0Rhc29ndVd3SUdNWXJnSXVaQktiRGd4QUl2SFhtYk5aajQ3MWtUaFhjVWdY"
        + "T254VThXT0k3YlNIMHdsMldwejV0c1AwL2F2Z0RlVlF0SUNQUDdzbXY0bGN4ZmVGQm1CeDNNbWNCcXZnRFQyZ2ZKVFp0Z1R1bXhCUlBL"
        + "K0hVRGc9PSIsIk1JSURBRENDQWVpZ0F3SUJBZ0lCQnpBTkJna3Foa2lHOXcwQkFRc0ZBREFQTVEwd0N3WURWUVFEREFSU2IyOTBNQ0FY"
        + "RFRJMk1URXlNekEyTWpNME1sb1lEekl4TWpZeE1ETXdNRFl5TXpReVdqQVJNUTh3RFFZRFZRUUREQVpKYzNOMVpYSXdnZ0VpTUEwR0NT"
        + "cUdTSWIzRFFFQkFRVUFBNElCRHdBd2dnRUtBb0lCQVFDdW5IRkpJd1dCN0RJcDNMcXA0MS9JVjlma2xWdEZYWktMQ2xWbVQ4c0hQMG5R"
        + "SVk3dzR6MmRpYlBxTHdkMUVqT1BES2UzcEx0eFdsVUZaWFhGWmFzQ1I2anREbVNFcWdvTlhtUjdLV2RvUHlXajdRVHZWREYwOEh1Z0Nk"
        + "eXlFcG5VVUxpNFd6TkplaDNqUk45ekE0NEZTMUxuYUZCdC9nZWw4dlJuVzFiZ0Q1a3FRKytlOWxFTkV1WkM4cHM4alRldk9yNzRWa2px"
        + "ejlRMEZMZDEzRGZTSDRiY2ttYTFLN3lUbzIxYStmWDZaUnRoM0JSTlZIWXRRZGxod2JKckE2bkxHYTFKR3A1UllwMXB1aE0rUlYrdVoz"
        + "R0t6NEV6OUVRaEpiYTNFbVcwU1lUQ0hUdkh2SWhaUjJ6cWkxbjlmMmN6VGJGQW4xcWRCR3VCM0F6ckxWQWxBZ01CQUFHall6QmhNQThH"
        + "QTFVZEV3RUIvd1FGTUFNQkFmOHdEZ1lEVlIwUEFRSC9CQVFEQWdFR01CMEdBMVVkRGdRV0JCUjJmMm91VkUzbFQ5NjlMdWxwd1BncEdX"
        + "bXUyVEFmQmdOVkhTTUVHREFXZ0JSTzcxMFFVTkRXMWI5b2ROa3oxK2N5UHVZR2xEQU5CZ2txaGtpRzl3MEJBUXNGQUFPQ0FRRUFSK2pG"
        + "RVY4ZVM0NTBrV09ROVpRTmx2T3BFNXJaS2t0cDdpWW5ONnNaUG05K3BXSWpzSHY2c1owekdOTWtXMml6cWZ0b0dLckx6NHluYXBqMWNV"
        + "RGZLcWJ3ZWhOaGFuNDBldE5zZzduMXdHMCtEaENsV1ppWHFzNFBDOXI1R2NOUFdSaFhkVGE3blYxc1hvemVUR1dqYzd0QmxzaURYdVNj"
        + "SXVObmRXcTZZanduTDNpQjl4SkpyL3dkeHh0K1V5R2VCdUZIc2dhL0NNWkt0Q0VaOGloQ05BQUVwVUh2Wk1LazhBc0NUd0gyZnVlVCsz"
        + "YTRLVDU4ZXUxYzBRdkpUMC9OUEVnNHhRMVkycElDUU1xMHVKbTYyWUQ2U2dxem43RkVWenU4dnlrZ0tsVE54ZmJVTVJZYW92Nm5wNVZY"
        + "QzJSbzFad1laMEI0YTRxbURla1VvZlZrSlE9PSJdfQ.eyJpc3MiOiJodHRwczovL29wLmV4YW1wbGUuY29tIiwic3ViIjoiMjQ4Mjg5N"
        + "zYxMDAxIiwiYXVkIjoiczZCaGRSa3F0MyIsIm5vbmNlIjoibi0wUzZfV3pBMk1qIiwiZXhwIjo0MTAyNDQ0ODAwLCJpYXQiOjE3MDAwM"
        + "DAwMDAsImF1dGhfdGltZSI6MTcwMDAwMDAwMCwiYWNyIjoidXJuOm1hY2U6aW5jb21tb246aWFwOnNpbHZlciIsImFtciI6WyJwd2QiL"
        + "CJtZmEiXSwibmFtZSI6IkphbmUgRG9lIiwiZ2l2ZW5fbmFtZSI6IkphbmUiLCJmYW1pbHlfbmFtZSI6IkRvZSIsImVtYWlsIjoiamFuZ"
        + "WRvZUBleGFtcGxlLmNvbSJ9.3cLFpW8ORO4uOjMY-pNjyZ1GdZNXCyg9MGBelL30y7Rn2lmJeuFn5sVD4q9wdlWKAwQRp4vxeAcX3h8M"
        + "Hea0hTJ9PDWwBF0VcKNEk6ImqwItTLRb7RXo39F3YWYjMOiy-df1X46AxEMEdP1kOj56IrWvAyKssnmjleEbpskqbgfwyzHbmUUZzS-S"
        + "3P1QnQgl33YiDsBUJur_Tlu0EL9L2SGfi8jNI6rQNEjbdg0wcb-U2mz4O4xVeeZrqedIf55D4HJuarFq1i4ZPwUAeEaFnFjdue6M329o"
        + "ODLb2idwDBraNBybkc0mbQD-yH3MXR2jMfZxU-8RFg8IuP-Ono18TQ"
    private static let curveRoot =
        "MIIBUDCB96ADAgECAgEHMAoGCCqGSM49BAMCMA8xDTALBgNVBAMMBFJvb3QwIBcNMjYxMTIzMDYyMzQ0WhgPMjEyNjEwMzAwNjIzNDRa"
        + "MA8xDTALBgNVBAMMBFJvb3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARFTFqgn1Djzg3NNz+6Vv23F6bwdxJzp4CITT4HL6evYX1j"
        + "OrSQcuTH+s8L/ncRi9x6ZaC8njdn78reDYYpSTe8o0IwQDAPBgNVHRMBAf8EBTADAQH/MA4GA1UdDwEB/wQEAwIBBjAdBgNVHQ4EFgQU"
        + "6SqMgoOgbIw+6Z6E/xwKIrQvp3QwCgYIKoZIzj0EAwIDSAAwRQIhAOBpMuLsBxbcoXifYs2/RA/nGyi7RzozVGjZB5Ll5ymzAiBflcIg"
        + "t7vINUGzDuYuWXFRJ/uuo/4jj9pXOMvQRujjXA=="
    private static let curveToken =
        "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCIsIng1YyI6WyJNSUlCakRDQ0FUS2dBd0lCQWdJQkJ6QUtCZ2dxaGtqT1BRUURBakFSTVE4"
        + "d0RRWURWUVFEREFaSmMzTjFaWEl3SUJjTk1qWXhNVEl6TURZeU16UTFXaGdQTWpFeU5qRXdNekF3TmpJek5EVmFNQTh4RFRBTEJnTlZC"
        + "QU1NQkd4bFlXWXdXVEFUQmdjcWhrak9QUUlCQmdncWhrak9QUU1CQndOQ0FBVHNYRDdwc3FKUUEwQnNUNXJkS3pOdTdMWjZRSStlbFVC"
        + "RFJDdUJmRDRTcXhlT3ZuZmZLR2xIMTl6N3dhaUtxaEVmM3RXYWFWVWJaYS9iSjZoNHZINXRvM3N3ZVRBTUJnTlZIUk1CQWY4RUFqQUFN"
        + "QTRHQTFVZER3RUIvd1FFQXdJSGdEQWRCZ05WSFE0RUZnUVVBbzhna3dyVzE3Qk5HQ21heC9JTnRyYTJad013SHdZRFZSMGpCQmd3Rm9B"
        + "VWp4Q3B5ekhvUFRoTkxCOGtlUTBmQWJyTXM4c3dHUVlEVlIwUkJCSXdFSUlPYjNBdVpYaGhiWEJzWlM1amIyMHdDZ1lJS29aSXpqMEVB"
        + "d0lEU0FBd1JRSWdYZ2RvMVp2VWlYQlQyTk9KUW9QZXlrb2YvRkpFT21qM3BWblU4M3VlNCtvQ0lRREF4QnV2bjB4L1ZTMkdDWmdpT0pM"
        + "ZnIzUDV1aCtpZFFQQkMzajB1SENiM1E9PSIsIk1JSUJkRENDQVJxZ0F3SUJBZ0lCQnpBS0JnZ3Foa2pPUFFRREFqQVBNUTB3Q3dZRFZR"
        + "UUREQVJTYjI5ME1DQVhEVEkyTVRFeU16QTJNak0wTkZvWUR6SXhNall4TURNd01EWXlNelEwV2pBUk1ROHdEUVlEVlFRRERBWkpjM04x"
        + "WlhJd1dUQVRCZ2NxaGtqT1BRSUJCZ2dxaGtqT1BRTUJCd05DQUFRYkExTnpWZFJrWnRjUHdTRXV6cHUxVzFQbnJManFSdEVxZVFWTzc4"
        + "dU13RDBIMit3Z3NTOWVGN1cxUTNTMnU3RnNWMnN2d2djRitrbkp4ejQxTWF6N28yTXdZVEFQQmdOVkhSTUJBZjhFQlRBREFRSC9NQTRH"
        + "QTFVZER3RUIvd1FFQXdJQkJqQWRCZ05WSFE0RUZnUVVqeENweXpIb1BUaE5MQjhrZVEwZkFick1zOHN3SHdZRFZSMGpCQmd3Rm9BVTZT"
        + "cU1nb09nYkl3KzZaNkUveHdLSXJRdnAzUXdDZ1lJS29aSXpqMEVBd0lEU0FBd1JRSWhBSnRtRStvSGlKR21SVmVnNGF1Yk5XVlR1aEZQ"
        + "dTR3bUNLbENKSmNFNlpXaUFpQVhMdE9KSXRVS3o1eXIrYTdSRjJ5NlpPWENVR1VXbmUyeHBWTWZpemNSRXc9PSJdfQ.eyJpc3MiOiJod"
        + "HRwczovL29wLmV4YW1wbGUuY29tIiwic3ViIjoiMjQ4Mjg5NzYxMDAxIiwiYXVkIjoiczZCaGRSa3F0MyIsIm5vbmNlIjoibi0wUzZfV"
        + "3pBMk1qIiwiZXhwIjo0MTAyNDQ0ODAwLCJpYXQiOjE3MDAwMDAwMDAsImF1dGhfdGltZSI6MTcwMDAwMDAwMCwiYWNyIjoidXJuOm1hY"
        + "2U6aW5jb21tb246aWFwOnNpbHZlciIsImFtciI6WyJwd2QiLCJtZmEiXSwibmFtZSI6IkphbmUgRG9lIiwiZ2l2ZW5fbmFtZSI6Ikphb"
        + "mUiLCJmYW1pbHlfbmFtZSI6IkRvZSIsImVtYWlsIjoiamFuZWRvZUBleGFtcGxlLmNvbSJ9.SYvh92i1co2ueTEl-6ssuRN0PuNri35_"
        + "U0QnB-mQPYuZE4C6hsohVlq60dmE_roBXfMP-AdFmYxhzfidqT0TYQ"
}
