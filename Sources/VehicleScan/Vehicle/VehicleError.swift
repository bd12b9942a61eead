public import Adapters
public import Diagnostics
public import OBDCore
public import ScanSession

/// Why a vehicle could not be asked, or did not say what was asked.
public enum VehicleError: Error, Hashable, Sendable {
    /// The session could not start, go on or answer.
    case session(ScanError)

    // MARK: No answer

    /// The adapter said this where an ECU should have answered.
    case adapterSaid(AdapterStatus)
    /// No ECU answered.
    case noAnswer
    /// At the end of this link is no adapter that takes such a command.
    case takesNoCommands(String)
    /// The list of codes of one kind did not come whole; the ECU is nil where headers are off.
    case codeListMissing(CodeReport.Kind, of: ECUAddress?)
    /// The vehicle announces no signals.
    case announcesNothing
    /// No service of the vehicle has a signal of this name.
    case unknownSignal(ResolvedSignals.Unknown)

    // MARK: Records of a table

    /// The record belongs to one ECU, and the adapter can only ask all of them.
    case needsSingleECU(PIDTable.Record, at: ECUAddress)
    /// The record's address has a form that the vehicle's protocol does not have.
    case wrongAddressForm(PIDTable.Record, at: ECUAddress, on: VehicleProtocol)
    /// The record is for certain vehicles; this one has another number, or (nil) has none.
    case otherVehicle(PIDTable.Record, VIN?)

    // MARK: Safety

    /// The vehicle reports that its engine runs or that it moves.
    case inMotion(StandstillSignal)
    /// The vehicle does not prove that it stands still.
    case standstillUnproven(StandstillSignal, Doubt)
    /// What was typed before the check cannot be put back after it.
    case settingsCannotBePutBack
    /// The vehicle was silent at set-up, so that the check has no protocol to use.
    case noProtocolForCheck
    /// The adapter does not confirm a setting that the check needs.
    case settingNotConfirmed(String)

    /// Why an answer proves nothing.
    public enum Doubt: Hashable, Sendable {
        /// No ECU answered, or all of them refused.
        case noAnswer
        /// The exchange broke off.
        case incomplete
        /// A part of the answer is damaged.
        case damaged
        /// The adapter reported a fault.
        case adapterSaid(AdapterStatus)
        /// The value has a wrong length, or stands for no value.
        case unusable
        /// The answer belongs to another request.
        case otherRequest
    }
}
