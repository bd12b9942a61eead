import Adapters
import Diagnostics
import OBDCore
import ScanSession
import ScanTool
import VehicleReports
import VehicleScan

// Messages about vehicles that could not be asked or did not give the requested answer.
extension Failure {
    /// A vehicle at `accessory` that could not be asked or did not answer.
    init(_ error: VehicleError, accessory: String) {
        switch error {
        case .session(let error): self.init(error, accessory: accessory)
        case .adapterSaid(let status): self.init(insteadOfAnswer: status, accessory: accessory)
        case .noAnswer:
            self.init(
                "\(accessory): no ECU answered", hint: "turn the ignition on", status: .timedOut)
        case .silentECU(let ecu, let others):
            self.init(
                "\(accessory): \(ecu) does not answer; these ECUs do: "
                    + others.map(\.description).joined(separator: ", "),
                hint: "leave --ecu out to ask all of them", status: .timedOut)
        case .takesNoCommands(let text):
            self.init(
                "\(accessory): no adapter there takes commands such as \(text)",
                hint: "send requests to the vehicle: obdscan send 010C", status: .unavailable)
        case .codeListMissing(let kind, let ecu):
            self.init(
                "\(ecu?.description ?? accessory): the list of \(kind.rawValue) codes did not come",
                hint: "turn the ignition on, then try again", status: .timedOut)
        case .codesNotSettled(let kind, let ecu, let meanings):
            self.init(
                "\(ecu?.description ?? accessory): the list of \(kind.rawValue) codes is not settled: "
                    + meanings.joined(separator: ", or "),
                hint: "--protocol 6 reads it as CAN, --protocol 3 as ISO 9141-2",
                status: .badData)
        case .codesMissing(let counted, let listed, let ecu):
            self.init(
                "\(ecu?.description ?? accessory): it counts \(counted) stored codes, but lists \(listed)",
                hint: "read them again with the ignition on", status: .timedOut)
        case .announcesNothing:
            self.init(
                "\(accessory): the vehicle announces no signals",
                hint: "name them: \"obdscan live rpm speed\"", status: .timedOut)
        case .unknownSignal(let unknown):
            self.init(
                "\(accessory): \(unknown.text)",
                hint: "\"obdscan pids list --supported\" shows what there is", status: .unavailable)
        case .needsSingleECU(let record, let target):
            self.init(
                "\(record.dataID) (\(record.name)) is asked at \(target), and this adapter can "
                    + "only ask all ECUs at once",
                hint: "an ELM327 or an OBDLink can ask one", status: .unavailable)
        case .wrongAddressForm(let record, let target, let spoken):
            let hint: String? =
                switch target.form {
                case .can29: "--protocol 7 asks on 29-bit CAN"
                case .can11: "--protocol 6 asks on 11-bit CAN"
                case .byte, .logical: nil
                }
            self.init(
                "\(record.dataID) (\(record.name)) is asked at \(target), and this vehicle "
                    + "speaks \(spoken.title)", hint: hint, status: .usage)
        case .otherVehicle(let record, let vin):
            let wanted =
                "\(record.dataID) (\(record.name)) is for vehicles "
                + (record.vehicles.map(\.text)
                + record.years.map { "of \($0.lowerBound) to \($0.upperBound)" })
                .joined(separator: ", ")
            if let vin {
                self.init(
                    "\(wanted), this is \(vin.text)",
                    hint: "leave its signals out, or use the table of this vehicle",
                    status: .usage)
            } else {
                self.init(
                    "\(wanted), and this one does not report its VIN",
                    hint: "without a `vehicle` line the table is for any vehicle",
                    status: .unavailable)
            }
        case .inMotion(let signal):
            self.init(
                "refused while \(signal.motion)",
                hint:
                    "stop the engine, turn the ignition on, then try again; --force overrides this",
                status: .timedOut)
        case .standstillUnproven(let signal, let doubt):
            self.init(
                "nothing was sent: the vehicle does not prove that it is standing still "
                    + "(\(signal.name): \(doubt.text))",
                hint: Self.proofHint, status: .timedOut)
        case .settingsCannotBePutBack:
            self.init(
                "nothing was sent: earlier commands would be undone when the vehicle is "
                    + "asked whether its engine runs",
                hint: "send it in a separate run, or with --force", status: .timedOut)
        case .noProtocolForCheck:
            self.init(
                "nothing was sent: the vehicle did not answer when the adapter was set up, so it "
                    + "cannot be asked whether its engine runs",
                hint: Self.proofHint, status: .timedOut)
        case .settingNotConfirmed(let text):
            self.init(
                "nothing was sent: the adapter does not confirm \(text), so the vehicle cannot be "
                    + "asked whether its engine runs",
                hint: Self.proofHint, status: .timedOut)
        }
    }

    /// The hint if the vehicle did not prove that it stands still.
    private static let proofHint =
        "turn the ignition on with the engine off, and retry; --force sends it without this proof"
}

extension VehicleError {
    /// The error as commands throw it: an error of the session unchanged, any other as a
    /// ``Failure``.
    func told(of accessory: String) -> any Error {
        if case .session = self { self } else { Failure(self, accessory: accessory) }
    }
}

extension Vehicle {
    /// The failure if there is no answer to any of `asked`; nil if there is one.
    func failure(of asked: [QueryResult?]) -> Failure? {
        problem(of: asked).map { Failure($0, accessory: accessory) }
    }

    /// The failure of a request without a complete answer; nil if it is complete.
    func failure(of asked: QueryResult) -> Failure? {
        asked.error.map { Failure($0, accessory: accessory) }
    }
}

extension CodeScan {
    /// The failure if it is unknown which codes there are.
    func failure(_ vehicle: Vehicle) -> Failure? {
        problem(vehicle).map { Failure($0, accessory: vehicle.accessory) }
    }
}
