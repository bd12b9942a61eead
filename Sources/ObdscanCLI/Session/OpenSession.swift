import Accessory
import Adapters
import Diagnostics
import Formats
import Glibc
import OBDCore
import PIDTables
import ScanSession
import Settings
import SystemIO
import TripRecorder
import VehicleScan

extension VehicleOptions {
    /// The device of the environment; nil = none.
    static var environmentDevice: String? { setting("OBDSCAN_DEVICE") }

    /// The device of the option, the environment or the configuration; nil = none.
    func named(_ settings: UserSettings) -> String? {
        let text = device ?? Self.environmentDevice ?? settings.device
        return text.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The device to use: the device of the options or settings, or the only attached adapter.
    func address() throws(Failure) -> AccessoryAddress {
        let address = try chosenAddress()
        guard let pin = link.pin else { return address }
        guard var transport = address.transport as? any PINTransport else {
            throw Failure(
                "\(address) takes no --pin",
                hint: "it pairs ble:ADDRESS and bluetooth:NAME; \"obdscan setup\" pairs other "
                    + "Bluetooth adapters", status: .usage)
        }
        transport.pin = pin.text
        return AccessoryAddress(transport)
    }

    private func chosenAddress() throws(Failure) -> AccessoryAddress {
        let settings = UserSettings.current
        guard let text = named(settings) else { return try AttachedAccessories.only() }
        do throws(Failure) {
            return try settings.resolved(text)
        } catch {
            guard device == nil else { throw error }
            let origin =
                Self.environmentDevice == nil ? "the configuration file" : "OBDSCAN_DEVICE"
            throw Failure(
                "\(error.message); \(origin) names it", hint: error.hint, status: error.status)
        }
    }

    /// The configuration of the session with `address`.
    ///
    /// The caller must keep `recording` open for the lifetime of the session.
    func configuration(
        for address: AccessoryAddress, recording: RecordingFile?
    ) throws(Failure) -> SessionConfiguration {
        var configuration = SessionConfiguration(connector: try connector(for: address))
        if configuration.connector.isCAN, let chosen = link.chosenAdapter, chosen != .automatic {
            throw Failure(
                "\(address) carries CAN frames; it has no adapter of the dialect \(chosen.rawValue)",
                hint: "leave --adapter out", status: .usage)
        }
        configuration.dialect = try dialect(for: address)
        configuration.vehicleProtocol = vehicleProtocol.vehicleProtocol
        if let descriptor = recording?.descriptor {
            configuration.recordTo = descriptor
            configuration.recordHead = [
                .init("program", "obdscan \(ObdscanCommand.configuration.version)"),
                .init("accessory", "\(address)"), .init("recorded", "\(SystemClock.utc)"),
            ]
        }
        return configuration
    }

    /// The dialect for `address`: the dialect of the options, or the one that the device is known for.
    private func dialect(
        for address: AccessoryAddress
    ) throws(Failure) -> DialectChoice {
        do throws(DialectChoice.Mismatch) {
            return try adapter.settled(
                for: address.transport.protocols, vehicleProtocol.vehicleProtocol)
        } catch {
            switch error {
            case .noGateway:
                throw Failure(
                    "\(address) is not a DoIP gateway, and --protocol says doip",
                    hint: "doip:HOST names a gateway; --protocol auto looks for the vehicle's "
                        + "protocol", status: .usage)
            case .isGateway:
                throw Failure(
                    "\(address) is a DoIP gateway, and --adapter says \(adapter.rawValue)",
                    hint: "leave --adapter out", status: .usage)
            }
        }
    }
}

extension VehicleOptions {
    /// Refuses an `--ecu` with an address that ECUs use among themselves.
    fileprivate func checkThatECUIsForDiagnostics() throws(Failure) {
        guard let address = ecu?.address, address.form == .can11 else { return }
        let request = address.physicalRequest
        guard !request.isDiagnosticRequest else { return }
        throw Failure(
            "--ecu \(address) is asked at \(request.digits), which is not known as an address for "
                + "diagnostics",
            hint:
                "\"obdscan dtc list --all-modules\" finds ECUs; \"obdscan send\" asks before it sends "
                + "there", status: .usage)
    }
}

final class RecordingFile {
    let descriptor: Int32

    /// Creates the file, or empties it.
    init(path: String) throws(Failure) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw Failure(outputFile: path, errno: errno) }
    }

    deinit {
        close(descriptor)
    }
}

/// The connector for `address`; simulated devices are set up when they are opened.
func connector(for address: AccessoryAddress) throws(Failure) -> Connector {
    if Confirmation.isPossible, let transport = address.transport as? any PINTransport {
        return connector(askingForPIN: transport)
    }
    do throws(AccessoryError) {
        return try address.transport.connector()
    } catch {
        throw Failure(error)
    }
}

/// How long to wait for the number of an adapter: time to walk to the car and read its label.
private let patienceForPIN = Duration.seconds(60)

