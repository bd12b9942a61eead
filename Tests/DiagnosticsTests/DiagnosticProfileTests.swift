import Diagnostics
import OBDCore
import Testing

@Suite struct `Profiles` {
    private static let code = DTC(0x0133, failureType: 0x1C)

    // Requests: SAE J1979; SAE J1979-2 as two public programs send it; SAE J1939-73.
    @Test(
        arguments: [
            (.supportedPIDs(0x20), "0120", "0120", "22F420", nil),
            (.currentData([0x0C]), "010C", "010C", "22F40C", nil),
            (.currentData([0x0C, 0x0D]), "010C0D", nil, "22F40CF40D", nil),
            (.currentData([]), nil, nil, nil, nil),
            (.currentData([1, 2, 3, 4, 5, 6, 7]), nil, nil, nil, nil),
            (.readiness, "0101", "0101", "22F501", "00FECE"),
            (.readinessByPID, nil, nil, "22F401", nil),
            (.readinessGroup(0x04), nil, nil, "19563304", nil),
            (.readinessThisCycle, "0141", "0141", "22F441", nil),
            (.freezeFrameCode(frame: 0), "020200", "020200", nil, nil),
            (.freezeFrame(pid: 0x0C, frame: 1), "020C01", "020C01", nil, nil),
            (.freezeFrames, nil, nil, nil, "00FECD"),
            (.snapshot(code, record: 0xFF), nil, nil, "190401331CFF", nil),
            (.storedCodes, "03", "03", "19423308FF", "00FECA"),
            (.pendingCodes, "07", "07", "19423304FF", "00FECF"),
            (.permanentCodes, "0A", nil, "195533", "00FD80"),
            (.supportedMonitors(0x00), "0600", "0600", "22F600", nil),
            (.monitorTests(0x01), "0601", "0601", "22F601", nil),
            (.supportedInfoTypes(0x00), "0900", "0900", "22F800", nil),
            (.information(0x02), "0902", "0902", "22F802", "00FEEC"),
            (.information(0x04), "0904", "0904", "22F804", nil),
            (.clearCodes, "04", "04", "14FFFF33", "00FED3"),
        ] as [(DiagnosticQuery, String?, String?, String?, String?)])
    func `a query becomes the request of each profile`(
        query: DiagnosticQuery, can: String?, legacy: String?, onUDS: String?, j1939: String?
    ) {
        func text(_ profile: DiagnosticProfile) -> String? {
            profile.request(for: query).map { Hex.string($0) }
        }
        #expect(text(.classicCAN) == can)
        #expect(text(.classicLegacy) == legacy)
        #expect(text(.onUDS) == onUDS)
        #expect(text(.j1939) == j1939)
    }

    @Test func `only clearing writes, as in the list of harmless requests`() throws {
        let queries: [DiagnosticQuery] = [
            .supportedPIDs(0), .currentData([0x0C]), .readiness, .readinessByPID,
            .readinessThisCycle, .readinessGroup(1),
            .freezeFrameCode(frame: 0), .freezeFrame(pid: 0x0C, frame: 0),
            .freezeFrames, .snapshot(Self.code, record: 0), .storedCodes, .pendingCodes,
            .permanentCodes,
            .supportedMonitors(0), .monitorTests(1), .supportedInfoTypes(0), .information(2),
            .clearCodes,
        ]
        for profile in DiagnosticProfile.allCases {
            for query in queries {
                guard let request = profile.request(for: query) else { continue }
                #expect(profile.isReadOnly(query) == VehicleRequest.isReadOnly(request))
            }
        }
    }
}

@Suite struct `Records in other services` {
    @Test(
        arguments: [
            ("01:0C", "01:0C", "22:F40C", nil), ("09:02", "09:02", "22:F802", nil),
            ("06:01", "06:01", "22:F601", nil), ("02:0C", "02:0C", nil, nil),
            ("22:F190", "22:F190", "22:F190", nil), ("FE:00F004", nil, nil, "FE:00F004"),
        ] as [(String, String?, String?, String?)])
    func `the profile decides the service of a record`(
        name: String, classic: String?, onUDS: String?, j1939: String?
    ) throws {
        let id = try #require(DataID(name))
        #expect(DiagnosticProfile.classicCAN.place(of: id)?.description == classic)
        #expect(DiagnosticProfile.onUDS.place(of: id)?.description == onUDS)
        #expect(DiagnosticProfile.j1939.place(of: id)?.description == j1939)
    }

