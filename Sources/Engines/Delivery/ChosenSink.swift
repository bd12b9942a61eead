import Diagnostics
import Formats
import PIDTables
import Publishing
import Reports
import Settings
import SystemIO
import TripStore
import VehicleScan

/// Why a sink cannot be used as it is set up.
package enum SinkFault: Error, Hashable {
    /// The configuration names no sink.
    case noneConfigured
    /// The configuration does not name this sink, but others.
    case unknown(String, known: [String])
    /// The configuration gives the sink no address.
    case noAddress(String)
    /// The text is not an address.
    case badAddress(SinkAddress.Fault, text: String)
    /// A sink needs a secret that neither the environment nor a file has.
    case missingSecret(sink: String, variable: String, ChosenSink.Secret)
    /// The token is one vehicle's, and the trips are of several.
    case severalVehicles(sink: String, [String])
    /// A file of the settings cannot be read.
    case unreadable(path: String, errno: Int32)
    /// The first line of the file of a secret is empty.
    case emptySecret(path: String, ChosenSink.Secret)
}

/// A sink of a command with its name, address and settings.
package struct ChosenSink: Sendable {
    /// The kinds of secret that a sink may have.
    package enum Secret: String, Sendable {
        case password, token
        case apiKey = "api_key"

        /// The name for people.
        var title: String { self == .apiKey ? "API key" : rawValue }
        /// The setting with the path of its file.
        var setting: String { (self == .apiKey ? "api-key" : rawValue) + "-file" }
    }

    /// The parts of the process that the sink uses.
    package struct Surroundings: Sendable {
        package var host: String
        /// Tells this computer from others with that name; nil if it has no identity.
        package var machine: String?
        /// The user's home directory; nil = none.
        package var home: String?
        /// The value of an environment variable; nil where it is not set or empty.
        package var variable: @Sendable (String) -> String?

        package init(
            host: String, machine: String? = nil, home: String?,
            variable: @escaping @Sendable (String) -> String?
        ) {
            self.host = host
            self.machine = machine
            self.home = home
            self.variable = variable
        }

        /// The text with this computer's name in place of its marker.
        fileprivate func named(_ text: String) -> String {
            text.replacing(NameMarker.host, with: host)
        }

        fileprivate func expanded(_ path: String) -> String {
            let path = named(path)
            guard path.hasPrefix("~/"), let home else { return path }
            return home + path.dropFirst()
        }
    }

    /// The sink's name in the configuration, or its address.
    package var name: String
    package var address: SinkAddress
    /// The settings of the configuration or the command line.
    package var settings: PublishSettings
    /// The prefix of the sink's environment variables.
    package var variable: String
    private let surroundings: Surroundings
    /// Whether the configuration names the sink.
    private let isConfigured: Bool

    /// The sinks of the configuration with these names; all of them without a name.
    package static func configured(
        _ names: [String], _ known: [String: PublishSettings], _ surroundings: Surroundings
    ) throws(SinkFault) -> [ChosenSink] {
        if known.isEmpty { throw .noneConfigured }
        var sinks: [ChosenSink] = []
        for name in names.isEmpty ? known.keys.sorted() : names {
            guard let settings = known[name] else {
                throw .unknown(name, known: known.keys.sorted())
            }
            guard var address = settings.to else { throw .noAddress(name) }
            address.user = address.user.map(surroundings.named)
            let word = name.uppercased().map { $0.isLetter || $0.isNumber ? $0 : "_" }
            sinks.append(
                ChosenSink(
                    name: name, address: address, settings: settings,
                    variable: "OBDSCAN_PUBLISH_\(String(word))", surroundings: surroundings,
                    isConfigured: true))
        }
        return sinks
    }

    private init(
        name: String, address: SinkAddress, settings: PublishSettings, variable: String,
        surroundings: Surroundings, isConfigured: Bool
    ) {
        self.isConfigured = isConfigured
        self.name = name
        self.address = address
        self.settings = settings
        self.variable = variable
        self.surroundings = surroundings
    }

    /// A sink at an address, which the configuration does not name.
    package init(
        named text: String, _ settings: PublishSettings, _ surroundings: Surroundings
    ) throws(SinkFault) {
        let address: SinkAddress
        do throws(SinkAddress.Fault) {
            address = try SinkAddress(text)
        } catch {
            throw .badAddress(error, text: text)
        }
        var plain = address
        plain.user = nil
        self.init(
            name: plain.text, address: address, settings: settings, variable: "OBDSCAN_PUBLISH",
            surroundings: surroundings, isConfigured: false)
    }

    // MARK: Secrets

    /// The greatest size of a file with a secret; unit: bytes.
    private static let longestSecret = 64 << 10
    /// The greatest size of a file with certificates; a system's has 250 kB.
    ///
    /// Unit: bytes.
    private static let longestCertificates = 16 << 20

    /// The password or the token, of the environment or its file; nil = none.
    package func secret(_ secret: Secret) throws(SinkFault) -> String? {
        if let value = surroundings.variable("\(variable)_\(secret.rawValue.uppercased())") {
            return value
        }
        let file =
            switch secret {
            case .password: settings.passwordFile
            case .token: settings.tokenFile
            case .apiKey: settings.apiKeyFile
            }
        guard let path = file.map(surroundings.expanded) else { return nil }
        do throws(SystemError) {
            let line = try Files.bytes(of: path, most: Self.longestSecret).prefix {
                $0 != 0x0A && $0 != 0x0D
            }
            if !line.isEmpty { return String(decoding: line, as: UTF8.self) }
        } catch {
            throw .unreadable(path: path, errno: error.errno)
        }
        throw .emptySecret(path: path, secret)
    }

    private func needed(_ secret: Secret) throws(SinkFault) -> String {
        if let value = try self.secret(secret) { return value }
        throw .missingSecret(sink: name, variable: variable, secret)
    }

    /// The file of trusted certificates; nil = the system's.
    private func caFile() throws(SinkFault) -> String? {
        guard let path = settings.caFile.map(surroundings.expanded) else { return nil }
        do throws(SystemError) {
            // The libraries read the file to its end, and a device has no end.
            _ = try Files.bytes(of: path, most: Self.longestCertificates)
        } catch {
            throw .unreadable(path: path, errno: error.errno)
        }
        return path
    }

    /// The settings of the connection to a server.
    package func httpSetup() throws(SinkFault) -> HTTPClient.Setup {
        var setup = HTTPClient.Setup(caFile: try caFile())
        if address.kind.isABRP {
            setup.telemetry = (try needed(.token), try needed(.apiKey))
            return setup
        }
        if let token = try secret(.token) {
            setup.authorization = address.dialect.authorization(token: token)
        } else if let password = try secret(.password) {
            setup.userPassword = "\(address.user ?? "obdscan"):\(password)"
        } else if let user = address.user {
            setup.userPassword = "\(user):"
        }
        return setup
    }

    // MARK: Data to send

    /// The data to send to the sink.
    ///
    /// - Parameters:
    ///   - trips: only these; nil = all that were recorded here.
    ///   - tables: the user's own tables.
    ///   - aliases: the user's names of devices.
    /// - Throws: ``TableError`` or ``SignalError`` for the signals of its settings.
    package func selection(
        trips: Set<Int64>?, tables: [TableFile], aliases: [String: String]
    ) throws -> SinkSelection {
        var selection = SinkSelection()
        selection.isForTraccar = address.kind.isTraccar
        selection.isForWebhook = address.kind.isWebhook
        selection.isForABRP = address.kind.isABRP
        selection.id = settings.id.map(surroundings.named)
        selection.hasPosition = settings.hasPosition ?? false
        selection.hasText = settings.hasText ?? false
        selection.tags = settings.tags.sorted { $0.key < $1.key }
            .map { ($0.key, surroundings.named($0.value)) }
        selection.trips = trips
        // All packs have to be read for the roles, and a server needs roles only for names and
        // signals.
        lazy var roles = PIDTables.signalRoles(tables)
        if address.kind.isMQTT || address.kind.isABRP {
            selection.measured = roles.byName.filter { !$0.value.isDetail }
        }
        if let names = settings.names, names != .own {
            let known = VSSNames(
                PIDTables.vehicleSignalNames,
                roles: roles.byName.mapValues(\.rawValue))
            selection.names = { known.name($0.id, isCore: names == .vssCore)?.path }
        }
        for (alias, address) in aliases { selection.aliases[address] = alias }
        selection.hasAllSignals = settings.signals == ["all"]
        if !settings.signals.isEmpty, settings.signals != ["all"] {
            selection.signals = try Self.signals(
                settings.signals, SignalNames(try PIDTables.load(tables)), roles)
        }
        return selection
    }

    /// The short names of the user's signals, in lower case.
    private static func signals(
        _ names: [String], _ known: SignalNames, _ roles: SignalRoles
    ) throws(SignalError) -> Set<String> {
        var found: Set<String> = []
        for name in names {
            // The maker's own name for the signal does not matter.
            let role = SignalRole(rawValue: name.lowercased())
            if let role { found.formUnion(roles.signals(of: role).map { $0.lowercased() }) }
            do throws(SignalError) {
                let signal = try known.find(name)
                found.insert((signal.signal.map { known.table[$0].id } ?? name).lowercased())
            } catch {
                if role == nil { throw error }
            }
        }
        return found
    }

    /// How often the computer sends its own state.
    ///
    /// A reader misses a dead computer after two minutes, and a month of messages over a mobile network is
    /// about 10 MB.
    private static let usualHeartbeat = Duration.seconds(60)

    /// The heartbeat of this computer; nil = none, as for an address on the command line, to which somebody at a
    /// terminal sends trips once.
    package func heartbeat(version: String) -> Heartbeat? {
        let interval = settings.heartbeat ?? Self.usualHeartbeat
        guard isConfigured, interval > .zero, address.kind.isEngine || address.kind.isMQTT
        else { return nil }
        let parts = [surroundings.host, surroundings.machine].compactMap(\.self)
        let own = settings.client.map(surroundings.named) ?? parts.joined(separator: "-")
        return Heartbeat(
            interval: interval, name: PublishedName.slug(own) ?? "machine",
            title: "obdscan \(surroundings.host)", version: version)
    }

    /// The name that this program has at a broker.
    package var client: String {
        let parts = ["obdscan", surroundings.host, surroundings.machine, name].compactMap(\.self)
        return settings.client.map(surroundings.named)
            ?? PublishedName.slug(parts.joined(separator: "-")) ?? "obdscan"
    }

    /// The broker with its data.
    ///
    /// - Parameters:
    ///   - version: this program's.
    ///   - readCodes: the action of a button at the broker; it returns its result.
    package func broker(
        _ selection: SinkSelection, database: String, drains: Bool, version: String,
        readCodes: @escaping @Sendable (_ adapter: String) -> String
    ) throws(SinkFault) -> MQTTSink {
        var broker = MQTTSink(
            name: name, address: address, selection: selection, client: client,
            version: version, database: database, drains: drains)
        broker.password = try secret(.password)
        broker.caFile = try caFile()
        if settings.takesCommands ?? false { broker.readCodes = readCodes }
        if let every = settings.every { broker.every = every }
        broker.heartbeat = heartbeat(version: version)
        broker.retainsEnd = isConfigured
        if settings.isForHomeAssistant ?? true {
            broker.discoveryPrefix = settings.discoveryPrefix ?? "homeassistant"
        }
        switch settings.history ?? .off {
        case .off: broker.history = nil
        case .influx: broker.history = .lines
        case .json: broker.history = .json
        }
        return broker
    }
}
