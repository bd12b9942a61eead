import Accessory
import Adapters
import Diagnostics
import Glibc
import OBDCore
import PIDTables
import ScanSession
import Settings
import Synchronization
import SystemIO
import VehicleScan

extension VehicleOptions {
    /// The accessory that the environment names; nil = none.
    static var environmentDevice: String? { setting("OBDSCAN_DEVICE") }

    /// The accessory that the option, the environment or the configuration names; nil = none does.
    func named(_ settings: UserSettings) -> String? {
        let text = device ?? Self.environmentDevice ?? settings.device
        return text.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The accessory to use: the option, the environment, or the only attached one.
    func address() throws(Failure) -> AccessoryAddress {
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

    /// How the session with `address` is to be made.
    ///
    /// `recording` is kept open by the caller for as long as the session lives.
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

    /// What to speak to `address`: what the user says, or what the accessory is known to speak.
    private func dialect(
        for address: AccessoryAddress
    ) throws(Failure) -> DialectChoice {
        let known = DialectChoice(speaking: address.transport.protocols)
        if vehicleProtocol.vehicleProtocol == .doip, known != .doip {
            throw Failure(
                "\(address) is not a DoIP gateway, and --protocol says doip",
                hint: "doip:HOST names a gateway; --protocol auto looks for the vehicle's protocol",
                status: .usage)
        }
        guard adapter != .automatic, adapter != known else { return known ?? .automatic }
        if known == .doip {
            throw Failure(
                "\(address) is a DoIP gateway, and --adapter says \(adapter.rawValue)",
                hint: "leave --adapter out", status: .usage)
        }
        return adapter
    }
}

extension VehicleOptions {
    /// Refuses an `--ecu` that would be asked where ECUs talk to each other.
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

/// A file that a transcript is written to.
final class RecordingFile {
    let descriptor: Int32

    /// Makes the file, or empties it.
    init(path: String) throws(Failure) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw Failure(outputFile: path, errno: errno) }
    }

    deinit {
        close(descriptor)
    }
}

/// How `address` is opened; what is served by this program itself is set up when it is opened.
func connector(for address: AccessoryAddress) throws(Failure) -> Connector {
    do throws(AccessoryError) {
        return try address.transport.connector()
    } catch {
        throw Failure(error)
    }
}

/// What a command needs beyond the usual of its session.
struct SessionNeeds {
    /// What is needed of the vehicle.
    var vehicle = VehicleNeed.needed
    /// Take what replies to polls bring.
    var sinks: [any ReadingSink] = []
    /// Whether a lost link is restored.
    var reconnect = SessionConfiguration.Reconnect.never
    /// Whether a vehicle that does not answer is looked forever less often.
    var restsWhileVehicleIsOff = false
    /// Whether the command listens to the bus.
    var listens = false
    /// Whether the command only listens, to every frame of the bus.
    var onlyListens = false
    /// Whether the command asks a person before it sends to an address that is not for diagnostics.
    var asksForConsent = false
    /// The signals that end the command, where they had to be blocked before; nil = not yet.
    var inbox: SignalInbox?
    /// What the accessory is called where several are talked to at once; nil = there is one.
    var accessory: String?
}

/// Runs `body` with a session that is open and set up, and ends it in order on every path.
///
/// A signal that asks the command to end is raised again after the session's orderly end.
func withVehicle(
    _ options: VehicleOptions, _ output: OutputOptions, _ table: PIDTable,
    _ needs: SessionNeeds = SessionNeeds(), _ body: (Vehicle) throws -> Void
) throws {
    do {
        try withSession(options, output, table, needs, body)
    } catch let fault as SessionFault {
        throw Failure(fault.error, accessory: fault.accessory)
    }
}

/// Why a session with an accessory ended, or never began.
struct SessionFault: Error {
    var error: ScanError
    /// The accessory as messages name it.
    var accessory: String
}

/// The same for who has to know what exactly failed: a ``SessionFault`` is thrown as it is.
func withSession(
    _ options: VehicleOptions, _ output: OutputOptions, _ table: PIDTable,
    _ needs: SessionNeeds = SessionNeeds(), _ body: (Vehicle) throws -> Void
) throws {
    if !needs.asksForConsent { try options.checkThatECUIsForDiagnostics() }
    let inbox = try needs.inbox ?? .ofProcess()
    let address = try options.address()
    try OutputFile.check(
        options.record, isNoneOf: [options.database.file, address.transport.recording])
    let recording = try options.record.map { path throws(Failure) in
        try RecordingFile(path: path)
    }
    let memory = AdapterMemories(options.database, address)
    var configuration = try options.configuration(for: address, recording: recording)
    configuration.memory = memory.known
    configuration.vehicle = needs.vehicle
    configuration.reconnect = needs.reconnect
    if needs.onlyListens, configuration.connector.isCAN {
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
    let watch = RecordingWatch(path: options.record)
    do {
        let scan = try startSession(configuration, needs, table, output, options, inbox, watch)
        let connection = Vehicle(
            scan: scan, table: table, accessory: accessory, key: memory.key,
            ecu: options.ecu?.address,
            vehicleProtocol: options.vehicleProtocol.vehicleProtocol, inbox: inbox)
        defer {
            scan.stop()
            memory.save(scan.memory)
        }
        try body(connection)
    } catch VehicleError.session(.interrupted), ScanError.interrupted {
        try inbox.end()
        throw Failure.silent(.done)
    } catch OutputError.readerGone {
        throw OutputError.readerGone
    } catch {
        if let failure = watch.failure { output.note(failure.message) }
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
        case let error as VehicleError: throw Failure(error, accessory: accessory)
        default: throw error
        }
    }
    if let failure = watch.failure { throw failure }
}

/// Keeps in mind that a transcript broke off: commands go on without it and say so at their end.
private final class RecordingWatch: ScanObserver {
    let interests = ScanEvent.Kinds.milestones
    private let path: String?
    private let number = Mutex<Int32?>(nil)