    @Test(arguments: [
        ("01:0C", "010C"), ("02:0C", "020C00"), ("22:F40C", "22F40C"), ("21:05", "2105"),
        ("FE:00F004", "00F004"), ("FE:00FEEC", "00FEEC"),
    ])
    func `the request for a single record is complete`(name: String, request: String) throws {
        #expect(Hex.string(try #require(DataID(name)).requestPayload) == request)
    }

    // SAE J1939-71: EEC1 (61444) has the engine speed, CCVS (65265) has the vehicle speed.
    @Test func `engine and vehicle speed have the identifiers of the profile`() {
        let profiles: [DiagnosticProfile] = [.classicCAN, .classicLegacy, .onUDS]
        for profile in profiles {
            #expect(profile.engineSpeed == DataID(.currentData, 0x0C))
            #expect(profile.vehicleSpeed == DataID(.currentData, 0x0D))
            #expect(profile.announcesRecords && !profile.clearsByECU)
            #expect(profile.isMeasured(DataID(.currentData, 0x0C)))
            #expect(!profile.isMeasured(DataID(DataID.parameterGroups, 61_444)))
        }
        #expect(DiagnosticProfile.j1939.engineSpeed == DataID(DataID.parameterGroups, 61_444))
        #expect(DiagnosticProfile.j1939.vehicleSpeed == DataID(DataID.parameterGroups, 65_265))
        #expect(!DiagnosticProfile.j1939.announcesRecords && DiagnosticProfile.j1939.clearsByECU)
        #expect(!DiagnosticProfile.j1939.isMeasured(DataID(.currentData, 0x0C)))
    }

    @Test func `the address of the table is asked, unless the user chooses another ECU`() {
        let engine = ECUAddress(0x7E8, .can11)
        let gearbox = ECUAddress(0x7E9, .can11)
        let battery = ECUAddress(0x7EC, .can11)
        var table = PIDTable()
        table.add(DataID(.currentData, 0x0C), name: "Engine speed", length: 2...2, signals: [])
        let anyone = table.records[0].route(to: gearbox)
        #expect(anyone.target == gearbox.physicalRequest && anyone.responder == nil)
        #expect(table.records[0].route(to: nil).target == nil)
        var other = table.records[0]
        other.target = battery.physicalRequest
        other.responder = battery
        #expect(other.route(to: battery).target == battery.physicalRequest)
        #expect(other.route(to: engine).target == engine.physicalRequest)
        #expect(other.route(to: engine).responder == nil)
    }

    // SAE J1939-73: the requests DM3 and DM11 clear codes.
    @Test(arguments: [
        ("00FECA", true), ("00FECE", true), ("00FEEC", true), ("00F004", true), ("00FED3", false),
        ("00FECC", false), ("00FE", false), ("00FECA00", false), ("01FECA", true),
    ])
    func `requests for parameter groups only read`(request: String, isReadOnly: Bool) throws {
        #expect(
            VehicleRequest.isReadOnly(try #require(Hex.bytes(request))) == isReadOnly)
    }
}

@Suite struct `Finding the profile` {
    private static let engine = ECUAddress(0x7E8, .can11)

    private func message(_ payload: String, _ ecu: ECUAddress? = engine) -> ECUMessage {
        ECUMessage(ecu: ecu, payload: Hex.bytes(payload) ?? [])
    }

    @Test func `an answer of classic OBD ends the search`() {
        var discovery = ProfileDiscovery()
        #expect(discovery.step == .ask(request: [0x01, 0x00], on: nil))
        discovery.answered([message("4100BE3EB811")], on: .can11At500)
        #expect(discovery.step == .found([Self.engine: .classicCAN]))
        discovery.answered([message("62F81001")], on: .can11At500)
        #expect(discovery.step == .found([Self.engine: .classicCAN]))
    }

    @Test func `before CAN the classic services are asked one by one`() {
        var discovery = ProfileDiscovery()
        let ecu = ECUAddress(0x10, .byte)
        discovery.answered([message("4100BE3EB811", ecu)], on: .iso9141)
        #expect(discovery.step == .found([ecu: .classicLegacy]))
    }

