/// How to react to a status from the adapter instead of data.
public enum AdapterRecovery: Hashable, Sendable {
    /// A normal answer: the vehicle does not support the request.
    ///
    /// There is nothing to fix.
    case normal
    /// Repeat the request up to this many times, if it may be repeated.
    case retry(times: Int)
    /// Initialise the adapter again, then repeat the request if it may be repeated.
    case initialise
    /// Report the fault to the user, because only the user can fix it (ignition, wiring, power).
    case report
    /// Stop using the command.
    case dropFeature
}

extension AdapterStatus {
    /// How to react to this status.
    ///
    /// Sources: the error texts in the ELM327 data sheet. To add a row, see `docs/hacking.md`.
    public var recovery: AdapterRecovery {
        switch self {
        // The ECU does not support the request; in OBD an ECU shows that by silence.
        case .noData: .normal
        // A search over all protocols failed: ignition off, or no vehicle.
        case .unableToConnect: .report
        // Ignition off or the wrong K-line protocol.
        case .busInitError: .report
        // Other nodes use the bus; it may be free a moment later.
        case .busBusy: .retry(times: 2)
        // A short or open wire, or a wrong protocol.
        case .busError: .report
        // No acknowledgement: no ECU on the bus, or a wrong bit rate.
        case .canError: .report
        // The controller of a raw CAN link reports the same faults: wiring, bit rate, ignition.
        case .busOff, .errorPassive, .wireFault, .notAcknowledged: .report
        // Disturbed transmission.
        case .dataError: .retry(times: 2)
        case .rxError: .retry(times: 2)
        // The line is too slow for the answers; a shorter request may fit.
        case .bufferFull: .retry(times: 1)
        // The adapter's own output stage.
        case .feedbackError: .report
        // A character from this program arrived too early and interrupted the adapter.
        case .stopped: .retry(times: 1)
        // The ECU did not accept a long request.
        case .flowControlTimeout: .retry(times: 1)
        // The adapter restarted and lost its settings.
        case .lowVoltageReset: .initialise
        case .internalError, .fatalCANError: .initialise
        // The request was not sent, or its answer comes later.
        case .activityAlert, .lowPowerAlert, .confirmation: .retry(times: 1)
        // The adapter is older than the command.
        case .unknownCommand: .dropFeature
        // ISO 13400-2, codes of 8003: a wrong address does not become right.
        case .sourceRefused, .unknownTarget, .requestTooLong, .unknownNetwork,
            .messageRefused:
            .report
        // The ECU sleeps, or its network is off.
        case .targetUnreachable: .report
        // The gateway may have memory, or the bus may be free, a moment later.
        case .gatewayBusy: .retry(times: 2)
        case .transportFailed: .retry(times: 1)
        }
    }
}
