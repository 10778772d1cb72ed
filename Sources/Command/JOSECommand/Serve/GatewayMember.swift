import JOSESettings
import JOSESupport

/// A member of the configuration of `bulla serve`, as a row of a table. From the table follow which names are accepted,
/// how values are read and bounded, the help, and the report of a reload. Tests compare it with the article Gateways.
struct GatewayMember<Settings: GatewaySettingsTable>: Sendable {
    typealias Property<Value> = WritableKeyPath<Settings, Value> & Sendable

    /// The name, with that of the object around it, such as `limits.threads`.
    let name: String
    let help: String
    /// The bounds of a number.
    let bounds: String?
    /// The value without the member, as the help and the article name it.
    let fallback: String?
    /// Whether a change takes effect when the service is restarted, and not before.
    let needsRestart: Bool
    /// Reads the value; nil for a member that is read after all others.
    fileprivate let read: (@Sendable (ConfigurationValue, inout Settings) throws(CommandFailure) -> Void)?
    fileprivate let isEqual: @Sendable (Settings, Settings) -> Bool

    /// Creates a row whose values are read by `read`.
    init<Value: Equatable & Sendable>(
        _ name: String, _ property: any Property<Value>, _ help: String, bounds: String? = nil,
        fallback: String? = nil, needsRestart: Bool = false,
        read: @escaping @Sendable (ConfigurationValue) throws(CommandFailure) -> Value
    ) {
        self.name = name
        self.help = help
        self.bounds = bounds
        self.fallback = fallback
        self.needsRestart = needsRestart
        self.read = { value, settings throws(CommandFailure) in settings[keyPath: property] = try read(value) }
        isEqual = { $0[keyPath: property] == $1[keyPath: property] }
    }

    /// Creates the row of an object that is read after all other members.
    init(_ name: String, _ help: String) {
        self.name = name
        self.help = help
        (bounds, fallback, needsRestart, read, isEqual) = (nil, nil, false, nil, { _, _ in true })
    }

    static func count(
        _ name: String, _ property: any Property<Int>, _ range: ClosedRange<Int>, _ help: String,
        fallback: String? = nil, needsRestart: Bool = false
    ) -> Self {
        Self(
            name, property, help, bounds: "\(range.lowerBound) to \(range.upperBound)",
            fallback: fallback ?? "\(Settings()[keyPath: property])", needsRestart: needsRestart
        ) { (value) throws(CommandFailure) in try value.count(range) }
    }

    static func seconds(
        _ name: String, _ property: any Property<Duration>, _ range: ClosedRange<Double>, _ help: String
    ) -> Self {
        Self(
            name, property, help, bounds: range.words,
            fallback: ClosedRange<Double>.word(Settings()[keyPath: property].inSeconds)
        ) { (value) throws(CommandFailure) in try value.seconds(range) }
    }

    static func flag(_ name: String, _ property: any Property<Bool>, _ help: String) -> Self {
        Self(name, property, help, fallback: "\(Settings()[keyPath: property])") { (value) throws(CommandFailure) in
            try value.bool()
        }
    }

    static func choice<Value>(_ name: String, _ property: any Property<Value>, _ help: String) -> Self
    where Value: RawRepresentable<String> & CaseIterable & Equatable & Sendable {
        Self(name, property, help, fallback: Settings()[keyPath: property].rawValue) {
            (value) throws(CommandFailure) in try value.one(of: Value.self)
        }
    }
}

/// Settings that a table describes.
protocol GatewaySettingsTable: Sendable {
    static var table: [GatewayMember<Self>] { get }
    /// Creates the settings of an object without members.
    init()
}

extension GatewaySettingsTable {
    /// The names of the outermost members, in the order of the table.
    static var names: [String] {
        table.reduce(into: []) { names, row in if names.last != row.outerName { names.append(row.outerName) } }
    }

    /// Reads the members, in the order of the table.
    ///
    /// - Parameter members: The outermost members, whose names were found to be accepted.
    mutating func read(_ members: [String: ConfigurationValue]) throws(CommandFailure) {
        for name in Self.names {
            let rows = Self.table.filter { $0.outerName == name && $0.read != nil }
            guard let value = members[name], let first = rows.first else { continue }
            let inner = first.innerName == nil ? [:] : try value.members(allowing: rows.compactMap(\.innerName))
            for row in rows {
                guard let value = row.innerName.map({ inner[$0] }) ?? value else { continue }
                try row.read?(value, &self)
            }
        }
    }

    /// Returns the names of the members that need a restart, and whose values are others in these settings.
    func namesForRestart(_ others: Self) -> [String] {
        Self.table.filter { $0.needsRestart && !$0.isEqual(self, others) }.map(\.name)
    }

    /// Returns the rows of the help. A star marks what takes effect at a restart.
    ///
    /// - Parameter prefix: The path to the object with the members.
    static func help(in prefix: String = "") -> [(String, String)] {
        table.map { row in
            let (bounds, fallback) = (row.bounds.map { ", \($0)" } ?? "", row.fallback.map { " (\($0))" } ?? "")
            return (prefix + row.name + (row.needsRestart ? " *" : ""), row.help + bounds + fallback)
        }
    }
}

extension GatewayMember {
    fileprivate var outerName: String { String(name.prefix { $0 != "." }) }
    /// The name inside the object `outerName`; nil for a member that is no object of the table.
    fileprivate var innerName: String? { name.firstIndex(of: ".").map { String(name[name.index(after: $0)...]) } }
}