    @Test func `without an answer of classic OBD every CAN protocol is asked for an identifier`() {
        var discovery = ProfileDiscovery()
        discovery.answered([message("7F0111")], on: nil)
        let protocols: [VehicleProtocol] = [.can11At500, .can29At500, .can11At250, .can29At250]
        for vehicleProtocol in protocols {
            #expect(discovery.step == .ask(request: [0x22, 0xF8, 0x10], on: vehicleProtocol))
            discovery.answered([], on: vehicleProtocol)
        }
        #expect(discovery.step == .ask(request: [0x00, 0xFE, 0xCA], on: .j1939))
        discovery.answered([], on: .j1939)
        #expect(discovery.step == .nobody)
    }

    @Test func `a vehicle that is silent on OBD is asked on SAE J1939`() {
        let engine = ECUAddress(0x00, .byte)
        var answer = ECUMessage(ecu: engine, payload: Hex.bytes("00FF00000000FFFF") ?? [])
        answer.parameterGroup = 0xFECA
        var discovery = ProfileDiscovery(forced: .j1939)
        #expect(discovery.step == .ask(request: [0x00, 0xFE, 0xCA], on: .j1939))
        discovery.answered([answer], on: .j1939)
        #expect(discovery.step == .found([engine: .j1939]))
        var silent = ProfileDiscovery(forced: .j1939)
        silent.answered([message("4100BE3EB811")], on: .j1939)
        #expect(silent.step == .nobody)
    }

    @Test(arguments: [
        ("62F81001", true), ("62F81000", false), ("62F81002", false), ("62F8100100", false),
        ("62F810", false), ("7F2231", false), ("4100BE3EB811", false),
    ])
    func `one answer proves OBDonUDS`(answer: String, isFound: Bool) {
        var discovery = ProfileDiscovery()
        discovery.answered([], on: nil)
        discovery.answered([message(answer)], on: .can11At500)
        let found = ProfileDiscovery.Step.found([Self.engine: .onUDS])
        let further = ProfileDiscovery.Step.ask(request: [0x22, 0xF8, 0x10], on: .can29At500)
        #expect(discovery.step == (isFound ? found : further))
    }

    @Test func `a refused or short support map is not an answer of classic OBD`() {
        for answer in ["7F0112", "4100BE3E", "4101BE3EB811"] {
            var discovery = ProfileDiscovery()
            discovery.answered([message(answer)], on: .can11At500)
            #expect(discovery.step == .ask(request: [0x22, 0xF8, 0x10], on: .can11At500))
        }
    }

    @Test func `no other protocol is tried after a forced one`() {
        var can = ProfileDiscovery(forced: .can29At250)
        #expect(can.step == .ask(request: [0x01, 0x00], on: .can29At250))
        can.answered([], on: .can29At250)
        #expect(can.step == .ask(request: [0x22, 0xF8, 0x10], on: .can29At250))
        can.answered([], on: .can29At250)
        #expect(can.step == .nobody)
        var legacy = ProfileDiscovery(forced: .j1850VPW)
        legacy.answered([], on: .j1850VPW)
        #expect(legacy.step == .nobody)
    }

    @Test func `each ECU has its own diagnostic profile`() {
        var discovery = ProfileDiscovery()
        let other = ECUAddress(0x7EA, .can11)
        discovery.answered(
            [message("4100BE3EB811"), message("7F0111", other)], on: .can11At500)
        #expect(discovery.step == .found([Self.engine: .classicCAN]))
    }

    // 49 CFR 565.15: position 10 has the year, and position 7 the cycle. 1M8GDM9AXKP042788 is a bus
    // from 1989.
    @Test(
        arguments: [
            ("1M8GDM9AXKP042788", 1989), ("1HGCM82633A004352", 2003), ("1D4GP00R55B123456", 2005),
            ("WVWZZZ1KZAW000001", nil), ("5YJ3E1EA7JF000316", 2018),
        ] as [(String, Int?)])
    func `model years follow from North American VINs`(vin: String, year: Int?) throws {
        let vin = try #require(VIN(vin))
        #expect(vin.northAmericanModelYear == year)
    }
}
