import Diagnostics
import OBDCore
import Reports
import ScanTool
import VehicleScan

extension LiveModel {
    /// The part of the screen above the signals.
    package struct Header: Hashable, Sendable {
        /// The device as the user gave it: `sim:`.
        package var accessory = ""
        /// VIN or another name of the vehicle.
        package var vehicle: String?
        /// `ELM327 v2.1`.
        package var adapter: String?
        /// `ISO 15765-4 CAN, 11 bit, 500 kbit/s`.
        package var vehicleProtocol: String?
        /// Supply at the adapter; unit: V.
        package var voltage: Double?
        /// State of the scan tool.
        package var state = StateKind.initializing
        /// Whether polling is paused, for example because the vehicle is parked.
        package var isResting = false
        /// Whether nothing is polled, because the user removed every signal.
        package var asksNothing = false
        /// The trip that is being recorded.
        package var recording: Recording?
        /// What is missing and since when, with its reason; nil = nothing is known to be missing.
        package var loss: Loss?
        /// A notice for the user: a lost link, or a vehicle that does not answer.
        package var notice: String?
        /// Why the trip cannot be stored at the moment.
        package var storing: String?
        /// The alarms that were not over at the last readings.
        package var alarm: String?
        /// Whether the check engine light of any ECU is on; nil = not reported.
        package var light: Bool?
        /// The other lamps of SAE J1939; on if they are on at any ECU.
        package var lamps = CodeReport.Lamps(
            malfunction: nil, redStop: nil, amberWarning: nil, protect: nil)
        /// The number of codes that all ECUs report; nil = not reported.
        package var codes: Int?
    }

    /// A trip that is being recorded.
    package struct Recording: Hashable, Sendable {
        package var trip: Int64
        /// The local time of its start: `14:03`.
        package var since: String
        package var readings: Int

        package init(trip: Int64, since: String, readings: Int) {
            (self.trip, self.since, self.readings) = (trip, since, readings)
        }
    }

    /// What is missing while readings are polled.
    package struct Loss: Hashable, Sendable {
        package var kind: VehicleLoss
        package var start: Instant
        /// Why, in words; nil = the vehicle is only silent.
        package var reason: String?

        package init(_ kind: VehicleLoss, since start: Instant, reason: String?) {
            (self.kind, self.start, self.reason) = (kind, start, reason)
        }
    }
}

// MARK: Light and codes

extension LiveModel {
    /// Stores the state of an ECU's check engine light.
    package mutating func takeLight(_ isOn: Bool, of ecu: ECUAddress?, at time: Instant) {
        lightTime = time
        lights[ecu] = isOn
        header.light = lights.values.contains(true)
    }

    /// Stores the lamps of an ECU on SAE J1939.
    package mutating func takeLamps(
        _ lamps: CodeReport.Lamps, of ecu: ECUAddress?, at time: Instant
    ) {
        lightTime = time
        self.lamps[ecu] = lamps
        let all = self.lamps.values
        header.lamps.redStop = all.contains { $0.redStop == true }
        header.lamps.amberWarning = all.contains { $0.amberWarning == true }
        header.lamps.protect = all.contains { $0.protect == true }
    }

    /// Stores the number of codes of an ECU.
    package mutating func takeCodes(_ count: Int, of ecu: ECUAddress?) {
        counts[ecu] = count
        header.codes = counts.values.reduce(0, +)
    }

    /// The age of the check engine light; nil if it is current.
    package func lightAge(at now: Instant) -> Duration? {
        guard let lightTime else { return nil }
        let age = now - lightTime
        return age > (loss(at: now) == nil ? .seconds(60) : .seconds(2)) ? age : nil
    }
}
