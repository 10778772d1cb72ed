// Signing and verifying need the keys and policies of JOSE, so that `import JOSETokens` imports both.
@_exported public import JOSE
