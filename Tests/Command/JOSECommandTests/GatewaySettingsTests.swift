import Foundation
import JOSESettings
import TestSupport
import Testing

@testable import JOSECommand

/// Tests of the tables of members of a configuration of `bulla serve`, and of the article, the help and the report of a
/// reload, which have the same members.
@Suite("Settings of a gateway") struct GatewaySettingsTests {
    /// A row without the functions of its settings.
    private struct Row {
        let name: String, inner: String
        let fallback: String, bounds: String?
        let needsRestart: Bool
        let isPolicy: Bool

        static func of<Settings: GatewaySettingsTable>(_: Settings.Type, in prefix: String = "") -> [Row] {
            Settings.table.map { row in
                Row(
                    name: prefix + row.name, inner: row.name, fallback: row.fallback ?? "", bounds: row.bounds,
                    needsRestart: row.needsRestart, isPolicy: !prefix.isEmpty)
            }
        }
    }
    private static let rows = Row.of(GatewaySettings.self) + Row.of(GatewayPolicySettings.self, in: "policies[].")

    private static func article() throws -> String {
        try String(
            contentsOf: Repository.root.appending(path: "Sources/Core/JOSETokens/JOSETokens.docc/Gateways.md"),
            encoding: .utf8)
    }

    @Test("the article Gateways has each member of a configuration of serve, with its default and its bounds")
    func article() throws {
        let article = try Self.article()
        var written: [String: [String]] = [:]
        for line in article.components(separatedBy: "\n") where line.hasPrefix("| `") {
            let cells = line.components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            #expect(written.updateValue(cells.map { $0.replacing(",", with: "") }, forKey: cells[1]) == nil, "\(line)")
        }
        for row in Self.rows {
            let found = written.removeValue(forKey: "`\(row.name)`" + (row.needsRestart ? " *" : ""))
            let cells = try #require(found, "\(row.name)")
            #expect(cells[2] == row.fallback, "\(row.name)")
            if let bounds = row.bounds { #expect(cells[3] == bounds, "\(row.name)") }
        }
        #expect(written.isEmpty, "\(written.keys)")
        for option in GatewayReplays.options {
            #expect(article.contains("`\(option.name)`") || article.contains("\"\(option.name)\""), "\(option.name)")
        }
    }

    @Test("the help of serve has each member of a configuration, with its default and its bounds") func help() throws {
        let help = try run(#require(builtTool("bulla")), ["serve", "--help-all"]).stdout
        let words = help.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
        for row in Self.rows {
            #expect(help.contains("\n  \(row.name)\(row.needsRestart ? " *" : "") "), "\(row.name)")
            if let bounds = row.bounds { #expect(words.contains(", \(bounds) (\(row.fallback)) "), "\(row.name)") }
        }
        for option in GatewayReplays.options { #expect(help.contains("\n  replay.\(option.name)"), "\(option.name)") }
    }

    /// Returns the error of reading an object with one member, or nil.
    private func fault<Settings: GatewaySettingsTable>(
        _: Settings.Type, _ name: String, _ value: String
    ) -> String? {
        let path = name.split(separator: ".")
        let text = path.reversed().reduce(value) { "{\"\($1)\":\($0)}" }
        do throws(CommandFailure) {
            var settings = Settings()
            try settings.read(ConfigurationValue.members(ofFile: Array(text.utf8), allowing: Settings.names))
            return nil
        } catch {
            return error.message
        }
    }

    private func fault(_ row: Row, _ value: String) -> String? {
        row.isPolicy
            ? fault(GatewayPolicySettings.self, row.inner, value)
            : fault(GatewaySettings.self, row.inner, value)
    }

    @Test("serve accepts the bounds of a setting and its default, and rejects a number beyond them by its name")
    func bounds() throws {
        let bounded = Self.rows.filter { $0.bounds != nil }
        #expect(bounded.count > 15)
        for row in bounded {
            let bounds = try #require(row.bounds?.components(separatedBy: " to "))
            let (low, high) = (try #require(Decimal(string: bounds[0])), try #require(Decimal(string: bounds[1])))
            for value in bounds + (Decimal(string: row.fallback) == nil ? [] : [row.fallback]) {
                #expect(fault(row, value) == nil, "\(row.name)")
            }
            for value in ["\(low - (low < 1 ? Decimal(string: "0.001") ?? 1 : 1))", "\(high + 1)", "true"] {
                let text = try #require(fault(row, value), "\(row.name): \(value)")
                #expect(text.hasPrefix("\(row.inner): must be a") && text.hasSuffix(" \(bounds[0]) to \(bounds[1])"))
            }
        }
    }

    @Test("serve rejects a member that no table has, in an object of the configuration too") func unknown() {
        #expect(fault(GatewaySettings.self, "limits.head-bytes", "5000") == nil)
        #expect(
            fault(GatewaySettings.self, "limits.head-byte", "5000")?.hasPrefix(
                "limits.head-byte: unknown member; did you mean 'head-bytes'?; accepted are threads, connections, ")
                ?? false)
        #expect(fault(GatewaySettings.self, "limit", "{}")?.contains("did you mean 'limits'?; accepted") ?? false)
        #expect(fault(GatewayPolicySettings.self, "dpop.nonce", "{}")?.hasPrefix("dpop.nonce: unknown") ?? false)
    }
}

#if Server
    extension GatewaySettingsTests {
        @Test("serve reports on SIGHUP which settings wait for a restart, until they are those of the start again")
        func restart() throws {
            let service = try GatewayService()
            try service.configure(#","limits":{"threads":1}"#)
            try service.start()
            func reload(_ limits: String) throws {
                try service.configure(",\"limits\":{\"threads\":1\(limits)}")
                try service.signal(SIGHUP)
                try service.expect("was read again")
            }
            try reload(#","timeout":20"#)
            try service.expect("limits.timeout: the values of the start are used until the service is restarted")
            // What was reported before is reported again, with changes that apply at once or without.
            try reload(#","timeout":20,"wait":1"#)
            try service.expect("limits.timeout: the values of the start")
            try reload(#","wait":2,"drain":1,"retry-after":3,"key-tables":5"#)
            try reload(#","connections":7,"timeout":11"#)
            try service.expect("serve: limits.connections, limits.timeout: the values of the start")
            #expect(service.lines.count { $0.contains("until the service is restarted") } == 3)
        }
    }
#endif
