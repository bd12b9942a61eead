public import OBDCore

/// One request through an adapter: to the vehicle, or to the adapter itself.
public enum AdapterRequest: Hashable, Sendable {
    /// To the vehicle.
    case vehicle(VehicleRequest)
    /// To the adapter, as typed: `AT RV`.
    case command(id: RequestID, text: String, mayRepeat: Bool)
    /// To the adapter, as typed: `AT MA`.
    ///
    /// It prints what it hears until it is stopped, at the latest
    /// after so long. A request that ``isMonitoring(_:)``; each line is told as it comes.
    case monitor(id: RequestID, text: String, atMost: Duration)

    /// Carried back with the outcome.
    public var id: RequestID {
        switch self {
        case .vehicle(let request): request.id
        case .command(let id, _, _), .monitor(let id, _, _): id
        }
    }

    /// Whether it may be sent again after a failure.
    ///
    /// Never for a request that writes.
    public var mayRepeat: Bool {
        switch self {
        case .vehicle(let request): request.mayRepeat
        case .command(_, _, let mayRepeat): mayRepeat
        case .monitor: false
        }
    }

    /// Whether it goes to the vehicle.
    public var isForVehicle: Bool {
        switch self {
        case .vehicle: true
        case .command, .monitor: false
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
        if case .transmit(let payload?) = AdapterCommand(text) {
            // A control character would end the command early and begin another.
            return VehicleRequest.isReadOnly(payload) && text.utf8.allSatisfy { $0 >= 0x20 }
        }
        return HarmlessCommands.contains(text)
    }
}
