import Diagnostics
import Engines
import Glibc
import OBDCore
import PIDTables
import Publishing
import Settings
import SystemIO
import TripReports
import TripStore
import VehicleScan

/// A sink of a command with its name, address and settings.
struct ChosenSink {
    /// Its name in the configuration, or its address.
    var name: String
    /// Its address.
    var address: SinkAddress
    /// The settings of the configuration or the command line.
    var settings: PublishSettings
    /// The prefix of its environment variables.
    var variable: String

    /// The sinks of the configuration with these names; all of them without a name.
    static func configured(_ names: [String]) throws(Failure) -> [ChosenSink] {
        let known = UserSettings.current.publish
        if known.isEmpty {
            throw Failure(
                "no sink is configured",
                hint: "obdscan publish --to influx+http://HOST:PORT, or "
                    + "obdscan config set publish.NAME.to URL", status: .badConfiguration)
        }
        var sinks: [ChosenSink] = []
        for name in names.isEmpty ? known.keys.sorted() : names {
            guard let settings = known[name] else {
                throw Failure(
                    "no sink is called \"\(name)\"",
                    hint: "known sinks: \(known.keys.sorted().joined(separator: ", "))",
                    status: .usage)
            }
            guard let address = settings.to else {
                throw Failure(
                    "publish.\(name) has no address",
                    hint: "obdscan config set publish.\(name).to URL", status: .badConfiguration)
            }
            let word = name.uppercased().map { $0.isLetter || $0.isNumber ? $0 : "_" }
            sinks.append(
                ChosenSink(
                    name: name, address: address, settings: settings,
                    variable: "OBDSCAN_PUBLISH_\(String(word))"))
        }
        return sinks
    }

    /// A sink from the command line.
    init(named text: String, _ settings: PublishSettings) throws(Failure) {
        do throws(SinkAddress.Fault) {
            address = try SinkAddress(text)
        } catch {
            // The address may contain a secret, so the message does not repeat it.
            throw Failure(
                error == .secret
                    ? "--to: the address \(error.text)" : "--to: \"\(text)\" \(error.text)",
                hint: error == .secret
                    ? "OBDSCAN_PUBLISH_PASSWORD or OBDSCAN_PUBLISH_TOKEN says it"
                    : "such as influx+http://localhost:8428", status: .usage)
        }
        self.settings = settings
        var plain = address
        plain.user = nil
        name = plain.text
        variable = "OBDSCAN_PUBLISH"
    }

    private init(
        name: String, address: SinkAddress, settings: PublishSettings, variable: String
    ) {
        self.name = name
        self.address = address
        self.settings = settings
        self.variable = variable
        if let user = address.user {
            self.address.user = user.replacing(NameMarker.host, with: hostName())
        }
    }

    // MARK: Secrets

    /// The password; nil = none.
    func password() throws(Failure) -> String? {
        try secret("PASSWORD", settings.passwordFile)
    }

    /// The token; nil = none.
    func token() throws(Failure) -> String? { try secret("TOKEN", settings.tokenFile) }

    private func secret(_ word: String, _ file: String?) throws(Failure) -> String? {
        if let value = setting("\(variable)_\(word)") { return value }
        guard let file else { return nil }
        let path = expanded(file)
        let line = try contents(of: path).prefix { $0 != 0x0A && $0 != 0x0D }
        if line.isEmpty {
            throw Failure(
                "\(path) is empty", hint: "its first line is the \(word.lowercased())",
                status: .badConfiguration)
        }
        return String(decoding: line, as: UTF8.self)
    }

    /// The file of trusted certificates; nil = the system's.
    func caFile() throws(Failure) -> String? {
        guard let file = settings.caFile else { return nil }
        let path = expanded(file)
        if access(path, R_OK) != 0 { throw Failure(inputFile: path, errno: errno) }
        return path
    }

    private func expanded(_ path: String) -> String {
        let path = path.replacing(NameMarker.host, with: hostName())
        guard path.hasPrefix("~/"), let home = environment("HOME") else { return path }
        return home + path.dropFirst()
    }

    // MARK: Data to send

