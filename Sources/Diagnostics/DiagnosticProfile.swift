public import OBDCore

/// A query that is independent of the vehicle's services.
public enum DiagnosticQuery: Hashable, Sendable {
    /// The map of supported PIDs after 00, 20, 40, …
    case supportedPIDs(UInt8)
    /// Current values of PIDs.
    case currentData([UInt8])
    /// Monitors since codes were cleared, the check engine light and the number of codes.
    case readiness
    /// The same from PID 01, if ``readiness`` uses another request.
    case readinessByPID
    /// Monitors of this driving cycle.
    case readinessThisCycle
    /// The status of a readiness group's tests from its codes; only in SAE J1979-2.
    case readinessGroup(UInt8)
    /// The code that caused a freeze frame.
    case freezeFrameCode(frame: UInt8)
    /// A PID's value in a freeze frame.
    case freezeFrame(pid: UInt8, frame: UInt8)
    /// All freeze frames in one message: DM4 of SAE J1939.
    case freezeFrames
    /// The freeze frame data of a code; record FF means all records.
    case snapshot(DTC, record: UInt8)
    /// Codes by their status.
    case storedCodes, pendingCodes, permanentCodes
    /// Stored codes that are no longer active, if they are in a separate list.
    case previousCodes
    /// The map of supported monitor ids (before CAN: test ids) after 00, 20, …
    case supportedMonitors(UInt8)
    /// The test results of a monitor (before CAN: of a test).
    case monitorTests(UInt8)
    /// The map of supported info types after 00, 20, …
    case supportedInfoTypes(UInt8)
    /// An info type: 02 VIN, 04 calibration ids, 06 verification numbers, 0A ECU name.
    case information(UInt8)
    /// Clears codes and the data stored with them.
    ///
    /// The request writes: never repeat it, and never send it without consent.
    case clearCodes
}

/// The services in which to ask a vehicle; chosen by ``ProfileDiscovery``, never by a command.
public enum DiagnosticProfile: Hashable, Sendable, CaseIterable {
    /// SAE J1979 on CAN (ISO 15765-4).
    case classicCAN
    /// SAE J1979 on ISO 9141-2, ISO 14230-4 or SAE J1850.
    case classicLegacy
    /// SAE J1979-2 (OBDonUDS).
    ///
    /// Unverified, because they are only in one or two public programs or follow from the ranges of ISO
    /// 14229-1: the layout of F6xx, several DIDs per request, and snapshots by code. F501 and the readiness
    /// groups match three AUTOSAR stacks.
    case onUDS
    /// SAE J1939-73: a request is a parameter group number, most significant byte first.
    case j1939

    /// The classic profile of a protocol's family.
    public init(classic family: VehicleProtocol.Family) {
        switch family {
        case .can: self = .classicCAN
        case .j1850, .iso9141, .iso14230: self = .classicLegacy
        case .j1939: self = .j1939
        }
    }

    /// The request for `query`; nil if these services have none.
    public func request(for query: DiagnosticQuery) -> [UInt8]? {
        switch self {
        case .classicCAN: Self.classicRequest(query, isCAN: true)
        case .classicLegacy: Self.classicRequest(query, isCAN: false)
        case .onUDS: Self.requestOnUDS(query)
        case .j1939: Self.parameterGroup(query).map { [0x00, UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        }
    }

    /// Whether the request for `query` only reads.
    public func isReadOnly(_ query: DiagnosticQuery) -> Bool {
        switch query {
        case .clearCodes: false
        case .supportedPIDs, .currentData, .readiness, .readinessByPID, .readinessThisCycle,
            .readinessGroup, .freezeFrameCode, .freezeFrame, .freezeFrames, .snapshot,
            .storedCodes, .pendingCodes, .permanentCodes, .previousCodes, .supportedMonitors,
            .monitorTests,
            .supportedInfoTypes, .information:
            true
        }
    }

    private static func classicRequest(_ query: DiagnosticQuery, isCAN: Bool) -> [UInt8]? {
        switch query {
        case .supportedPIDs(let map): [0x01, map]
        case .currentData(let pids): list(pids, atMost: isCAN ? 6 : 1).map { [0x01] + $0 }
        case .readiness: [0x01, 0x01]
        case .readinessByPID, .readinessGroup: nil
        case .readinessThisCycle: [0x01, 0x41]
        case .freezeFrameCode(let frame): [0x02, 0x02, frame]
        case .freezeFrame(let pid, let frame): [0x02, pid, frame]
        case .freezeFrames, .snapshot: nil
        case .storedCodes: [0x03]
        case .pendingCodes: [0x07]
        // Service 0A was added with CAN.
        case .permanentCodes: isCAN ? [0x0A] : nil
        case .previousCodes: nil
        case .supportedMonitors(let map): [0x06, map]
        case .monitorTests(let id): [0x06, id]
        case .supportedInfoTypes(let map): [0x09, map]
        case .information(let infoType): [0x09, infoType]
        case .clearCodes: [0x04]
        }
    }

    private static func requestOnUDS(_ query: DiagnosticQuery) -> [UInt8]? {
        switch query {
        case .supportedPIDs(let map): [0x22, 0xF4, map]
        case .currentData(let pids):
            list(pids, atMost: 6).map { [0x22] + $0.flatMap { [0xF4, $0] } }
        case .readiness: [0x22, 0xF5, 0x01]
        case .readinessByPID: [0x22, 0xF4, 0x01]
        case .readinessThisCycle: [0x22, 0xF4, 0x41]
        // Functional group 33 is emissions.
        case .readinessGroup(let group): [0x19, 0x56, 0x33, group]
        // Freeze frames belong to codes here.
        case .freezeFrameCode, .freezeFrame, .freezeFrames: nil
        case .snapshot(let code, let record):
            [
                0x19, 0x04, UInt8(code.code >> 8), UInt8(code.code & 0xFF), code.failureType ?? 0,
                record,
            ]
        // Functional group 33 is emissions; then status mask and severity mask.
        case .storedCodes: [0x19, 0x42, 0x33, 0x08, 0xFF]
        case .pendingCodes: [0x19, 0x42, 0x33, 0x04, 0xFF]
        case .permanentCodes: [0x19, 0x55, 0x33]
        case .previousCodes: nil
        case .supportedMonitors(let map): [0x22, 0xF6, map]
        case .monitorTests(let id): [0x22, 0xF6, id]
        case .supportedInfoTypes(let map): [0x22, 0xF8, map]
        case .information(let infoType): [0x22, 0xF8, infoType]
        case .clearCodes: [0x14, 0xFF, 0xFF, 0x33]
        }
    }

    /// DM1 active, DM2 previously active, DM4 freeze frames, DM5 readiness, DM6 pending, DM11 clear, DM28
    /// permanent; FEEC is the VIN.
    private static func parameterGroup(_ query: DiagnosticQuery) -> UInt32? {
        switch query {
        case .storedCodes: 0xFECA
        case .pendingCodes: 0xFECF
        case .permanentCodes: 0xFD80
        case .previousCodes: 0xFECB
        case .readiness: 0xFECE
        case .freezeFrames: 0xFECD
        case .information(0x02): 0xFEEC
        case .clearCodes: 0xFED3
        case .supportedPIDs, .currentData, .readinessByPID, .readinessThisCycle,
            .readinessGroup, .freezeFrameCode, .freezeFrame, .snapshot, .supportedMonitors,
            .monitorTests, .supportedInfoTypes, .information:
            nil
        }
    }

    private static func list(_ pids: [UInt8], atMost count: Int) -> [UInt8]? {
        (1...count).contains(pids.count) ? pids : nil
    }
}
