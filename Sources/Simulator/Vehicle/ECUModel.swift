import OBDCore

/// What one ECU can do: a part of a scenario, fixed while the vehicle drives.
struct ECUModel: Sendable {
    /// One result of service 06 on CAN; value and limits are raw counts.
    struct MonitorTest: Hashable, Sendable {
        /// Monitor id.
        var mid: UInt8
        /// Test id.
        var tid: UInt8
        /// Unit and scaling id.
        var uas: UInt8
        /// The result.
        var value: UInt16
        /// Lower limit.
        var low: UInt16
        /// Upper limit.
        var high: UInt16
    }

    /// One result of service 06 before CAN.
    struct LegacyTest: Hashable, Sendable {
        /// Test id.
        var tid: UInt8
        /// Component id; bit 7 set: the limit is a minimum.
        var component: UInt8
        /// The result.
        var value: UInt16
        /// The limit.
        var limit: UInt16
    }

    /// One constant or result of service 05.
    struct OxygenTest: Hashable, Sendable {
        /// Test id.
        var tid: UInt8
        /// The sensor as its one-hot mask.
        var sensor: UInt8
        /// Value, or value, minimum and maximum.
        var data: [UInt8]
    }

    /// The readiness monitors, as PID 01 and 41 code them.
    struct Readiness: Hashable, Sendable {
        /// Compression ignition (bit 3 of byte B).
        var compression = false
        /// Misfire, fuel system, components: low three bits of byte B.
        var continuous: UInt8 = 0x07
        /// Byte C: what is supported.
        var supported: UInt8 = 0
        /// Byte D of PID 01: what is not complete since codes were cleared.
        var incomplete: UInt8 = 0
        /// Byte D of PID 41: what is not complete in this driving cycle.
        var incompleteThisCycle: UInt8 = 0
    }

    /// Text of info type 0A: up to four letters, then up to 15 characters.
    var acronym: String
    /// Text of info type 0A behind the dash.
    var name: String
    /// Address byte: 10 for the engine, 18 for the transmission.
    var address: UInt8
    /// The vehicle's number, sent by the one ECU that knows it.
    var vin: String?
    /// Calibration identifications, up to 16 characters each.
    var calibrations: [String]
    /// Verification numbers, one for each calibration.
    var verification: [UInt32]
    /// In-use counters (info type 08 or 0B); empty where there are none.
    var inUse: [UInt16] = []
    /// PIDs other than support maps, 01, 02 and 41.
    var records: [DataRecord]
    /// PIDs of a freeze frame.
    var freezePIDs: [UInt32] = []
    /// Monitors.
    var readiness: Readiness
    /// Results of service 06 on CAN.
    var monitorTests: [MonitorTest] = []
    /// Results of service 06 before CAN.
    var legacyTests: [LegacyTest] = []
    /// Constants and results of service 05.
    var oxygenTests: [OxygenTest] = []
    /// Data identifiers of UDS service 22 beyond the identification ones.
    var identifiers: [DataRecord] = []
    /// Whether it knows SAE J1979-2 (OBDonUDS) instead of the classic services.
    var isOnUDS = false
    /// What fills its CAN frames.
    var padding: UInt8 = 0x00
    /// Codes when the drive begins.
    var faults = FaultMemory()
}
