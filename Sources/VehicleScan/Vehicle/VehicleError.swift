public import Adapters
public import Diagnostics
public import OBDCore
public import ScanSession

/// Why a vehicle could not be asked, or did not answer the request.
public enum VehicleError: Error, Hashable, Sendable {
    /// The session could not start, continue or answer.
    case session(ScanError)

    // MARK: No answer

    /// The adapter reported this status instead of an ECU's answer.
    case adapterSaid(AdapterStatus)
    /// No ECU answered.
    case noAnswer
    /// The chosen ECU does not answer, but these do.
    case silentECU(ECUAddress, others: [ECUAddress])
    /// This link has no adapter that accepts such a command.
    case takesNoCommands(String)
    /// The list of codes with this status is not complete; the ECU is nil if headers are off.
    case codeListMissing(CodeReport.Kind, of: ECUAddress?)
    /// The list of codes with this status has these meanings, and nothing tells which one is right.
    case codesNotSettled(CodeReport.Kind, of: ECUAddress?, [String])
    /// The ECU counts more stored codes than its list holds; the ECU is nil if headers are off.
    case codesMissing(counted: Int, listed: Int, of: ECUAddress?)
    /// The vehicle announces no signals.
    case announcesNothing
    /// The vehicle's lists of PIDs do not have these signals; nil = no ECU has them.
    case notReported([String], by: ECUAddress?)
    /// No service of the vehicle has a signal of this name.
    case unknownSignal(ResolvedSignals.Unknown)

    // MARK: Records of a table

    /// The record belongs to a single ECU, but the adapter can only ask all ECUs.
    case needsSingleECU(PIDTable.Record, at: ECUAddress)
    /// The form of the record's address does not exist in the vehicle's protocol.
    case wrongAddressForm(PIDTable.Record, at: ECUAddress, on: VehicleProtocol)
    /// The record is for certain vehicles, but this one has another VIN, or (nil) none.
    case otherVehicle(PIDTable.Record, VIN?)

    // MARK: Safety

    /// The vehicle reports that its engine runs or that it moves.
    case inMotion(StandstillSignal)
    /// The vehicle does not prove that it stands still.
    case standstillUnproven(StandstillSignal, Doubt)
    /// The settings that the user typed before the check cannot be restored after it.
    case settingsCannotBePutBack
    /// The vehicle did not answer during the set-up, so the check has no protocol to use.
    case noProtocolForCheck
    /// The adapter does not confirm a setting that the check needs.
    case settingNotConfirmed(String)

    /// Why an answer proves nothing.
    public enum Doubt: Hashable, Sendable {
        /// No ECU answered, or all of them refused.
        case noAnswer
        /// The exchange was interrupted.
        case incomplete
        /// A part of the answer is damaged.
        case damaged
        /// The adapter reported a fault.
        case adapterSaid(AdapterStatus)
        /// The value has a wrong length, or means that there is no value.
        case unusable
        /// The answer belongs to another request.
        case otherRequest
        /// An ECU gave two different answers to one request.
        case contradiction
        /// This ECU was heard before and reports neither zero nor that it lacks the value.
        case noProof(of: ECUAddress)
    }
}
