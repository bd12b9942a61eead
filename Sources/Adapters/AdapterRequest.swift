public import OBDCore

/// One request through an adapter, to the vehicle or to the adapter itself.
public enum AdapterRequest: Hashable, Sendable {
    /// A request to the vehicle.
    case vehicle(VehicleRequest)
    /// A request to the adapter that its dialect translates.
    case action(id: RequestID, AdapterAction)
    /// A command for the adapter as the user typed it: `AT RV`.
    ///
    /// Without the user's consent a command is sent only if it is known to change nothing.
    case command(id: RequestID, text: String, mayRepeat: Bool, consent: Consent? = nil)
    /// A monitor command for the adapter as the user typed it: `AT MA`.
    ///
    /// The adapter prints every frame until it is stopped, at the latest after this time. Only for
    /// commands for which ``isMonitoring(_:)`` is true. Each line is reported as it arrives.
    ///
    /// With `filters`, only frames that pass one of them are of interest. Some adapters leave the
    /// other frames out; the caller has to filter anyway.
    case monitor(id: RequestID, text: String, atMost: Duration, filters: [CANFilter] = [])

    /// The identifier that returns with the outcome.
    public var id: RequestID {
        switch self {
        case .vehicle(let request): request.id
        case .action(let id, _), .command(let id, _, _, _), .monitor(let id, _, _, _): id
        }
    }

    /// The user's consent; nil if only requests that are known to read may be sent.
    public var consent: Consent? {
        switch self {
        case .vehicle(let request): request.consent
        case .command(_, _, _, let consent): consent
        case .action, .monitor: nil
        }
    }

    /// Whether the request may be repeated after a failure.
    ///
    /// Never for a request with consent. A request that writes needs consent, so it is never repeated.
    public var mayRepeat: Bool {
        switch self {
        case .vehicle(let request): request.mayRepeat
        case .command(_, _, let mayRepeat, let consent): mayRepeat && consent == nil
        case .action: true
        case .monitor: false
        }
    }

    /// Whether the request is for the vehicle.
    public var isForVehicle: Bool {
        switch self {
        case .vehicle: true
        case .action, .command, .monitor: false
        }
    }

    /// Makes the adapter wait for any number of answers.
    public mutating func dropFrameCount() {
        guard case .vehicle(var request) = self else { return }
        request.expectedFrames = nil
        self = .vehicle(request)
    }

    /// Whether an adapter command prints the bus traffic until it is stopped: `AT MA`, `AT MR 10`,
    /// `AT MP FECA`, `STM`.
    public static func isMonitoring(_ text: String) -> Bool {
        switch AdapterCommand(text) {
        case .monitor, .monitorGroup: true
        default: false
        }
    }

    /// Whether an adapter command may be sent without consent because it changes nothing that outlives the
    /// session.
    ///
    /// The list has the commands that are known to be harmless, so an unknown command counts as writing. The
    /// list has queries and volatile settings of the ELM327 and STN command sets, and `STPX` with a request
    /// that only reads.
    public static func isReadOnlyCommand(_ text: String) -> Bool {
        HarmlessCommands.contains(text)
    }
}
