public import OBDCore

/// One request through an adapter: to the vehicle, or to the adapter itself.
public enum AdapterRequest: Hashable, Sendable {
    /// To the vehicle.
    case vehicle(VehicleRequest)
    /// To the adapter, in the words of its dialect.
    case action(id: RequestID, AdapterAction)
    /// To the adapter, as typed: `AT RV`.
    ///
    /// Without a person's consent it is sent only where it is known to change nothing.
    case command(id: RequestID, text: String, mayRepeat: Bool, consent: Consent? = nil)
    /// To the adapter, as typed: `AT MA`.
    ///
    /// It prints what it hears until it is stopped, at the latest
    /// after this long. A request that ``isMonitoring(_:)``; each line is told as it comes.
    case monitor(id: RequestID, text: String, atMost: Duration)

    /// Carried back with the outcome.
    public var id: RequestID {
        switch self {
        case .vehicle(let request): request.id
        case .action(let id, _), .command(let id, _, _, _), .monitor(let id, _, _): id
        }
    }

    /// A person's consent to it; nil = only what is known to read is sent.
    public var consent: Consent? {
        switch self {
        case .vehicle(let request): request.consent
        case .command(_, _, _, let consent): consent
        case .action, .monitor: nil
        }
    }

    /// Whether it may be sent again after a failure.
    ///
    /// Never for a request with a person's consent, and what writes is not sent without it.
    public var mayRepeat: Bool {
        switch self {
        case .vehicle(let request): request.mayRepeat
        case .command(_, _, let mayRepeat, let consent): mayRepeat && consent == nil
        case .action: true
        case .monitor: false
        }
    }

    /// Whether it goes to the vehicle.
    public var isForVehicle: Bool {
        switch self {
        case .vehicle: true
        case .action, .command, .monitor: false
        }
    }

    /// Lets the adapter wait for as many answers as may come.
    public mutating func dropFrameCount() {
        guard case .vehicle(var request) = self else { return }
        request.expectedFrames = nil
        self = .vehicle(request)
    }

    /// Whether an adapter command prints what it hears on the bus until it is stopped: `AT MA`,
    /// `AT MR 10`, `AT MP FECA`, `STM`.
    public static func isMonitoring(_ text: String) -> Bool {
        switch AdapterCommand(text) {
        case .monitor, .monitorGroup: true
        default: false
        }
    }

    /// Whether an adapter command may be sent without asking anyone: it changes nothing that
    /// outlives the session.
    ///
    /// A list of what is known to be harmless, so that whatever is not known counts as writing:
    /// queries and volatile settings of the ELM327 and STN command sets, and `STPX` with a request
    /// that reads.
    public static func isReadOnlyCommand(_ text: String) -> Bool {
        HarmlessCommands.contains(text)
    }
}
