import JOSE

// Compressed content, made and undone with the public interface alone.
let key = try SecretKey.generate(bits: 256)
var header = HeaderParameters()
header.compresses = true
let encrypter = try JWEEncrypter(key: key, keyManagement: .dir, contentEncryption: .a256gcm, header: header)
let text = String(repeating: "the same again, ", count: 100)
let token = try encrypter.encrypt(text)

var policy = EncryptionPolicy(keyManagement: [.dir], contentEncryption: [.a256gcm])
policy.allowsCompression = true
guard try JWEDecrypter(keys: KeySet(key), policy: policy).decrypt(token).plaintext.elementsEqual(text.utf8) else {
    fatalError("the text changed")
}
print("A consumer with the trait Zip wrote \(text.utf8.count) bytes as a token of \(token.utf8.count), and read it.")
