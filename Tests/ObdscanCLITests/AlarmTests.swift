import Diagnostics
import Formats
import OBDCore
import Reports
import TerminalView
import TestSupport
import Testing

@testable import ObdscanCLI

private let coolant = Signal(
    id: "ECT", name: "Engine coolant temperature", bitOffset: 0, bitLength: 8, kind: .number,
    offset: -40, unit: "°C")

@Suite struct `An alarm` {
    @Test(arguments: [
        ("ECT>110", "ECT", Alarm.Relation.above, 110.0), ("ECT >= 110.5", "ECT", .atLeast, 110.5),
        ("coolant-temp<-5", "coolant-temp", .below, -5), ("VPWR<=11.8", "VPWR", .atMost, 11.8),
        ("GEAR!=0", "GEAR", .unequal, 0), ("01:0C=800", "01:0C", .equal, 800),
    ])
    func `an alarm's text is read`(
        _ text: String, _ name: String, _ relation: Alarm.Relation, _ limit: Double
    )
        throws
    {
        let alarm = try #require(Alarm(text))
        #expect(alarm.name == name)
        #expect(alarm.relation == relation)
        #expect(alarm.limit == .number(limit))
    }

    @Test(arguments: [
        "", "ECT", "ECT>", ">110", "ECT>nan", "ECT>inf", "ECT>0x10", "ECT>1e400", "ECT>on",
        "ECT>110>120", "ECT=>110", "ECT>11O", "ECT>--1",
    ])
    func `an alarm without a condition is refused`(_ text: String) {
        #expect(Alarm(text) == nil)
    }

    @Test(arguments: [
        (">", [false, false, true]), (">=", [false, true, true]), ("<", [true, false, false]),
        ("<=", [true, true, false]), ("=", [false, true, false]), ("!=", [true, false, true]),
    ])
    func `an alarm compares below, at and above its limit`(_ sign: String, _ expected: [Bool])
        throws
    {
        let alarm = try #require(Alarm("ECT\(sign)110"))
        #expect([109, 110, 111].map { alarm.holds(.number($0), nil) } == expected)
    }

    @Test func `an alarm on a flag compares flags only`() throws {
        let alarm = try #require(Alarm("MIL=on"))
        #expect(alarm.holds(.flag(true), nil) == true)
        #expect(alarm.holds(.flag(false), nil) == false)
        #expect(alarm.holds(.number(1), nil) == nil)
        #expect(Alarm("ECT>110")?.holds(.missing(.notAvailable, code: nil), nil) == nil)
        #expect(Alarm("MIL!=off")?.holds(.flag(true), nil) == true)
    }

    /// 110 °C = 230 °F.
    @Test func `the limit of an alarm has the units that are shown`() throws {
        var watch = AlarmWatch(units: .us)
        watch.add(try #require(Alarm("ECT>229.9")), on: SignalIndex(rawValue: 0))
        #expect(watch.take(reading(.number(109)), coolant, at: .zero).isEmpty)
        #expect(watch.take(reading(.number(110)), coolant, at: .zero).count == 1)
    }
}

@Suite struct `Watching for alarms` {
    private func watch() throws -> AlarmWatch {
        var watch = AlarmWatch(units: .metric)
        watch.add(try #require(Alarm("ECT>110")), on: SignalIndex(rawValue: 0))
        return watch
    }

    @Test
    func `a value that wavers around its limit is reported once, and again after a calm time`()
        throws
    {
        var watch = try watch()
        var told: [String] = []
        // The second, and the value.
        for (second, value) in [
            (0, 100.0), (1, 111), (2, 109), (3, 112), (6, 109), (7, 109), (8, 109), (9, 120),
        ] {
            for news in watch.take(reading(.number(value)), coolant, at: at(Double(second))) {
                told.append("\(second) \(news.isRaised)")
            }
        }
        // The condition was last true at 3 s. The alarm ends five seconds later.
        #expect(told == ["1 true", "8 false", "9 true"])
    }

    @Test func `alarms of different ECUs are separate`() throws {
        var watch = try watch()
        let first = reading(.number(120))
        let second = reading(.number(121), ecu: ECUAddress(0x7E9, .can11))
        #expect(watch.take(first, coolant, at: .zero).count == 1)
        #expect(watch.take(second, coolant, at: .zero).map(\.ecu) == [second.ecu])
        #expect(watch.isRaised(first.signal, first.ecu))
        _ = watch.take(reading(.number(90)), coolant, at: at(6))
        #expect(!watch.isRaised(first.signal, first.ecu))
        #expect(watch.isRaised(second.signal, second.ecu))
    }

    @Test func `an answer without a value changes no alarm`() throws {
        var watch = try watch()
        _ = watch.take(reading(.number(120)), coolant, at: .zero)
        let missing = reading(.missing(.notAvailable, code: nil))
        #expect(watch.take(missing, coolant, at: at(60)).isEmpty)
        #expect(watch.isRaised(missing.signal, missing.ecu))
    }

    @Test func `the view shows an alarm in words and by a mark`() throws {
        var watch = try watch()
        var model = LiveModel(units: .metric, start: .zero)
        let hot = reading(.number(120))
        model.apply(hot, coolant, at: .zero)
        _ = watch.take(hot, coolant, at: .zero)
        model.mark(where: watch.isRaised)
        model.header.alarm = "ECT>110: 7E8 Engine coolant temperature 120 °C"
        let lines = LiveView(palette: Palette(isOn: false)).render(
            model, at: .zero, size: .init(columns: 80, rows: 10))
        #expect(lines.contains { $0.hasPrefix("! ECT>110: 7E8 Engine coolant temperature 120 °C") })
        #expect(lines.contains { $0.hasPrefix("!Engine coolant temp") })
    }
}

@Suite struct `Alarms on vehicles` {
    /// The engine speed comes as PID 0C, as identifier F40C, or as SPN 190.
    @Test(arguments: ["sim:?latency=0", "sim:onuds?latency=0", "sim:truck?latency=0"])
    func `an alarm rings for its signal in every service`(_ vehicle: String) throws {
        let program = try Program()
        defer { program.remove() }
        let result = try program.run([
            "live", "RPM", "--alarm", "RPM>1", "--duration", "2s", "--format", "csv", "-d", vehicle,
        ])
        #expect(result.status == 0)
        #expect(result.errors.contains("alarm: RPM>1: "), "\(result.errors)")
    }

    @Test func `an alarm on a signal that the vehicle cannot send is reported`() throws {
        let program = try Program()
        defer { program.remove() }
        let result = try program.run([
            "live", "RPM", "--alarm", "LAMBDA>1", "--duration", "1s", "--format", "csv", "-d",
            "sim:truck?latency=0",
        ])
        #expect(
            result.errors.contains(
                "the alarm LAMBDA>1 cannot work: the vehicle speaks SAE J1939, which has no signal"),
            "\(result.errors)")
    }
}