/// Opens an adapter that may want to be paired; the person at the terminal is asked for its number.
private func connector(askingForPIN transport: some PINTransport) -> Connector {
    Connector(transport) { name, cancel in
        writeToStandardError(
            "\(printable(name)) wants to be paired. Its number, from the label or the manual: ")
        let line = try? LineReader.next(
            STDIN_FILENO, interruptedBy: cancel ?? -1, until: SystemClock.now() + patienceForPIN)
        if line == nil { writeToStandardError("\n") }
        let pin = line?.filter { $0 != " " }
        return pin.flatMap { BLETransport.isPIN($0) ? $0 : nil }
    }
}

/// The special needs of a command for its session.
struct SessionNeeds {
    /// The command's need for a vehicle.
    var vehicle = VehicleNeed.needed
    /// Sinks for the readings of polls.
    var sinks: [any ReadingSink] = []
    /// Whether to restore a lost link.
    var reconnect = SessionConfiguration.Reconnect.never
    /// Whether to try a vehicle that does not answer less and less often.
    var restsWhileVehicleIsOff = false
    /// Whether the command listens to the bus.
    var listens = false
    /// Whether the command only listens, to every frame of the bus, and sends nothing.
    var onlyListens = false
    /// The frames that the command hears beside its requests, by their identifiers.
    var heard: Set<ECUAddress> = []
    /// The parameter groups of SAE J1939 that the command hears beside its requests.
    var heardGroups: Set<UInt32> = []
    /// Decodes what the session hears, for its sinks.
    var listener: (any BusListener)?
    /// Whether the command asks a person before it sends to an address that is not for diagnostics.
    var asksForConsent = false
    /// The signals that end the command, if they are blocked already; nil = not yet.
    var inbox: SignalInbox?
    /// The name of the device, if there are several at once; nil = there is one.
    var accessory: String?
}

/// Runs `body` with an open session, and closes the session on every path.
///
/// A signal that ends the command is raised again after the session was closed.
func withVehicle(
    _ options: VehicleOptions, _ output: OutputOptions, _ table: PIDTable,
    _ needs: SessionNeeds = SessionNeeds(), _ body: (Vehicle) throws -> Void
) throws {
    do {
        try withSession(options, output, table, needs, body)
    } catch let fault as SessionFault {
        throw Failure(fault.error, at: fault.accessory).doubting(options.vehicleProtocol)
    } catch let failure as Failure {
        throw failure.doubting(options.vehicleProtocol)
    }
}

/// Why a session ended or could not begin.
struct SessionFault: Error {
    var error: ScanError
    /// The name of the device in messages.
    var accessory: String
}

/// Like ``withVehicle(_:_:_:_:_:)``, but throws the ``SessionFault`` itself, for callers that need
/// the exact error.
func withSession(
    _ options: VehicleOptions, _ output: OutputOptions, _ table: PIDTable,
    _ needs: SessionNeeds = SessionNeeds(), _ body: (Vehicle) throws -> Void
) throws {
    if !needs.asksForConsent { try options.checkThatECUIsForDiagnostics() }
    let inbox = try needs.inbox ?? .ofProcess()
    let address = try options.address()
    try OutputFile.check(
        options.record, isNoneOf: [options.database.file, address.transport.recording])
    try OwnFile.conversation.check(mayReplace: options.record)
    let recording = try options.record.map { path throws(Failure) in
        try RecordingFile(path: path)
    }
    let memory = AdapterMemories(
        options.database.file, key: address.transport.memoryKey)
    var configuration = try options.configuration(for: address, recording: recording)
    configuration.memory = memory.known
    configuration.vehicle = needs.vehicle
    configuration.reconnect = needs.reconnect
    configuration.listener = needs.listener
    configuration.heard = needs.heard
    configuration.heardGroups = needs.heardGroups
    if !needs.heard.isEmpty, var interface = address.transport as? CANTransport {
        interface.observesFrames = true
        configuration.connector = Connector(interface)
    }
    if needs.onlyListens {
        try configuration.checkThatItListens()
        configuration.onlyListens = true
        configuration.vehicle = .unused
        if var interface = address.transport as? CANTransport {
            interface.hearsEverything = true
            configuration.connector = Connector(interface)
        }
    }
    if needs.restsWhileVehicleIsOff { configuration.policy.longestVehiclePause = .seconds(60) }
    if needs.listens { configuration.queuedEvents.insert(.progress) }
    let accessory = configuration.connector.name
    let watch = RecordingWatch()
    let brokeOff = { watch.errno.map { Failure(brokenRecording: options.record ?? "", errno: $0) } }
    do {
        let scan = try startSession(configuration, needs, table, output, options, inbox, watch)
        let connection = Vehicle(
            scan: scan, table: table, accessory: accessory, key: memory.key,
            ecu: options.ecu?.address,
            vehicleProtocol: options.vehicleProtocol.vehicleProtocol, inbox: inbox,
            names: KnownNames(
                memory: AdapterMemories.names(
                    options.database.file,
                    isStored: memory.key != nil || options.database.isNamed)))
        defer {
            scan.stop()
            // Whether a vehicle answers in the protocol of the bus was not asked.
            if !needs.onlyListens { memory.save(scan.memory) }
        }
        if needs.onlyListens, let noise = scan.link?.noise(on: address) { output.note(noise) }
        try body(connection)
    } catch VehicleError.session(.interrupted), ScanError.interrupted {
        try inbox.end()
        throw Failure.silent(.done)
    } catch OutputError.readerGone {
        throw OutputError.readerGone
    } catch {
        if let failure = brokeOff() { output.note(failure.message) }
        switch error {
        case ScanError.initialisation(let failure):
            var stranger: AccessoryError?
            if case .noVehicle = failure {
            } else {
                stranger = address.transport.stranger(cancelledBy: inbox.descriptor)
            }
            throw SessionFault(
                error: stranger.map { .accessory($0) } ?? .initialisation(failure),
                accessory: accessory)
        case let error as ScanError: throw SessionFault(error: error, accessory: accessory)
        case VehicleError.session(let error):
            throw SessionFault(error: error, accessory: accessory)
        case let error as VehicleError: throw Failure(error, at: accessory)
        default: throw error
        }
    }
    if let failure = brokeOff() { throw failure }
}

