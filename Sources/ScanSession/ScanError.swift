public import Accessory
public import Adapters
public import ScanTool

/// Why a scan session cannot start, continue or answer.
public enum ScanError: Error, Hashable, Sendable {
    /// The adapter cannot be opened.
    case accessory(AccessoryError)
    /// The link was opened, but no adapter could be set up on it.
    case initialisation(InitialisationFailure)
    /// The adapter stopped answering and could not be set up again.
    case adapterSilent
    /// The adapter restarted again and again with this status.
    case adapterRestarted(AdapterStatus)
    /// The link was lost, and the session could not restore the link or was told not to try.
    case linkLost(AccessoryError)
    /// The request got no complete answer.
    case requestFailed(Failure, soFar: Answer)
    /// The request was refused.
    case refused(Refusal)
    /// The caller's descriptor became readable first.
    case interrupted
    /// The session was stopped.
    case stopped
    /// A thread or descriptor that the session needs cannot be made.
    case system(call: String, errno: Int32)
}
