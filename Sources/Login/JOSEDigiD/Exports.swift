// A login by SAML is one of JOSERelyingParty, so that `import JOSEDigiD` imports both, and all that the latter exports.
@_exported public import JOSERelyingParty
