internal import JOSE
internal import JOSESupport

/// The content of the store for a login whose tab was not opened yet. It is encrypted under the code of the start link,
/// which the store does not have, because the cookie and the return value in the request are secret.
struct StoredStart {
    let url: String
    let cookie: String
    let created: Double
    let urlExpires: Double

    init(_ request: AuthorizationRequest, at now: NumericDate) {
        (url, cookie, created) = (request.url, request.cookie, now.secondsSince1970)
        urlExpires = (request.urlExpires ?? request.expires).secondsSince1970
    }

    func sealed(under startCode: String) throws(RelyingPartyError.Reason) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("url", url)
        writer.member("cookie", cookie)
        writer.name("created")
        writer.number(created)
        writer.name("urlExpires")
        writer.number(urlExpires)
        writer.endObject()
        let key = try Self.key(startCode)
        do throws(JOSEError) {
            let encrypter = try JWEEncrypter(key: key, keyManagement: .dir, contentEncryption: .a256gcm)
            return try encrypter.encryptBytes(writer.bytes.span)
        } catch {
            throw RelyingPartyError.Reason(error)
        }
    }

    init?(sealed bytes: [UInt8], under startCode: String) {
        let policy = EncryptionPolicy(keyManagement: [.dir], contentEncryption: [.a256gcm])
        guard let key = try? Self.key(startCode),
            let decrypter = try? JWEDecrypter(keys: KeySet([.symmetricKey(key)]), policy: policy),
            let json = try? decrypter.decrypt(String(decoding: bytes, as: UTF8.self)).plaintext,
            let object = try? JSONObject(parsing: json.span),
            let url = object.first("url", in: json.span)?.string(in: json.span),
            let cookie = object.first("cookie", in: json.span)?.string(in: json.span),
            let created = object.first("created", in: json.span)?.number(in: json.span),
            let urlExpires = object.first("urlExpires", in: json.span)?.number(in: json.span)
        else { return nil }
        (self.url, self.cookie, self.created, self.urlExpires) = (url, cookie, created, urlExpires)
    }

    private static func key(_ startCode: String) throws(RelyingPartyError.Reason) -> SecretKey {
        let text = try Secret.mac(of: "start of a login", under: startCode)
        guard let bytes = Base64URL.decode(text.utf8.span) else { throw .internalFault }
        do throws(JOSEError) { return try SecretKey(bytes: bytes) } catch { throw .internalFault }
    }
}

extension StoredStart: Redacted {}
