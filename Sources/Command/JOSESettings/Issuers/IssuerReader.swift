package import JOSE
import JOSEKeySets

/// Reads the issuers of a configuration file, whose members are options of the command line.
package struct IssuerReader {
    private let path: String
    private let remotes: RemoteKeySets
    private let previous: [String: ConfiguredIssuer]
    /// The limiter of the decryptions under the policies of the issuers.
    package var limiter: DecryptionLimiter?
    /// The files that were named so far, with their states before they were read.
    package private(set) var files: [String: FileState] = [:]
    /// The decryption keys that were read so far, so that issuers which name the same file share them.
    private var decryptionKeys: [DecryptionKeys.File: DecryptionKeys] = [:]

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - path: The path of the configuration file, to whose folder the paths in it are relative.
    ///   - remotes: The remote key sets of the configurations before this one.
    ///   - previous: The issuers of the configuration in use, by their names; none at the start.
    package init(_ path: String, _ remotes: RemoteKeySets, previous: [String: ConfiguredIssuer]) {
        self.path = path
        self.remotes = remotes
        self.previous = previous
    }

    /// Returns a path in the configuration, which is relative to the folder of the file.
    private func resolved(_ text: String) -> String {
        guard !text.hasPrefix("/"), !KeySetSource.isURL(text), !KeyReader.isURI(text),
            let slash = path.lastIndex(of: "/")
        else { return text }
        return path[...slash] + text
    }

    /// Returns the members of an object that are options of the command line, with the paths of files resolved.
    package mutating func options(
        _ value: ConfigurationValue, _ specs: [OptionSpec]
    ) throws(CommandFailure) -> [String: [String]] {
        var options: [String: [String]] = [:]
        for (name, member) in try value.members(allowing: specs.map(\.name)) {
            guard let spec = specs.first(where: { $0.name == name }) else { continue }
            options[name] = try member.option(spec)
            guard spec.namesFile, let text = options[name]?.first else { continue }
            let file = resolved(text)
            options[name] = [file]
            if file == "-" { throw member.failure("must be a file, not standard input") }
            // A file that several issuers name may be read once, after its first state.
            if !KeySetSource.isURL(file), !KeyReader.isURI(file), files[file] == nil { files[file] = FileState(file) }
        }
        return options
    }

    /// Reads an issuer. If it is configured as in the configuration in use, only its files may be at fault: its keys
    /// then stay, so that the keys of the other issuers are read nevertheless. Decryption keys that it can use and that
    /// issuers share are those of the file, for it as for the others.
    package mutating func issuer(
        _ name: String, _ value: ConfigurationValue
    ) throws(CommandFailure) -> ConfiguredIssuer {
        let options = try options(value, IssuerSettings.members)
        let before = previous[name].flatMap { $0.options == options ? $0 : nil }
        // At the start a file that is missing is an error, which may be one of its name.
        let withdrawn = before == nil ? [] : missing(options)
        do throws(CommandFailure) {
            let issuer = try value.inWords { () throws(CommandFailure) in try self.issuer(name, options, withdrawn) }
            // Keys that fit no algorithm are a fault of this issuer's file, and not of the policies that name it.
            if before != nil { _ = try ConfiguredIssuer.verifier([issuer], value, cache: nil) }
            return issuer
        } catch {
            guard var kept = before else { throw error }
            kept.source.fault = error.message
            return sharing(kept, value, withdrawn)
        }
    }

    /// Returns the options whose files were removed.
    private func missing(_ options: [String: [String]]) -> Set<String> {
        Set(options.keys.filter { options[$0]?.first.flatMap { files[$0] }?.isMissing ?? false })
    }

    /// Returns an issuer whose files are at fault with the decryption keys that its file has now, so that it still
    /// shares them. Without them, tokens that name no issuer outside the encryption would be rejected as long as
    /// another file of one issuer is at fault.
    private mutating func sharing(
        _ kept: ConfiguredIssuer, _ value: ConfigurationValue, _ withdrawn: Set<String>
    ) -> ConfiguredIssuer {
        guard kept.isEncrypted, let keys = try? decryption(kept.settings, kept.options, withdrawn) else { return kept }
        var issuer = kept
        issuer.decryption = keys
        issuer.source.hasFileKeys = issuer.source.remote == nil && !(issuer.verification is NoKeys) && !keys.isEmpty
        // Keys that fit no algorithm of this issuer are not used for it.
        return (try? ConfiguredIssuer.verifier([issuer], value, cache: nil)) == nil ? kept : issuer
    }

    /// Returns the decryption keys of an issuer, whose file is read once for all issuers that name it by the same bytes
    /// and with the same file of its passphrase.
    private mutating func decryption(
        _ settings: IssuerSettings, _ options: [String: [String]], _ withdrawn: Set<String>
    ) throws(CommandFailure) -> DecryptionKeys {
        guard settings.form.isEncrypted, let path = options[Options.decryptKeys.spec.name]?.first else {
            return DecryptionKeys(try settings.decryptionKeys(), isNeeded: settings.form.isEncrypted)
        }
        let passphrase = options[Options.passphraseFile.spec.name]?.first
        let file = DecryptionKeys.File(path: Array(path.utf8), passphrasePath: passphrase.map { Array($0.utf8) })
        if let read = decryptionKeys[file] {
            let limit = try settings.arguments.value(Options.maximumKeys) ?? ParsingLimits.standard.keysInSet
            // A set over the limit of this issuer is read again for the error, whichever issuer is read first.
            if read.count > limit { _ = try settings.decryptionKeys() }
            return read
        }
        let isWithdrawn = withdrawn.contains(Options.decryptKeys.spec.name)
        let keys = DecryptionKeys(isWithdrawn ? .empty : try settings.decryptionKeys(), isNeeded: true)
        decryptionKeys[file] = keys
        return keys
    }

    private mutating func issuer(
        _ name: String, _ options: [String: [String]], _ withdrawn: Set<String>
    ) throws(CommandFailure) -> ConfiguredIssuer {
        // Without its roots a key server is not asked: those of the system do not take their place.
        let isUnreachable = withdrawn.contains(Options.authorities.spec.name)
        let arguments = Arguments(
            command: "serve", options: options.filter { $0.key != Options.authorities.spec.name || !isUnreachable })
        var settings = try IssuerSettings(arguments, form: TokenForm(of: arguments), isService: true)
        settings.limiter = limiter
        try settings.demandAll()
        let profile = try arguments.value(Options.profile)
        guard profile == nil || profile == .accessToken else {
            throw .usage("--profile: must be at+jwt, or be left out")
        }
        if profile != nil { try settings.refuseTrust() }
        let algorithms = settings.form.isSigned ? try settings.signaturePolicy().algorithms : []
        var source = IssuerKeyState(name: name)
        var remoteName: RemoteKeySets.Name?
        // Keys of a file are read now, so that a file that cannot be read is an error of the configuration.
        let trust = withdrawn.contains(Options.trust.spec.name) ? nil : try settings.trust()
        let decryption = try decryption(settings, options, withdrawn)
        let verification: any KeySource
        if let remote = settings.source, !isUnreachable {
            let own = RemoteKeySets.Name(
                location: remote.location, timeout: remote.timeout,
                allowsLoopbackHTTP: arguments.has(Options.allowLoopbackHTTP),
                keyLimit: try arguments.value(Options.maximumKeys),
                roots: remote.roots)
            let set = remotes.shared(own, remote.keys)
            (source.remote, remoteName, verification) = (set, own, set)
        } else {
            let isWithdrawn = [Options.keys.spec, Options.secretFile.spec].contains { withdrawn.contains($0.name) }
            let isRead = settings.source == nil && !isWithdrawn
            let set = isRead ? try settings.fileKeys() : .empty
            source.hasFileKeys = !settings.form.isSigned || trust != nil || !set.keys.isEmpty
            verification = source.hasFileKeys ? set : NoKeys()
        }
        if settings.form.isEncrypted, decryption.isEmpty { source.hasFileKeys = false }
        return ConfiguredIssuer(
            options: options, settings: settings, isAccessToken: profile != nil, source: source,
            remoteName: remoteName, verification: verification, decryption: decryption, trust: trust,
            gathers: algorithms.contains { $0.name.hasPrefix("RS") || $0.name.hasPrefix("PS") })
    }
}

extension ConfigurationValue {
    /// Returns the result of `body`, whose error names the path of the value. Members have the names of the options,
    /// without the dashes that the texts for the command line have.
    package func inWords<Value>(
        _ body: () throws(CommandFailure) -> Value
    ) throws(CommandFailure) -> Value {
        do throws(CommandFailure) { return try body() } catch { throw failure(error.textOfMembers) }
    }
}
