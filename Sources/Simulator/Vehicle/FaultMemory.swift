import OBDCore

/// The codes of one ECU and the data that belong to them.
struct FaultMemory: Hashable, Sendable {
    /// The ECU's counters since the check engine light was turned on and since codes were cleared.
    struct Counters: Hashable, Sendable {
        /// km with the check engine light on.
        var distanceWithLamp = 0.0
        /// min with the check engine light on.
        var minutesWithLamp = 0.0
        /// km since codes were cleared.
        var distanceSinceClear = 0.0
        /// min with the engine running since codes were cleared.
        var minutesSinceClear = 0.0
        /// Warm-ups since codes were cleared.
        var warmUps = 0.0
    }

    /// The state of the vehicle when a code was set.
    struct FreezeFrame: Hashable, Sendable {
        /// The code that caused the freeze frame.
        var dtc: DTC
        /// The time of the state; unit: seconds since the drive began.
        var elapsed: Double
    }

    /// The same for a code of SAE J1939.
    struct ParameterFrame: Hashable, Sendable {
        /// The code that caused the record.
        var code: J1939Code
        /// The time of the state; unit: seconds since the drive began.
        var elapsed: Double
    }

    /// A code with the status byte of ISO 14229-1.
    struct StatusCode: Hashable, Sendable {
        /// The code, with its failure type.
        var dtc: DTC
        var status: UInt8
    }

    /// A code of SAE J1939 with the lamps that it turns on.
    struct ParameterFault: Hashable, Sendable {
        /// The faulty parameter and the failure mode.
        var code: J1939Code
        /// The first byte of DM1: 40 MIL, 10 red stop, 04 amber warning, 01 protect.
        var lamps: UInt8
    }

    var stored: [DTC] = []
    /// Codes that occurred in this or the last driving cycle.
    var pending: [DTC] = []
    /// Codes that only the ECU itself can clear.
    var permanent: [DTC] = []
    /// Codes that are reported by UDS and KWP with their own status, but not by the emissions services.
    var detailed: [StatusCode] = []
    /// Active codes of SAE J1939.
    var active: [ParameterFault] = []
    /// Previously active codes of SAE J1939.
    var inactive: [ParameterFault] = []
    /// Pending codes of SAE J1939.
    var maturing: [ParameterFault] = []
    /// Permanent codes of SAE J1939.
    var lasting: [ParameterFault] = []
    /// Whether a stored code turns on the check engine light in this ECU.
    var commandsLamp = true
    /// The freeze frames, number 0 first.
    var freezeFrames: [FreezeFrame] = []
    /// The freeze frames of codes of SAE J1939.
    var parameterFrames: [ParameterFrame] = []
    /// The time when codes were cleared; unit: seconds since the drive began, nil for before the drive.
    var cleared: Double?

    /// Whether the check engine light is commanded on.
    var lamp: Bool { commandsLamp && !stored.isEmpty }

    /// Clears everything that service 04 clears; permanent codes stay.
    mutating func clear(at elapsed: Double) {
        stored = []
        pending = []
        detailed = []
        active = []
        inactive = []
        maturing = []
        freezeFrames = []
        parameterFrames = []
        cleared = elapsed
    }

    /// The counters after `elapsed` seconds and `distance` km of the drive.
    func counters(elapsed: Double, distance: Double, distanceAtClear: Double) -> Counters {
        guard let cleared else {
            return Counters(
                distanceWithLamp: lamp ? 214 + distance : 0,
                minutesWithLamp: lamp ? 187 + elapsed / 60 : 0,
                distanceSinceClear: 3120 + distance, minutesSinceClear: 2894 + elapsed / 60,
                warmUps: 37)
        }
        return Counters(
            distanceSinceClear: max(0, distance - distanceAtClear),
            minutesSinceClear: max(0, elapsed - cleared) / 60)
    }
}
