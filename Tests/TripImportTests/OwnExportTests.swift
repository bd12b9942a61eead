import Diagnostics
import OBDCore
import Testing
import TripImport

@Suite struct `Our own exports` {
    private static let time = #","time":"2026-11-21T08:15:03Z"}"#

    private static func file(_ lines: String...) throws -> ImportedFile {
        try ImportedFile(lines.map { $0 + time }.joined(separator: "\n"))
    }

    @Test func `the name of a trip comes from its line`() throws {
        let file = try ImportedFile(
            """
            {"kind":"trip","name":"Sea","tags":["a","b"],"vin":"1M8GDM9AXKP042788","start":"2026-11-21T08:15:00Z"}
            {"kind":"tripSignal"}
            {"kind":"trip","start":"2026-11-22T08:15:00Z","vin":"1"}
            """)
        #expect(file.trips == 2 && file.entries.isEmpty)
        #expect(file.trip.name == nil && file.trip.tags.isEmpty && file.trip.vin == nil)
        let first = try ImportedFile(
            #"{"kind":"trip","name":"Sea","tags":["a","b"],"vin":"1M8GDM9AXKP042788","#
                + #""start":"2026-11-21T08:15:00Z"}"#)
        #expect(first.trip.name == "Sea" && first.trip.tags == ["a", "b"])
        #expect(first.trip.vin == "1M8GDM9AXKP042788")
    }

    @Test func `readings keep all values`() throws {
        let file = try Self.file(
            #"{"signal":"RPM","ecu":"7E8","service":"01","pid":"0C","value":1726,"unit":"rpm","raw":"1AF8""#,
            #"{"signal":"SPEED","service":"01","pid":"0D","value":60,"unit":"mph""#,
            #"{"signal":"OWN","value":1.5,"unit":"bar""#,
            #"{"signal":"OWN","value":2,"unit":"furlong""#, #"{"signal":"LAMP","value":true"#,
            #"{"signal":"GEAR","value":"third","code":3"#, #"{"signal":"GEAR","code":4"#,
            #"{"signal":"PIDSUP_A","value":"01 03","code":2684354560"#,
            #"{"signal":"FUEL","status":"notAvailable","code":255"#,
            #"{"signal":"NAME","value":"ECM""#,
            #"{"signal":"ADAPTER_VOLTAGE","value":12.4,"unit":"V""#,
            #"{"signal":"RPM","service":"02","pid":"0C","value":900,"unit":"rpm","frame":0,"dtc":"P0301""#
        )
        #expect(
            file.values == [
                .init("RPM", 1726, "rpm"), .init("SPEED", 60 * 1.609344, "km/h"),
                .init("OWN", 150, "kPa"), .init("OWN", 2, "furlong"), .init("LAMP", .flag(true)),
                .init("GEAR", .label(code: 3)), .init("GEAR", .label(code: 4)),
                .init("PIDSUP_A", .supportMap(raw: 0xA000_0000)),
                .init("FUEL", .missing(.notAvailable, code: 255)), .init("NAME", .text("ECM")),
                .init("RPM", 900, "rpm"),
            ])
        #expect(file.voltages == [12.4])
        #expect(Array(try #require(file.readings.first).raw) == [0x1A, 0xF8])
        #expect(file.readings.first?.ecu == ECUAddress(0x7E8, .can11))
        #expect(file.readings.first?.dataID == DataID(.currentData, 0x0C))
        #expect(file.readings.last?.frame == 0 && file.readings.last?.dtc == DTC("P0301"))
        let gear = try #require(file.table.signals.first { $0.id == "GEAR" })
        #expect(gear.labels.map(\.label) == ["third"])
    }

