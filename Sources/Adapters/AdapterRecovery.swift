/// What to do after an adapter's word instead of data.
public enum AdapterRecovery: Hashable, Sendable {
    /// A normal answer: the vehicle has no such thing. Nothing to fix.
    case normal
    /// Ask again, this many times at most, if the request may be repeated.
    case retry(times: Int)
    /// Initialise the adapter again, then ask again if the request may be repeated.
    case initialise
    /// Tell the user: only they can fix it (ignition, wiring, power).
    case report
    /// Do without the command.
    case dropFeature
}

extension AdapterStatus {
    /// What to do about it.
    ///
    /// Sources: ELM327 data sheet's error texts; see also
    /// `docs/hacking.md` for adding a row.
    public var recovery: AdapterRecovery {
        switch self {
        // The ECU does not answer this; silence is how OBD says "not supported".
        case .noData: .normal
        // A search over all protocols failed: ignition off, or no vehicle.
        case .unableToConnect: .report
        // Ignition off or the wrong K-line protocol.
        case .busInitError: .report
        // Others were talking; a moment later the bus may be free.
        case .busBusy: .retry(times: 2)
        // A short or open wire, or a wrong protocol.
        case .busError: .report
        // No acknowledgement: no ECU on the bus, or a wrong bit rate.
        case .canError: .report
        // Disturbed transmission.
        case .dataError: .retry(times: 2)
        case .rxError: .retry(times: 2)
        // The line is too slow for what came; a shorter request may fit.
        case .bufferFull: .retry(times: 1)
        // The adapter's own output stage.
        case .feedbackError: .report
        // One of our characters came too early.
        case .stopped: .retry(times: 1)
        // The ECU did not let us send a long request.
        case .flowControlTimeout: .retry(times: 1)
        // The adapter restarted and lost its settings.
        case .lowVoltageReset: .initialise
        case .internalError: .initialise
        // The adapter is older than the command.
        case .unknownCommand: .dropFeature
        // ISO 13400-2, codes of 8003: a wrong address stays wrong.
        case .sourceRefused, .unknownTarget, .requestTooLong, .unknownNetwork,
            .messageRefused:
            .report
        // The ECU sleeps, or its network is off.
        case .targetUnreachable: .report
        // A moment later there may be room, or a free bus.
        case .gatewayBusy: .retry(times: 2)
        case .transportFailed: .retry(times: 1)
        }
    }
}
