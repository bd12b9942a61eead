import Diagnostics
import OBDCore
import Testing

@testable import Formats

@Suite struct CSVTests {
    static let cells: [(String, String)] = [
        ("plain", "plain"), ("a,b", "\"a,b\""), ("say \"x\"", "\"say \"\"x\"\"\""),
        ("two\r\nlines", "\"two\r\nlines\""), ("", ""), ("=1+1", "'=1+1"), ("+1", "'+1"),
        ("-1", "'-1"), ("@x", "'@x"), ("\tx", "'\tx"), ("\rx", "\"'\rx\""),
        ("=a,b", "\"'=a,b\""), ("a=b", "a=b"), ("°C", "°C"),
        ("\u{1B}[31m", "\\x1B[31m"), ("\u{9B}31m,", "\"\\x9B31m,\""), ("\u{202E}x", "\\u{202E}x"),
    ]

    @Test(arguments: cells) func `cells are quoted where needed and are never formulas`(
        _ text: String, _ expected: String
    ) {
        #expect(Fixtures.text { CSVText.append(text, to: &$0) } == expected)
    }

    @Test func `rows with other or reordered keys keep their columns`() {
        var rows = RowWriter(.csv, kinds: [["a", "b"], ["c"]])
        let text = Fixtures.text { output in
            rows.append(Row("one", ["a": .integer(1), "b": .integer(2)]), to: &output)
            rows.append(Row("one", ["a": .integer(3), "b": .integer(4)]), to: &output)
            rows.append(Row("one", ["b": .integer(5), "a": .integer(6)]), to: &output)
            rows.append(Row("two", ["c": .integer(7), "d": .integer(8)]), to: &output)
            rows.append(Row("two", ["a": .integer(9)]), to: &output)
            rows.append(Row("none", [:]), to: &output)
            rows.append(Row("one", ["a": .integer(1), "b": .integer(2)]), to: &output)
        }
        #expect(
            text == "kind,a,b,c\r\none,1,2,\r\none,3,4,\r\none,6,5,\r\ntwo,,,7\r\n"
                + "two,9,,\r\nnone,,,\r\none,1,2,\r\n")
    }

    @Test func `monitors and test results share their columns`() {
        var result = MonitorTestResult(ecu: Fixtures.ecu, tid: 0x80, raw: [], line: 0)
        result.mid = 0x21
        result.monitor = "Catalyst, bank 1"
        result.test = "=Conversion"
        result.uas = 0x0A
        (result.value, result.min, result.max) = (0.0122, nil, 0.5)
        (result.unit, result.passed) = ("V", true)
        let items = ItemRows(table: Fixtures.table)
        var rows = RowWriter(.csv, kinds: [ItemRows.Keys.monitor, ItemRows.Keys.monitorTest])
        let monitor = MonitorStatus(
            ecu: nil, scope: .sinceClear, monitor: .catalyst, supported: false, complete: nil,
            line: 0)
        let text = Fixtures.text { output in
            rows.append(items.row(.monitor(monitor), time: Fixtures.time), to: &output)
            rows.append(items.row(.monitorTest(result), time: Fixtures.time), to: &output)
        }
        let time = "2026-11-21T08:15:02.123456Z"
        #expect(
            text == """
                kind,time,ecu,scope,monitor,supported,complete,mid,tid,component,test,uas,value,min,max,unit,passed,hasMin,hasMax\r
                monitor,\(time),,sinceClear,catalyst,false,,,,,,,,,,,,,\r
                monitorTest,\(time),7E8,,"Catalyst, bank 1",,,21,80,,'=Conversion,0A,0.0122,,0.5,V,true,false,true\r

                """)
    }

    @Test func `long tables have the keys of the JSON object as columns`() {
        var writer = CSVLong(table: Fixtures.table)
        let text = Fixtures.text { output in
            writer.appendHeader(to: &output)
            writer.append(Fixtures.rpm, time: Fixtures.time, to: &output)
            var cold = Fixtures.reading(
                .coolant, DataID(.currentData, 5), .number(-40), [0], ecu: nil)
            writer.append(cold, time: nil, to: &output)
            cold.value = .missing(.notAvailable, code: 0)
            cold.ecu = ECUAddress(0x7E9, .can11)
            writer.append(cold, time: Fixtures.time, to: &output)
            writer.append(
                Fixtures.reading(.fuelType, DataID(.currentData, 0x51), .label(code: 4), [4]),
                time: Fixtures.time, to: &output)
            var frozen = Fixtures.rpm
            frozen.dataID = DataID(.freezeFrame, 0x0C)
            frozen.frame = 0
            frozen.dtc = DTC("P0301")
            writer.append(frozen, time: Fixtures.time, to: &output)
        }
        let time = "2026-11-21T08:15:02.123456Z"
        #expect(
            text.split(separator: "\r\n").map(String.init) == [
                "time,ecu,service,pid,frame,dtc,signal,name,value,unit,code,status,checkDigit,raw",
                "\(time),7E8,01,0C,,,RPM,Engine speed,1726,rpm,,,,1AF8",
                ",,01,05,,,ECT,Engine coolant temperature,-40,°C,,,,00",
                "\(time),7E9,01,05,,,ECT,Engine coolant temperature,,°C,0,notAvailable,,00",
                "\(time),7E8,01,51,,,FUEL_TYP,Fuel type,\"'=diesel, \"\"red\"\"\",,4,,,04",
                "\(time),7E8,02,0C,0,P0301,RPM,Engine speed,1726,rpm,,,,1AF8",
            ])
        #expect(text.hasSuffix("\r\n"))
    }

    @Test func `times can be seconds, and values can have other units`() {
        let start = UTC(microseconds: Fixtures.time.microseconds - 1_500_000)
        var writer = CSVLong(table: Fixtures.table, units: .us, times: .seconds(since: start))
        let reading = Fixtures.reading(.coolant, DataID(.currentData, 5), .number(100), [140])
        #expect(
            Fixtures.text { writer.append(reading, time: Fixtures.time, to: &$0) }
                == "1.5,7E8,01,05,,,ECT,Engine coolant temperature,212,°F,,,,8C\r\n")
    }

    /// A clock that is an hour ahead until 08:16 UTC, and two hours from then on.
    private static let summer = TimeStyle.local { time in
        time < UTC(microseconds: Fixtures.time.microseconds + 60_000_000) ? 3600 : 7200
    }

    @Test func `times can be local, and the user chooses the separator`() {
        var writer = CSVLong(
            table: Fixtures.table, times: Self.summer, separator: ";",
            trip: (7, "1HGCM82633A004352"))
        let text = Fixtures.text { output in
            writer.appendHeader(to: &output)
            writer.append(Fixtures.rpm, time: Fixtures.time, to: &output)
            writer.append(
                Fixtures.reading(.fuelType, DataID(.currentData, 0x51), .text("a;b"), [4]),
                time: UTC(microseconds: Fixtures.time.microseconds + 60_000_000), to: &output)
        }
        #expect(
            text.split(separator: "\r\n").map(String.init) == [
                "time;ecu;service;pid;frame;dtc;signal;name;value;unit;code;status;checkDigit;raw;trip;vin",
                "2026-11-21 09:15:02.123456;7E8;01;0C;;;RPM;Engine speed;1726;rpm;;;;1AF8;7;1HGCM82633A004352",
                "2026-11-21 10:16:02.123456;7E8;01;51;;;FUEL_TYP;Fuel type;\"a;b\";;;;;04;7;1HGCM82633A004352",
            ])
        let rpm = SignalIndex(rawValue: Fixtures.Place.rpm.rawValue)
        var wide = CSVWide(
            table: Fixtures.table, columns: [.init(rpm)], times: Self.summer, separator: "\t")
        let table = Fixtures.text { output in
            wide.appendHeader(to: &output)
            wide.append(Fixtures.rpm, time: Fixtures.time, to: &output)
            wide.finish(&output)
        }
        #expect(table == "time\tRPM (rpm)\r\n2026-11-21 09:15:02.123456\t1726\r\n")
    }

    /// The speed of the engine by service 01 and by service 22 (22:F40C), and two frames with one name.
    @Test func `columns of signals with one name differ`() {
        var table = PIDTable()
        var columns: [CSVWide.Column] = []
        func add(_ id: DataID?, _ signal: String, _ unit: String) {
            let index = SignalIndex(rawValue: Int32(table.signals.count))
            columns.append(.init(index, ecu: Fixtures.ecu, record: id))
            table.add(
                id ?? DataID(Service(0), 0), name: signal, length: 0...0,
                signals: [
                    Signal(
                        id: signal, name: signal, bitOffset: 0, bitLength: 8, kind: .number,
                        unit: unit)
                ])
        }
        add(DataID(.currentData, 0x0C), "RPM", "rpm")
        add(DataID(.readData, 0xF40C), "RPM", "rpm")
        add(nil, "Speed", "")
        add(nil, "Speed", "")
        add(DataID(.currentData, 0x0D), "VSS", "km/h")
        let wide = CSVWide(table: table, columns: columns)
        let text = Fixtures.text { wide.appendHeader(to: &$0) }
        #expect(
            text
                == "time,7E8 RPM (rpm),7E8 RPM 22:F40C (rpm),7E8 Speed,7E8 Speed [2],7E8 VSS (km/h)\r\n"
        )
    }

    @Test func `wide tables leave cells without a value empty`() {
        let rpm = SignalIndex(rawValue: Fixtures.Place.rpm.rawValue)
        let coolant = SignalIndex(rawValue: Fixtures.Place.coolant.rawValue)
        let other = ECUAddress(0x7E9, .can11)
        var writer = CSVWide(
            table: Fixtures.table,
            columns: [
                .init(rpm, ecu: Fixtures.ecu), .init(rpm, ecu: other), .init(coolant),
                .init(SignalIndex(rawValue: 99)),
            ], units: .us, times: .seconds(since: Fixtures.time))
        func at(_ seconds: Int64) -> UTC {
            UTC(microseconds: Fixtures.time.microseconds + seconds * 1_000_000)
        }
        var second = Fixtures.rpm
        second.ecu = other
        second.value = .number(800.5)
        let warm = Fixtures.reading(.coolant, DataID(.currentData, 5), .number(0), [40])
        let mil = Fixtures.reading(.mil, DataID(.currentData, 1), .flag(true), [0x80])
        let text = Fixtures.text { output in
            writer.appendHeader(to: &output)
            writer.append(Fixtures.rpm, time: at(0), to: &output)
            writer.append(warm, time: at(0), to: &output)
            writer.append(second, time: at(1), to: &output)
            writer.append(mil, time: at(1), to: &output)
            writer.append(second, time: at(1), to: &output)
            writer.finish(&output)
            writer.finish(&output)
        }
        #expect(
            text.split(separator: "\r\n").map(String.init) == [
                "time,7E8 RPM (rpm),7E9 RPM (rpm),ECT (°F)", "0,1726,,32", "1,,800.5,",
                "1,,800.5,",
            ])
    }
}