    init(path: String?) {
        self.path = path
    }

    func scan(_ event: ScanEvent, at time: Instant) {
        if case .recordingFailed(let errno) = event { number.withLock { $0 = $0 ?? errno } }
    }

    /// What became of the transcript; nil = it is whole, or none was wanted.
    var failure: Failure? {
        guard let path, let number = number.withLock({ $0 }) else { return nil }
        return Failure(
            "\(path): the recording broke off: \(describe(errno: number))",
            hint: number == ENOSPC ? "make room on the disk, or record elsewhere" : nil,
            status: .cannotCreate)
    }
}

/// Opens a session.
private func startSession(
    _ configuration: SessionConfiguration, _ needs: SessionNeeds, _ table: PIDTable,
    _ output: OutputOptions, _ options: VehicleOptions, _ inbox: SignalInbox,
    _ watch: RecordingWatch
) throws -> ScanSession {
    let decoder = try responseDecoder(table)
    // One line that comes and goes is of use for one accessory only.
    let hasAudience =
        StatusLine.isWatched(output) && !output.verbose && needs.accessory == nil
    var observers = try EventPrinter.observers(
        output, traceStates: options.traceStates, accessory: needs.accessory)
    observers.append(watch)
    // Some vehicles take ten seconds.
    let progress = hasAudience ? ConnectProgress(configuration.connector.name) : nil
    if let progress { observers.append(progress) }
    defer { progress?.end() }
    return try ScanSession.start(
        configuration, decoder: decoder, sinks: needs.sinks, observers: observers,
        interruptedBy: inbox.descriptor)
}

/// What decodes answers by `table`.
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
    /// What asking for `records` needs of the session.
    ///
    /// A vehicle that answers no service 01, as many electric ones, may still answer the ECU that a
    /// table names; its address says which CAN that is.
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
