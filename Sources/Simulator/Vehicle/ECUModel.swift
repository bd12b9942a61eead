import OBDCore

/// The abilities of one ECU: a part of a vehicle file that does not change during a drive.
struct ECUModel: Hashable, Sendable {
    /// The requests to which the ECU answers, and its services.
    enum Role: String, Hashable, Sendable, CaseIterable {
        /// The emissions-related services of SAE J1979, with functional or physical requests.
        case obd
        /// Only the services of SAE J1979-2 (OBDonUDS).
        case onUDS = "onuds"
        /// A module without emissions functions: UDS on CAN, KWP on the K line, and only for requests to its
        /// own address.
        case diagnostics
        /// The ECU never answers.
        case silent
    }

    /// A parameter group of SAE J1939.
    struct ParameterGroup: Hashable, Sendable {
        /// The group's data; the identifier is the parameter group number.
        var record: DataRecord
        /// The interval at which the group is sent without a request; nil to send it only on request.
        var period: Duration?
        /// 0 (first) to 7.
        var priority: UInt8 = 6
    }

    /// One result of service 06 on CAN; value and limits are raw counts.
    struct MonitorTest: Hashable, Sendable {
        var mid: UInt8
        var tid: UInt8
        /// Unit and scaling id.
        var uas: UInt8
        var value: UInt16
        var low: UInt16
        /// Upper limit.
        var high: UInt16
    }

    /// One result of service 06 before CAN.
    struct LegacyTest: Hashable, Sendable {
        var tid: UInt8
        /// Component id; bit 7 set: the limit is a minimum.
        var component: UInt8
        var value: UInt16
        var limit: UInt16
    }

    /// One constant or result of service 05.
    struct OxygenTest: Hashable, Sendable {
        var tid: UInt8
        /// The sensor as its one-hot mask.
        var sensor: UInt8
        /// Value, or value, minimum and maximum.
        var data: [UInt8]
    }

    /// The readiness monitors in the encoding of PIDs 01 and 41.
    struct Readiness: Hashable, Sendable {
        /// Compression ignition (bit 3 of byte B).
        var compression = false
        /// Misfire, fuel system, components: low three bits of byte B.
        var continuous: UInt8 = 0
        /// Byte C: supported monitors.
        var supported: UInt8 = 0
        /// Byte D of PID 01: monitors that have not completed since codes were cleared.
        var incomplete: UInt8 = 0
        /// Byte D of PID 41: monitors that have not completed in this driving cycle.
        var incompleteThisCycle: UInt8 = 0
    }

    /// Text of info type 0A: up to four letters, then up to 15 characters.
    var acronym: String
    /// Text of info type 0A after the dash.
    var name: String
    /// Address byte: 10 for the engine, 18 for the transmission.
    var address: UInt8
    /// The ECU's request and answer identifiers on CAN.
    ///
    /// If nil, and for identifiers of the other length, the identifiers of OBD are used, from 7E0 and 7E8 on.
    var can: Identifiers?
    /// The requests that the ECU answers.
    var role = Role.obd
    /// Services that the ECU refuses, with the code of the refusal.
    var refusals: [UInt8: UInt8] = [:]
    /// Services that the ECU answers late, after "response pending", with the delay.
    var late: [UInt8: Duration] = [:]
    /// The VIN, sent by the only ECU that has it.
    var vin: String?
    /// Calibration identifications, up to 16 characters each.
    var calibrations: [String] = []
    /// Verification numbers, one per calibration.
    var verification: [UInt32] = []
    /// In-use counters (info type 08 or 0B); empty if there are none.
    var inUse: [UInt16] = []
    /// PIDs except support maps, 01, 02 and 41.
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
    /// Data identifiers of UDS service 22 in addition to those for identification.
    var identifiers: [DataRecord] = []
    /// Local identifiers of KWP service 21.
    var localIdentifiers: [DataRecord] = []
    /// Identification options of KWP service 1A.
    var identification: [DataRecord] = []
    /// Parameter groups of SAE J1939 in addition to the diagnostic messages.
    var groups: [ParameterGroup] = []
    /// The padding of the ECU's CAN frames.
    var padding: UInt8 = 0x00
    /// The codes at the start of the drive.
    var faults = FaultMemory()

    struct Identifiers: Hashable, Sendable {
        var request: ECUAddress
        var answer: ECUAddress
    }

    /// Whether the ECU supports SAE J1979-2 (OBDonUDS) instead of the classic services.
    var isOnUDS: Bool { role == .onUDS }

    /// Whether the ECU answers functional requests.
    var isFunctional: Bool { role == .obd || role == .onUDS }
}
