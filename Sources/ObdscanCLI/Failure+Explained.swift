import Accessory
import Adapters
import Engines
import Formats
import Glibc
import LocalLinks
import OBDCore
import Reports
import ScanSession
import Settings
import Simulator
import SystemIO
import TripStore
import VehicleScan

// An error knows its sentence. What stands here is what only the command line knows: exit codes and options.

extension Failure {
    init(_ explanation: Explanation) {
        self.init(
            explanation.message, hint: explanation.hint, status: ExitStatus(explanation.category))
        isOfSilentVehicle = explanation.isOfSilentVehicle
    }

    /// An error that knows its sentence.
    init(_ error: some Explained) {
        self.init(error.explanation)
    }

    /// A fault of the device or the file at `place`.
    init(_ fault: some ExplainedAt, at place: String) {
        self.init(fault.explanation(at: place))
    }

    /// The adapter's status in place of data; nil for a status that is itself an answer.
    init?(_ status: AdapterStatus, at accessory: String) {
        guard let explanation = status.explanation(at: accessory) else { return nil }
        self.init(explanation)
    }

    /// An error that means the same everywhere; nil for any other.
    init?(known error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case SignalError.unknownName(let name, _)
        where Self.isDevice(name) && !SignalError.isConsumption(name):
            self.init(SignalError.unknownName(name, nearest: []))
            hint = "a device follows -d: -d \(UserSettings.address(meantBy: name) ?? name)"
        case let error as any Explained: self.init(error.explanation)
        default: return nil
        }
    }

    /// Whether a word that is not a signal is the address of a device.
    static func isDevice(_ word: String) -> Bool {
        (try? TransportRegistry.all.address(word)) != nil
            || UserSettings.address(meantBy: word) != nil
    }

    /// A file that cannot be read.
    init(inputFile path: String, errno number: Int32) {
        self.init(FileError.unreadable(path, errno: number))
    }

    /// A file that cannot be created or written.
    init(outputFile path: String, errno number: Int32) {
        self.init(FileError.unwritable(path, errno: number))
    }

    init(brokenRecording path: String, errno number: Int32) {
        self.init(
            "\(path): the recording broke off: \(SystemError.text(of: number))",
            hint: number == ENOSPC ? "make room on the disk, or record elsewhere" : nil,
            status: .cannotCreate)
    }

    /// The failure to report at the end if the open database was replaced; nil = there is none.
    init?(_ relocation: TripStore.Relocation?) {
        guard case .elsewhere(let path, let instead) = relocation else { return nil }
        self.init(
            "\(instead) was replaced by another file; the trip is in \(path)",
            hint: "\"obdscan trips --db \(path)\" lists it", status: .cannotCreate)
    }

    /// A device address that is not valid.
    init(_ error: AddressError) {
        self.init(
            error.reason,
            hint: error.suggestion.map { "did you mean \($0.contains(" ") ? "\"\($0)\"" : $0)?" }
                ?? "forms: " + TransportRegistry.all.forms.flatMap(\.full).joined(separator: ", "),
            status: .usage)
    }

    /// The message with the device's name before it, for a list with messages about other devices.
    ///
    /// The name is left out if the message begins with it already.
    func told(of accessory: String) -> String {
        let scheme = accessory.firstIndex(of: ":").map { accessory.index(after: $0) }
        let place = accessory[(scheme ?? accessory.startIndex)...].prefix { $0 != "?" }
        let head = message.firstRange(of: ": ").map { message[..<$0.lowerBound] } ?? ""
        let isNamed =
            message.hasPrefix(accessory) || (!place.isEmpty && message.hasPrefix(place))
            || (!head.isEmpty && place.hasPrefix(head))
            || (!place.isEmpty && message.hasSuffix(" \(place)"))
        return isNamed ? message : "\(accessory): \(message)"
    }

    /// The failure with a hint that the protocol may be wrong, if the vehicle is silent and
    /// `chosen` is not left to the adapter.
    func doubting(_ chosen: ProtocolOption) -> Failure {
        guard isOfSilentVehicle, let name = chosen.vehicleProtocol?.title else { return self }
        var failure = self
        failure.hint =
            "only \(name) was tried, which may be wrong: --protocol auto looks for the right one; "
            + "is the ignition on?"
        return failure
    }
}

