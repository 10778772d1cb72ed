extension ParseFailure: ErrorDetail {
    package func row(_ row: ErrorRow) -> ErrorRow.Cell {
        row("the \(part.text) \(reason.text)", remedy: correction)
    }

    private var correction: String {
        switch (part, reason) {
        case (.token, .parts):
            "send the compact serialization that the policy requires: three parts if signed, five if encrypted"
        case (_, .whiteSpace):
            "remove the white space around the token, such as the line end of the file from which it was read"
        case (.header, .base64URL):
            "pass the token alone, without 'Bearer ' and white space; encode it with the URL-safe alphabet"
        case (_, .base64URL): "encode with the URL-safe alphabet, without padding, and with unused bits zero"
        case (_, .duplicateName): "remove the duplicate member"
        case (_, .pem): "give one block with its lines BEGIN and END, and with line ends between them"
        case (_, .pemBegin), (_, .pemEnd): "give the whole block, with its lines BEGIN and END"
        case (_, .openSSH):
            "convert the key: ssh-keygen -e -m PKCS8 for a public one, ssh-keygen -p -m PKCS8 for a private one"
        case (_, .byteOrderMark): "save the text as UTF-8 without a byte order mark"
        case (_, .markup): "check the URL or the file: a login or error page takes the place of the keys"
        case (_, .mapOfPEM): "give the issuer's JWK Set, which is at another URL: jwks_uri in its metadata"
        case (_, .keysMissing): #"give a JSON object with the member "keys", a list of JWKs, or with "kty", one JWK"#
        case (_, .der): "give one DER structure, without PEM or base64 around it"
        case (_, .uri): "begin the URI with a scheme, such as file: or pkcs11:"
        case (.key, .json): "give one JWK as a JSON object, or use the initializer for PEM"
        case (.keySet, .json): #"give a JSON object with the member "keys", a list of JWKs"#
        case (.claims, _): "sign a JSON object of claims"
        case (.encryptedKey, _): "leave the encrypted key empty with dir and ECDH-ES"
        default: "encode it as its RFC specifies"
        }
    }
}

extension ParseFailure.Part {
    var text: String {
        switch self {
        case .token: "token"
        case .header: "header"
        case .payload: "payload"
        case .encryptedKey: "encrypted key"
        case .initializationVector: "initialization vector"
        case .ciphertext: "ciphertext"
        case .tag: "authentication tag"
        case .signature: "signature"
        case .key: "key"
        case .keySet: "key set"
        case .claims: "claims set"
        case .certificate: "certificate"
        case .revocationList: "certificate revocation list"
        case .statusResponse: "OCSP response"
        }
    }
}

extension ParseFailure.Reason {
    fileprivate var text: String {
        switch self {
        case .parts: "has the wrong number of parts"
        case .whiteSpace: "begins or ends with white space, such as a line end"
        case .base64URL: "is not base64url"
        case .base64: "is not base64 with padding"
        case .json: "is not valid JSON of the required structure"
        case .duplicateName: "has a duplicate member name"
        case .length: "has the wrong length"
        case .unencoded: "has bytes that are not allowed without base64url encoding (b64 false)"
        case .pem: "is not exactly one PEM block of a supported kind"
        case .pemBegin: "has no line with -----BEGIN, as PEM has"
        case .pemEnd: "has a line with -----BEGIN and none with -----END: it was cut off"
        case .openSSH: "is in a format of OpenSSH"
        case .byteOrderMark: "begins with a byte order mark"
        case .markup: "is HTML or XML, not JSON"
        case .mapOfPEM: "is a map of PEM texts, not a JWK Set"
        case .keysMissing: #"has no member "keys" that is an array"#
        case .der: "is not DER of a supported kind"
        case .uri: "has a URI without a scheme"
        }
    }
}