    @Test func `codes, monitors, results, refusals and messages keep all values`() throws {
        let file = try Self.file(
            #"{"kind":"code","status":"pending","ecu":"7E8","code":"P0301","failureType":"11","statusByte":"08","severity":"20","lamps":{"malfunction":true,"protect":false}"#,
            #"{"kind":"code","status":"stored","code":"SPN100/FMI1","occurrences":3"#,
            #"{"kind":"monitor","scope":"thisCycle","monitor":"catalyst","supported":true,"complete":false"#,
            #"{"kind":"monitorTest","mid":"01","monitor":"M","tid":"81","test":"T","component":"05","uas":"0B","value":1.5,"min":0,"max":2,"unit":"V","passed":true"#,
            #"{"kind":"negativeResponse","ecu":"7E8","service":"22","nrc":"31""#,
            #"{"kind":"message","pgn":"00FECA","payload":"410C""#)
        var code = CodeReport(
            ecu: ECUAddress(0x7E8, .can11), kind: .pending,
            code: .dtc(DTC(0x0301, failureType: 0x11)),
            line: 0)
        (code.statusByte, code.severity) = (0x08, 0x20)
        code.lamps = CodeReport.Lamps(
            malfunction: true, redStop: nil, amberWarning: nil, protect: false)
        let truck = CodeReport(
            ecu: nil, kind: .stored,
            code: .j1939(
                J1939Code(spn: 100, fmi: 1, occurrenceCount: 3, conversionMethod: false)), line: 0)
        var result = MonitorTestResult(ecu: nil, tid: 0x81, raw: InlineBytes(), line: 0)
        (result.mid, result.monitor, result.test, result.component) = (0x01, "M", "T", 0x05)
        (result.uas, result.value, result.min, result.max) = (0x0B, 1.5, 0, 2)
        (result.unit, result.passed) = ("V", true)
        #expect(
            file.items == [
                .code(code), .code(truck),
                .monitor(
                    MonitorStatus(
                        ecu: nil, scope: .thisCycle, monitor: .catalyst, supported: true,
                        complete: false, line: 0)),
                .monitorTest(result),
                .negativeResponse(
                    NegativeResponse(service: .readData, nrc: NRC(0x31)),
                    ecu: ECUAddress(0x7E8, .can11), line: 0),
                .message(ECUMessage(ecu: nil, payload: [0x41, 0x0C], parameterGroup: 0xFECA)),
            ])
    }

