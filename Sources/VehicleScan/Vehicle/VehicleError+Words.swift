import Accessory
import Adapters
import Diagnostics
public import OBDCore
import ScanSession

extension VehicleError: CustomStringConvertible {
    /// The error in one line.
    public var description: String {
        if case .session(let error) = self { return error.description }
        return explanation(at: "the vehicle").line
    }
}

extension VehicleError: ExplainedAt {
    /// Why the vehicle at an accessory could not be asked or did not answer.
    public func explanation(at accessory: String) -> Explanation {
        switch self {
        case .session(let error): return error.explanation(at: accessory)
        case .adapterSaid(let status): return status.explanation(insteadOfAnswerAt: accessory)
        case .noAnswer:
            return Explanation(
                "\(accessory): no ECU answered", hint: "turn the ignition on", .timedOut)
        case .silentECU(let ecu, let others):
            return Explanation(
                "\(accessory): \(ecu) does not answer; these ECUs do: "
                    + others.map(\.description).joined(separator: ", "),
                hint: "leave --ecu out to ask all of them", .timedOut)
        case .takesNoCommands(let text):
            return Explanation(
                "\(accessory): no adapter there takes commands such as \(text)",
                hint: "send requests to the vehicle: obdscan send 010C", .unavailable)
        case .codeListMissing(let kind, let ecu):
            return Explanation(
                "\(ecu?.description ?? accessory): the list of \(kind.rawValue) codes did not come",
                hint: "turn the ignition on, then try again", .timedOut)
        case .codesNotSettled(let kind, let ecu, let meanings):
            return Explanation(
                "\(ecu?.description ?? accessory): the list of \(kind.rawValue) codes is not settled: "
                    + meanings.joined(separator: ", or "),
                hint: "--protocol 6 reads it as CAN, --protocol 3 as ISO 9141-2",
                .badInput)
        case .codesMissing(let number, let listed, let ecu):
            let codes = counted(number, "stored code")
            return Explanation(
                "\(ecu?.description ?? accessory): it counts \(codes), but lists \(listed)",
                hint: "read them again with the ignition on", .timedOut)
        case .announcesNothing:
            return Explanation(
                "\(accessory): the vehicle announces no signals",
                hint: "name them: \"obdscan live rpm speed\"", .timedOut)
        case .notReported(let signals, let ecu):
            return Explanation(
                "\(accessory): \(Self.text(notReported: signals, by: ecu).midSentence)",
                hint: "\"obdscan pids list --supported\" lists the supported signals", .unavailable)
        case .unknownSignal(let unknown):
            return Explanation(
                "\(accessory): \(unknown.text)",
                hint: unknown.isOnlyHeard
                    ? (unknown.isOfForeignGroup ? "" : "other adapters only listen: ")
                        + "\"obdscan live --listen\""
                    : "\"obdscan pids list --supported\" lists the supported signals", .unavailable)
        case .needsSingleECU(let record, let target):
            return Explanation(
                "\(record.dataID) (\(record.name)) is asked at \(target), and this adapter can "
                    + "only ask all ECUs at once",
                hint: "an ELM327 or an OBDLink can ask one", .unavailable)
        case .wrongAddressForm(let record, let target, let spoken):
            let hint: String? =
                switch target.form {
                case .can29: "--protocol 7 asks on 29-bit CAN"
                case .can11: "--protocol 6 asks on 11-bit CAN"
                case .byte, .logical: nil
                }
            return Explanation(
                "\(record.dataID) (\(record.name)) is asked at \(target), and this vehicle "
                    + "speaks \(spoken.title)", hint: hint, .usage)
        case .otherVehicle(let record, let vin):
            let wanted =
                "\(record.dataID) (\(record.name)) is for vehicles "
                + (record.vehicles.map(\.text)
                + record.years.map { "of \($0.lowerBound) to \($0.upperBound)" })
                .joined(separator: ", ")
            if let vin {
                return Explanation(
                    "\(wanted), this is \(vin.text)",
                    hint: "leave its signals out, or use the table of this vehicle",
                    .usage)
            } else {
                return Explanation(
                    "\(wanted), and this one does not report its VIN",
                    hint: "without a `vehicle` line the table is for any vehicle",
                    .unavailable)
            }
        case .inMotion(let signal):
            return Explanation(
                "refused while \(signal.motion)",
                hint:
                    "stop the engine, turn the ignition on, then try again; --force overrides this",
                .timedOut)
        case .standstillUnproven(let signal, let doubt):
            return Explanation(
                "nothing was sent: the vehicle does not prove that it is standing still "
                    + "(\(signal.name): \(doubt.text))",
                hint: Self.proofHint, .timedOut)
        case .settingsCannotBePutBack:
            return Explanation(
                "nothing was sent: earlier commands would be undone when the vehicle is "
                    + "asked whether its engine runs",
                hint: "send it in a separate run, or with --force", .timedOut)
        case .noProtocolForCheck:
            return Explanation(
                "nothing was sent: the vehicle did not answer when the adapter was set up, so it "
                    + "cannot be asked whether its engine runs",
                hint: Self.proofHint, .timedOut)
        case .settingNotConfirmed(let text):
            return Explanation(
                "nothing was sent: the adapter does not confirm \(text), so the vehicle cannot be "
                    + "asked whether its engine runs",
                hint: Self.proofHint, .timedOut)
        }
    }

    /// `This vehicle does not report boost pressure A (PID 70)`.
    package static func text(notReported signals: [String], by ecu: ECUAddress?) -> String {
        "\(ecu.map { "ECU \($0)" } ?? "This vehicle") does not report "
            + signals.joined(separator: ", ")
    }

    /// The hint if the vehicle did not prove that it stands still.
    private static let proofHint =
        "turn the ignition on with the engine off, and retry; --force sends it without this proof"
}