@Suite struct UnitSystemTests {
    /// NIST SP 811, appendix B.8 (US gallon, psi, pound-foot), and the definitions of mile,
    /// imperial gallon and degree Fahrenheit, rounded to six digits.
    static let cases: [(String, UnitSystem, Double, Double, String)] = [
        ("km/h", .us, 100, 62.1371, "mph"), ("km", .imperial, 1.609344, 1, "mi"),
        ("°C", .us, -40, -40, "°F"), ("°C", .imperial, 100, 212, "°F"),
        ("kPa", .us, 101.325, 14.6959, "psi"), ("L", .us, 3.785412, 1, "US gal"),
        ("L", .imperial, 4.54609, 1, "UK gal"), ("km/h", .uk, 1.609344, 1, "mph"),
        ("L/h", .us, 3.785412, 1, "US gal/h"),
        ("g/s", .us, 7.559872, 1, "lb/min"), ("kg/h", .us, 0.4535924, 1, "lb/h"),
        ("N·m", .us, 1.355818, 1, "lb·ft"),
    ]

    @Test(arguments: cases.indices) func `values are converted to the chosen units`(_ index: Int)
        throws
    {
        let (unit, system, value, expected, shown) = Self.cases[index]
        let conversion = try #require(system.conversion(from: unit))
        #expect(conversion.unit == shown)
        #expect(abs(conversion(value) - expected) < abs(expected) * 1e-5)
    }

    @Test func `metric values and values without another unit stay unchanged`() {
        #expect(UnitSystem.metric.conversion(from: "km/h") == nil)
        #expect(UnitSystem.us.conversion(from: "rpm") == nil)
        #expect(UnitSystem.us.conversion(from: "%") == nil)
        #expect(UnitSystem.uk.conversion(from: "°C") == nil)
        #expect(UnitSystem.uk.conversion(from: "L") == nil)
    }
}