    @Test func `events beside readings keep all values`() throws {
        let file = try Self.file(
            #"{"kind":"note","text":"höher""#,
            #"{"kind":"event","event":"gap","seconds":2.5,"service":"01","code":"31","text":"x""#,
            #"{"kind":"adapterStatus","status":"NO DATA","text":"nobody""#,
            #"{"kind":"error","ecu":"7E8","reason":"short""#,
            #"{"kind":"codeList","ecu":"7E8","status":"stored","codes":2"#,
            #"{"kind":"position","latitude":47.5,"longitude":8.5,"altitude":400,"speed":36,"course":90,"accuracy":5,"fixTime":"2026-11-21T08:15:02Z""#
        )
        let engine = ECUAddress(0x7E8, .can11)
        var position = try #require(Position(latitude: 47.5, longitude: 8.5))
        (position.altitude, position.speed, position.course) = (400, 36, 90)
        (position.accuracy, position.fixTime) = (5, UTC("2026-11-21T08:15:02Z"))
        #expect(
            file.entries.map(\.entry) == [
                .note("höher"),
                .event(
                    TripEvent(
                        .gap, text: "x", service: .currentData, code: "31",
                        duration: .milliseconds(2500))),
                .event(TripEvent(.adapterStatus, text: "nobody", code: "NO DATA")),
                .event(TripEvent(.decodeError, text: "short", ecu: engine)),
                .codeList(engine, .stored, codes: 2), .position(position),
            ])
        #expect(file.entries.allSatisfy { $0.time == UTC("2026-11-21T08:15:03Z") })
    }

    @Test(arguments: [
        (#"{"kind":"x""#, "unknown kind \"x\""), (#"{"kind":"note","text":"""#, "an empty note"),
        (#"{"kind":"position","latitude":91,"longitude":0"#, "no place on earth"),
        (#"{"kind":"codeList","status":"stored","codes":-1"#, "no list of codes"),
        (#"{"kind":"event","event":"x""#, "unknown event \"x\""),
        (#"{"kind":"event","event":"gap","seconds":-1"#, "-1.0 s is not a length of time"),
        (#"{"kind":"event","event":"gap","service":"XX""#, "service \"XX\" is not a byte"),
        (#"{"kind":"monitor""#, "no monitor"), (#"{"kind":"monitorTest""#, "no tid"),
        (#"{"kind":"negativeResponse""#, "no refusal"),
        (#"{"kind":"message","payload":"4""#, "payload \"4\" is not hexadecimal"),
        (#"{"kind":"code","status":"stored","code":"X1""#, "\"X1\" is not a trouble code"),
        (#"{"kind":"code","status":"stored","ecu":"?","code":"P0301""#, "\"?\" is not an ECU"),
        (#"{"signal":"","value":1"#, "an empty signal"),
        (#"{"signal":"RPM","service":"01","pid":"XYZ","value":1"#, "01:XYZ identifies nothing"),
        (#"{"signal":"RPM","value":1,"unit":"km""#, "RPM in km cannot be turned"),
        (#"{"signal":"RPM","value":1"#, "RPM has no unit"),
        (#"{"signal":"OWN","value":1,"unit":"gal""#, "OWN in gal: --units us"),
        (#"{"signal":"RPM","value":"fast","unit":"rpm""#, "\"fast\" is not a number"),
        (#"{"signal":"SPEED","value":1.7e308,"unit":"mph""#, "a value beyond all numbers"),
        (#"{"signal":"OWN""#, "neither a value nor a status"),
        (#"{"signal":"OWN","status":"x""#, "unknown status \"x\""),
    ])
    func `a line with impossible values is a fault`(_ line: String, _ reason: String) throws {
        let fault = #expect(throws: ImportFault.self) { try Self.file(line) }
        #expect(fault?.reason.hasPrefix(reason) == true, "\(fault?.reason ?? "")")
    }

    @Test(arguments: [
        ("{\"kind\":\"note\",\"text\":\"x\"}", "there is no time"),
        ("{\"kind\":\"note\",\"text\":\"x\",\"time\":\"noon\"}", "time \"noon\" is not a date"),
    ])
    func `a line of an export without its time is a fault`(_ line: String, _ reason: String) throws
    {
        let fault = #expect(throws: ImportFault.self) { try ImportedFile(line) }
        #expect(fault?.reason == reason)
    }

    /// The trip's vehicle is the first VIN.
    ///
    /// A different VIN from another ECU does not begin a new trip.
    @Test func `a VIN in a line of CSV is the VIN of its trip`() throws {
        let file = try ImportedFile(
            """
            time,ecu,service,pid,frame,dtc,signal,name,value,unit,code,status,raw,trip
            2026-11-21T08:15:02Z,7E8,01,0C,,,RPM,Engine speed,800,rpm,,,0C80,1
            2026-11-21T08:15:03Z,7E8,09,02,,,VIN,Vehicle identification number,1HGCM82633A004352,,,,,1
            2026-11-21T08:15:04Z,7EA,09,02,,,VIN,Vehicle identification number,WXXBD2DA8MX000077,,,,,1
            2026-11-21T09:15:03Z,7E8,09,02,,,VIN,Vehicle identification number,WXXBD2DA8MX000077,,,,,2

            """)
        #expect(file.trips == 2)
        #expect(file.vehicles == ["1HGCM82633A004352", "WXXBD2DA8MX000077"])
        #expect(file.readings.count == 4)
    }

    @Test func `a line of CSV gives the same as a line of JSON`() throws {
        let file = try ImportedFile(
            """
            trip,time,ecu,service,pid,signal,value,unit,code,raw
            1,2026-11-21T08:15:02Z,7E8,01,0C,RPM,1726,rpm,,1AF8
            1,2026-11-21T08:15:02Z,,,,OWN,0x10,,,
            1,2026-11-21T08:15:02Z,,,,OWN,inf,,,
            1,2026-11-21T08:15:02Z,,,,LAMP,true,,,
            trip,time,ecu,service,pid,signal,value,unit,code,raw
            2,2026-11-21T08:15:02Z,,,,GEAR,third,,3,
            2,2026-11-21T08:15:02Z,,09,02,VIN,'=1,,,
            """)
        #expect(file.trips == 2)
        #expect(
            file.values.map(\.value) == [
                .number(1726), .text("0x10"), .text("inf"), .flag(true), .label(code: 3),
                .text("=1"),
            ])
        let fault = #expect(throws: ImportFault.self) {
            try ImportedFile("time,signal,value,code\n2026-11-21T08:15:02Z,GEAR,third,x\n")
        }
        #expect(fault?.reason == "code \"x\" is not a number")
    }

    @Test func `a wide table keeps the values of flags`() throws {
        let file = try ImportedFile(
            """
            time,7E8 RPM (rpm),7E8 MIL
            2026-11-21T08:15:02Z,800,true
            2026-11-21T08:15:03Z,810,false

            """)
        #expect(
            file.values.map(\.value) == [
                .number(800), .flag(true), .number(810), .flag(false),
            ])
    }
}