extension SessionConfiguration {
    /// Refuses a dialect and a protocol without a bus to listen to.
    fileprivate func checkThatItListens() throws(Failure) {
        if let vehicleProtocol, vehicleProtocol.family.isLegacy || vehicleProtocol == .doip {
            throw Failure(
                "obdscan listens to CAN, and --protocol names \(vehicleProtocol.title)",
                hint: "leave --protocol out", status: .usage)
        }
        switch dialect {
        case .automatic, .elm327, .stn: return
        case .goLink, .doip:
            throw Failure(
                "\(connector.name): this adapter cannot listen to the bus",
                hint: "an ELM327, an OBDLink, slcan: and can: can", status: .unavailable)
        }
    }
}

extension LinkInformation {
    /// How a link that only listens is not silent on the bus; nil if it is, as far as is known.
    fileprivate func noise(on address: AccessoryAddress) -> String? {
        if let interface = (address.transport as? CANTransport)?.state {
            guard !interface.isListenOnly, interface.kind != "vcan" else { return nil }
            return "\(interface.name) sends no frame, but acknowledges those of others. Its "
                + "setting listen-only makes it silent."
        }
        guard identity.unsupportedCommands.contains(AdapterCommand.silentMonitoring) else {
            return nil
        }
        return "\(address) does not know AT CSM1: it sends no frame, but may acknowledge those of "
            + "others."
    }
}

private func startSession(
    _ configuration: SessionConfiguration, _ needs: SessionNeeds, _ table: PIDTable,
    _ output: OutputOptions, _ options: VehicleOptions, _ inbox: SignalInbox,
    _ watch: RecordingWatch
) throws -> ScanSession {
    let decoder = try responseDecoder(table)
    // One line that is cleared again is useful for a single device only.
    let hasAudience =
        StatusLine.isWatched(output) && !output.verbose && needs.accessory == nil
    var observers = try EventPrinter.observers(
        output, traceStates: options.traceStates, accessory: needs.accessory)
    observers.append(watch)
    // Some vehicles take ten seconds.
    let progress = hasAudience ? ConnectProgress(configuration.connector.name) : nil
    if let progress { observers.append(progress) }
    let note =
        needs.accessory == nil && !output.verbose
        ? LongSearchNote(configuration.connector.name, output) : nil
    if let note { observers.append(note) }
    defer {
        note?.end()
        progress?.end()
    }
    return try ScanSession.start(
        configuration, decoder: decoder, sinks: needs.sinks, observers: observers,
        interruptedBy: inbox.descriptor)
}

/// The decoder of answers with `table`.
func responseDecoder(_ table: PIDTable) throws(Failure) -> ResponseDecoder {
    ResponseDecoder(table: table, monitors: try loadMonitorTables())
}

/// Names and scalings of monitors, and the rules for readiness.
func loadMonitorTables() throws(Failure) -> MonitorTables {
    do {
        return try PIDTables.monitorTables()
    } catch {
        throw Failure(error)
    }
}

extension SessionNeeds {
    /// Adds the session's needs for requests of `records`.
    ///
    /// A vehicle that does not answer service 01, like many electric ones, may still answer at the
    /// ECU of a table; the address of the ECU determines the form of CAN identifiers.
    mutating func take(_ records: [PIDTable.Record]) {
        guard let target = records.lazy.compactMap(\.target).first,
            records.allSatisfy({ $0.target?.form == target.form })
        else { return }
        switch target.form {
        case .can11: vehicle = .maybeSilent(assumed: .can11At500)
        case .can29: vehicle = .maybeSilent(assumed: .can29At500)
        case .byte, .logical: break
        }
    }
}
