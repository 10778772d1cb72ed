internal import JOSEDigiD
internal import JOSESandbox
import JOSESettings

/// The program `bulla-sandbox`: test providers, and the other commands that are only of logins.
enum BullaSandbox: Program {
    static let name = "bulla-sandbox"
    static let summary = "test providers for logins, a service that uses them, and files of app links."
    static let notes = """
        bulla-sandbox COMMAND --help describes a command. Exit status: 0 success; 1 a file of app links has an error;
        2 wrong usage, files that cannot be read, or output that cannot be written.
        """

    static let commands: [Command] = [
        .serve, .demoLogin, .linksCheck, .linksMake, .sbom(of: name) { libraries },
    ]

    static let examples = [
        "serve": "bulla-sandbox serve --dir ./sandbox",
        "demo-login": "bulla-sandbox demo-login --dir ./sandbox",
        "links check": "bulla-sandbox links check https://shop.example.com",
        "links make": "bulla-sandbox links make apple --app ABCDE12345.com.example.shop --path /callback",
        "sbom": "bulla-sandbox sbom",
    ]

    private static var libraries: [SBOM.Component] {
        var libraries: [SBOM.Component] = []
        #if Server
            libraries += [
                SBOM.Component(
                    "libmicrohttpd", WebLibraries.server, "LGPL-2.1-or-later", product: "gnu:libmicrohttpd"),
                SBOM.Component("gnutls", WebLibraries.tls, "LGPL-2.1-or-later", product: "gnu:gnutls"),
                SBOM.Component("libqrencode", WebLibraries.code, "LGPL-2.1-or-later", product: "fukuchi:libqrencode"),
            ]
        #endif
        #if SAML
            libraries += [
                SBOM.Component("libxml2", SAMLLibraries.xml2, "MIT", product: "xmlsoft:libxml2"),
                SBOM.Component("xmlsec1", SAMLLibraries.xmlsec, "MIT", product: "xmlsec:xmlsec"),
            ]
        #endif
        return libraries
    }
}