    /// The data to send to the sink.
    func selection(trips: Set<Int64>?) throws(Failure) -> SinkSelection {
        var selection = SinkSelection()
        let host = hostName()
        selection.isForTraccar = address.kind.isTraccar
        selection.id = settings.id?.replacing(NameMarker.host, with: host)
        selection.hasPosition = settings.hasPosition ?? false
        selection.hasText = settings.hasText ?? false
        selection.tags = settings.tags.sorted { $0.key < $1.key }
            .map { ($0.key, $0.value.replacing(NameMarker.host, with: host)) }
        selection.trips = trips
        let roles = PIDTables.signalRoles(try TableFile.own())
        selection.measured = roles.byName
        if let names = settings.names, names != .own {
            let known = VSSNames(
                PIDTables.vehicleSignalNames,
                roles: roles.byName.mapValues(\.rawValue))
            selection.names = { known.name($0.id, isCore: names == .vssCore)?.path }
        }
        for (alias, address) in UserSettings.current.aliases { selection.aliases[address] = alias }
        selection.hasAllSignals = settings.signals == ["all"]
        if !settings.signals.isEmpty, settings.signals != ["all"] {
            selection.signals = try Self.signals(settings.signals)
        }
        return selection
    }

    /// The short names of the user's signals, in lower case.
    static func signals(_ names: [String]) throws(Failure) -> Set<String> {
        let known: SignalNames
        do {
            known = SignalNames(try PIDTables.load(try TableFile.own()))
        } catch let error as TableError {
            throw Failure(error)
        } catch {
            throw Failure(known: error) ?? Failure("\(error)", status: .bug)
        }
        var found: Set<String> = []
        let roles = PIDTables.signalRoles(try TableFile.own())
        for name in names {
            // What a make calls it is of no interest.
            if let role = SignalRole(rawValue: name.lowercased()) {
                found.formUnion(roles.signals(of: role).map { $0.lowercased() })
            }
            do throws(SignalError) {
                let signal = try known.find(name)
                found.insert((signal.signal.map { known.table[$0].id } ?? name).lowercased())
            } catch {
                if SignalRole(rawValue: name.lowercased()) == nil { throw Failure(error) }
            }
        }
        return found
    }

    /// The broker with the data for it.
    func broker(
        _ selection: SinkSelection, database: String, drains: Bool
    ) throws(Failure) -> MQTTSink {
        var broker = MQTTSink(
            name: name,
            address: address, selection: selection, host: hostName(),
            version: ObdscanCommand.configuration.version, database: database, drains: drains
        ) { trip in
            var bytes: [UInt8] = []
            trip.row.appendJSON(to: &bytes)
            return bytes.dropLast()
        }
        broker.password = try password()
        broker.caFile = try caFile()
        if settings.takesCommands ?? false { broker.readCodes = codeReader(database) }
        if let every = settings.every { broker.every = every }
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

    /// Reads the trouble codes at an adapter into the database, as the user would.
    private func codeReader(_ database: String) -> @Sendable (String) -> String {
        { adapter in
            let end = try? ChildProcess.run(
                "/proc/self/exe", ["dtc", "-d", adapter, "--db", database, "--quiet"],
                until: SystemClock.now() + .seconds(60), cancelledBy: nil)
            // 1: there are codes.
            switch end {
            case .exited(0), .exited(1): return "codes were read"
            case .exited(let status): return "no codes were read: obdscan dtc ends with \(status)"
            case .killed: return "no codes were read within a minute"
            case .signalled, nil: return "no codes were read"
            }
        }
    }

    /// This computer's name, up to its first dot.
    private func hostName() -> String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "host" }
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            .split(separator: ".").first.map(String.init) ?? "host"
    }

    /// The settings of the connection to the server.
    func httpSetup() throws(Failure) -> HTTPClient.Setup {
        var setup = HTTPClient.Setup(caFile: try caFile())
        if let token = try token() {
            setup.authorization = address.dialect.authorization(token: token)
        } else if let password = try password() {
            setup.userPassword = "\(address.user ?? "obdscan"):\(password)"
        } else if let user = address.user {
            setup.userPassword = "\(user):"
        }
        return setup
    }
}
