import OBDCore

/// What one ECU can do: a part of a vehicle file, fixed while the vehicle drives.
struct ECUModel: Hashable, Sendable {
    /// Whom it listens to and which services it has.
    enum Role: String, Hashable, Sendable, CaseIterable {
        /// The emissions-related services of SAE J1979, asked functionally or physically.
        case obd
        /// Those of SAE J1979-2 (OBDonUDS) alone.
        case onUDS = "onuds"
        /// A module that has nothing to do with emissions: UDS on CAN, KWP on the K line, and only
        /// when it is asked at its own address.
        case diagnostics
        /// It never answers.
        case silent
    }

    /// A parameter group of SAE J1939.
    struct ParameterGroup: Hashable, Sendable {
        /// Its data; the identifier is the parameter group number.
        var record: DataRecord
        /// How often it is sent unasked; nil = only when asked for.
        var period: Duration?
        /// 0 (first) to 7.
        var priority: UInt8 = 6
    }

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
        var continuous: UInt8 = 0
        /// Byte C: what is supported.
        var supported: UInt8 = 0
        /// Byte D of PID 01: what is not complete since codes were cleared.
        var incomplete: UInt8 = 0
        /// Byte D of PID 41: what is not complete in this driving cycle.
        var incompleteThisCycle: UInt8 = 0
    }

    /// Text of info type 0A: up to four letters, then up to 15 characters.
    var acronym: String
    /// Text of info type 0A after the dash.
    var name: String
    /// Address byte: 10 for the engine, 18 for the transmission.
    var address: UInt8
    /// Its request and answer identifiers on CAN of their length; nil, and on the other one = those
    /// of OBD, from 7E0 and 7E8 on.
    var can: Identifiers?
    /// Whom it listens to.
    var role = Role.obd
    /// Services that it refuses, and with which code.
    var refusals: [UInt8: UInt8] = [:]
    /// Services that it answers late, after "response pending", and how late.
    var late: [UInt8: Duration] = [:]
    /// The vehicle's number, sent by the one ECU that knows it.
    var vin: String?
    /// Calibration identifications, up to 16 characters each.
    var calibrations: [String] = []
    /// Verification numbers, one for each calibration.
    var verification: [UInt32] = []
    /// In-use counters (info type 08 or 0B); empty where there are none.
    var inUse: [UInt16] = []
    /// PIDs other than support maps, 01, 02 and 41.
    var records: [DataRecord] = []
    /// PIDs of a freeze frame.
    var freezePIDs: [UInt32] = []
    /// Monitors.
    var readiness = Readiness()
    /// Results of service 06 on CAN.
    var monitorTests: [MonitorTest] = []
    /// Results of service 06 before CAN.
    var legacyTests: [LegacyTest] = []
    /// Constants and results of service 05.
    var oxygenTests: [OxygenTest] = []
    /// Data identifiers of UDS service 22 beyond the identification ones.
    var identifiers: [DataRecord] = []
    /// Local identifiers of KWP service 21.
    var localIdentifiers: [DataRecord] = []
    /// Identification options of KWP service 1A.
    var identification: [DataRecord] = []
    /// Parameter groups of SAE J1939 beyond the diagnostic messages.
    var groups: [ParameterGroup] = []
    /// What fills its CAN frames.
    var padding: UInt8 = 0x00
    /// Codes when the drive begins.
    var faults = FaultMemory()

    /// A pair of CAN identifiers.
    struct Identifiers: Hashable, Sendable {
        /// Where it is asked.
        var request: ECUAddress
        /// Where it answers.
        var answer: ECUAddress
    }

    /// Whether it knows SAE J1979-2 (OBDonUDS) instead of the classic services.
    var isOnUDS: Bool { role == .onUDS }

    /// Whether requests to everybody are for it.
    var isFunctional: Bool { role == .obd || role == .onUDS }
}