extension ExitStatus {
    /// The exit code for a category of errors.
    init(_ category: Explanation.Category) {
        self =
            switch category {
            case .usage: .usage
            case .badInput: .badData
            case .noInput: .noInput
            case .unavailable: .unavailable
            case .timedOut: .timedOut
            case .lost: .linkLost
            case .noPermission: .noPermission
            case .cannotCreate: .cannotCreate
            case .configuration: .badConfiguration
            case .bug: .bug
            case .ended: .done
            }
    }
}

extension ExitStatus {
    /// The category of errors with this exit code.
    var category: Explanation.Category {
        Explanation.Category.allCases.first { ExitStatus($0) == self } ?? .ended
    }
}

extension VehicleError {
    /// The error as commands throw it: an error of the session unchanged, any other as a
    /// ``Failure``.
    func told(of accessory: String) -> any Error {
        if case .session = self { self } else { Failure(self, at: accessory) }
    }
}

extension Vehicle {
    /// The failure if there is no answer to any of `asked`; nil if there is one.
    func failure(of asked: [QueryResult?]) -> Failure? {
        problem(of: asked).map { failure($0, asked.compactMap(\.self)) }
    }

    /// The failure for a problem of `asked`; a recording that does not contain a request says so.
    fileprivate func failure(_ problem: VehicleError, _ asked: [QueryResult]) -> Failure {
        let isSilence =
            switch problem {
            case .adapterSaid, .noAnswer, .codeListMissing: true
            default: false
            }
        // A recorded vehicle that answers nothing was silent.
        guard isSilence, !scan.heard.ecus.isEmpty || scan.heard.unnamed > 0, let recording,
            let missing = asked.filter(\.answers.isEmpty).compactMap(\.answer.exchange.request)
                .first(where: { recording.adapter.lacks($0) })
        else { return Failure(problem, at: accessory) }
        return lacking(missing, in: recording.path)
    }

    private func lacking(_ request: [UInt8], in path: String) -> Failure {
        Failure(
            "\(accessory): this recording does not contain the request \(Hex.string(request))",
            hint: "\"obdscan decode \(shellWord(path))\" shows what it contains", status: .noInput)
    }

    /// The recording that answers in place of a vehicle; nil if a vehicle answers, or if it cannot be read.
    private var recording: (path: String, adapter: ReplayAdapter)? {
        guard let path = try? TransportRegistry.all.address(accessory).transport.recording,
            let adapter = try? ReplayLink.adapter(reading: path)
        else { return nil }
        return (path, adapter)
    }

    /// Whether a recording answers in place of a vehicle.
    var isRecorded: Bool { recording != nil }

    /// Refuses to poll a recording that has none of the requests, which would never end.
    func checkRecording(of setup: PollSetup) throws(Failure) {
        guard let first = setup.wants.first, !setup.readsVoltage, !setup.hears, let recording,
            setup.wants.allSatisfy({
                recording.adapter.lacks($0.dataID.id, of: $0.dataID.service)
            })
        else { return }
        throw lacking(first.dataID.requestPayload, in: recording.path)
    }

    /// The failure of a request without a complete answer; nil if it is complete.
    func failure(of asked: QueryResult) -> Failure? {
        asked.error.map { Failure($0, at: accessory) }
    }
}

extension CodeScan {
    /// The failure if it is unknown which codes there are.
    func failure(_ vehicle: Vehicle) -> Failure? {
        guard let problem = problem(vehicle) else { return nil }
        guard case .codeListMissing(let kind, _) = problem else {
            return vehicle.failure(problem, lists.map(\.asked) + asked)
        }
        return vehicle.failure(problem, lists.filter { $0.kind == kind }.map(\.asked))
    }
}
