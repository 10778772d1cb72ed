import { claims, isShared, payload, read, serve, text } from './harness.mjs';

// Debian keeps it where Node does not look.
const jose = await import('/usr/share/nodejs/jose/dist/node/esm/index.js');

async function key(alg, half) {
  return isShared(alg) ? new Uint8Array(read(`keys/${alg}.secret`)) : jose.importJWK(JSON.parse(text(`keys/${alg}.${half}.jwk`)), alg);
}

await serve({
  async verifier(alg) {
    const verifying = await key(alg, 'public');
    const rules = { issuer: claims.iss, audience: claims.aud, algorithms: [alg], requiredClaims: ['exp', 'nbf'] };
    return async (token) => (await jose.jwtVerify(token, verifying, rules)).payload;
  },
  async signer(alg) {
    const signing = await key(alg, 'private');
    return () => new jose.SignJWT(claims).setProtectedHeader({ alg, typ: 'JWT', kid: 'sig-1' }).sign(signing);
  },
  async decrypter(alg, enc) {
    const opening = await key(alg, 'private');
    const rules = { keyManagementAlgorithms: [alg], contentEncryptionAlgorithms: [enc] };
    return async (token) => (await jose.compactDecrypt(token, opening, rules)).plaintext;
  },
  async encrypter(alg, enc) {
    const sealing = await key(alg, 'public');
    return () => new jose.CompactEncrypt(payload).setProtectedHeader({ alg, enc, typ: 'JWT', kid: 'enc-1' }).encrypt(sealing);
  },
});
