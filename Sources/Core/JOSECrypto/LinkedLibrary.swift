internal import CJOSEOpenSSL
internal import CJOSESodium

#if Zip
    internal import CJOSEZip
#endif

/// A C library that this build is linked with, as the one that was loaded names itself.
package struct LinkedLibrary: Sendable {
    package let name: StaticString
    package let version: String
    /// Its identifier in the list of SPDX.
    package let license: StaticString

    /// In the order of their names.
    package static var all: [LinkedLibrary] {
        var libraries = [
            LinkedLibrary(name: "libsodium", version: unsafe String(cString: cjose_sodium_version()), license: "ISC"),
            LinkedLibrary(
                name: "openssl", version: unsafe String(cString: cjose_openssl_version()), license: "Apache-2.0"),
        ]
        #if Zip
            libraries.append(
                LinkedLibrary(name: "zlib", version: unsafe String(cString: cjose_zip_version()), license: "Zlib"))
        #endif
        return libraries
    }
}
