import Diagnostics
import OBDCore
import PIDTables
import Testing

@testable import ObdscanCLI
@testable import VehicleScan

@Suite struct `Signals are found by the names that users type` {
    private let names: SignalNames
    private let table: PIDTable

    init() throws {
        table = try PIDTables.standard()
        names = SignalNames(table)
    }

    // Short names: SAE J1979-DA.
    @Test(arguments: [
        ("RPM", "01:0C"), ("rpm", "01:0C"), ("VSS", "01:0D"), ("speed", "01:0D"),
        ("ECT", "01:05"), ("coolant-temp", "01:05"), ("coolant_temp", "01:05"),
        ("Coolant Temp", "01:05"), ("01:0C", "01:0C"), ("010C", "01:0C"), ("010c", "01:0C"),
        ("09:02", "09:02"), ("VIN", "09:02"), ("MAF", "01:10"),
    ])
    func `signals are found by name, alias and number`(_ typed: String, _ expected: String) throws {
        #expect(try names.find(typed).record?.dataID.description == expected)
    }

    @Test(arguments: [
        ("rpm@10Hz", "01:0C", Duration.milliseconds(100)), ("ect@0.2Hz", "01:05", .seconds(5)),
        ("01:0D@200ms", "01:0D", .milliseconds(200)), ("maf@2", "01:10", .seconds(2)),
        ("load@fast", "01:04", nil), ("ect@slow", "01:05", .seconds(10)),
    ])
    func `an interval follows the name`(_ typed: String, _ expected: String, _ period: Duration?)
        throws
    {
        let found = try names.findPaced(typed)
        #expect(found.record?.dataID.description == expected)
        let pace = try #require(found.pace)
        #expect((pace.period == nil) == (period == nil))
        #expect(abs((pace.period?.seconds ?? 0) - (period?.seconds ?? 0)) < 1e-6)
        #expect(try names.findPaced(expected).pace == nil)
        #expect(try found.asksTheSame(as: names.findPaced(expected)) == (found.isByNumber))
    }

    @Test(arguments: ["rpm@", "rpm@0Hz", "rpm@-1s", "rpm@often", "rpm@1e9Hz", "rpm@nan"])
    func `text that is not an interval is refused`(_ typed: String) {
        #expect(throws: SignalError.self) { try names.findPaced(typed) }
    }

    @Test func `the adapter's voltage belongs to no record`() throws {
        #expect(try names.find("voltage").record == nil)
    }

    @Test func `every name and alias of the table finds a signal of that name`() throws {
        for record in table.records {
            for index in record.signals {
                let signal = table[SignalIndex(rawValue: index)]
                for name in [signal.id] + signal.aliases {
                    let found = try names.find(name)
                    let same = try #require(found.signal.map { table[$0] })
                    #expect(
                        same.id == signal.id || same.aliases.contains(name)
                            || signal.aliases.contains(name), "\(name)")
                }
            }
        }
    }

    @Test(arguments: [
        ("rmp", "RPM"), ("rpn", "RPM"), ("sped", "speed"), ("colant-temp", "coolant-temp"),
        ("VNI", "VIN"), ("oil", "oil-temp"), ("fuel", "fuel-level"), ("rpm,speed", "rpm speed"),
    ])
    func `typing errors get a suggestion`(_ typed: String, _ meant: String) throws {
        let failure = Failure(try #require(throws: SignalError.self) { try names.find(typed) })
        #expect(failure.status == .usage)
        #expect(failure.hint?.contains(meant) ?? false, "\(failure.hint ?? "")")
    }

    @Test(arguments: ["", ":", "01:", "01:XX", "flux capacitor", "99:99", "\u{1B}"])
    func `text that is not the name of a signal is reported`(_ typed: String) throws {
        let failure = Failure(try #require(throws: SignalError.self) { try names.find(typed) })
        #expect(failure.status == .usage)
    }

    // Optimal string alignment distances, calculated by hand.
    @Test(arguments: [
        ("rpm", "rpm", 0), ("rpm", "rmp", 1), ("rpm", "rp", 1), ("rpm", "rpms", 1),
        ("kitten", "sitting", 3), ("", "ab", 2), ("abc", "xyz", 3), ("abcdefgh", "a", 4),
    ])
    func `the number of typing errors is counted up to a limit`(
        _ left: String, _ right: String, _ expected: Int
    ) {
        #expect(editDistance(Array(left.utf8), Array(right.utf8), bound: 3) == expected)
    }
}

@Suite struct `A signal to add is found by a part of its name` {
    private let names: SignalNames

    init() throws { names = SignalNames(try PIDTables.standard()) }

    private func ids(_ typed: String, prefersGroups: Bool = false) -> [String] {
        names.matches(typed, prefersGroups: prefersGroups).map(\.id)
    }

    // Short names: SAE J1979-DA.
    @Test(arguments: [
        ("rpm", "RPM"), ("RPM", "RPM"), ("coolant-temp", "ECT"), ("ect", "ECT"), ("vss", "VSS"),
        ("barometric", "BARO"), ("vehicle sp", "VSS"), ("ambient", "AAT"),
    ])
    func `the nearest name comes first`(_ typed: String, _ expected: String) {
        #expect(ids(typed).first == expected)
    }

    @Test func `the typed text is part of a name of each match`() {
        for typed in ["cool", "o2", "catalyst", "sp"] {
            let found = names.matches(typed)
            #expect(!found.isEmpty)
            for match in found {
                let signal = match.selected.signal.map { names.table[$0] }
                let all = [match.id, match.title] + (signal?.aliases ?? [])
                let wanted = SignalNames.key(typed)
                #expect(
                    all.contains { SignalNames.key($0).contains(wanted) }, "\(typed): \(match.id)")
            }
        }
        #expect(ids("xyzzy").isEmpty)
    }

    @Test func `before any text is typed, signals that are not on the screen are offered`() throws {
        let all = names.matches("")
        let rpm = try #require(names.find("rpm").signal)
        #expect(all.contains { $0.selected.signal == rpm })
        #expect(
            all.allSatisfy { $0.selected.record?.dataID.service ?? .currentData == .currentData })
        #expect(!names.matches("", without: [rpm]).contains { $0.selected.signal == rpm })
    }

    @Test func `parameter groups of trucks come first on a truck, else last`() throws {
        let service = { (typed: String, truck: Bool) in
            names.matches(typed, prefersGroups: truck).compactMap(\.selected.record?.dataID.service)
        }
        #expect(service("engine speed", true).first == DataID.parameterGroups)
        #expect(service("engine speed", false).first == .currentData)
        #expect(Set(service("", true)) == [DataID.parameterGroups, .currentData])
    }

    @Test func `service and number are not part of a name`() {
        #expect(ids("01:0C").isEmpty)
        #expect(ids("010C").isEmpty)
    }

    @Test func `Enter chooses the selected row, else the exact name, else the nearest`() throws {
        var choice = SignalChoice(names.matches(""))
        #expect(choice.chosen == nil)
        choice.move(by: 1)
        #expect(choice.chosen == 0)
        #expect(try names.find(choice) == choice.matches[0].selected)
        choice.type("cool", names.matches("cool"))
        #expect(choice.chosen == 0 && choice.place == nil)
        #expect(try names.find(choice) == choice.matches[0].selected)
        choice.move(by: 2)
        #expect(try names.find(choice) == choice.matches[2].selected)
        choice.move(by: 1000)
        #expect(choice.chosen == choice.matches.count - 1)
        choice.move(by: -1000)
        #expect(choice.place == nil)
        choice.type("01:0C", names.matches("01:0C"))
        #expect(try names.find(choice).isByNumber)
        choice.type("xyzzy", names.matches("xyzzy"))
        #expect(throws: SignalError.self) { try names.find(choice) }
        choice.move(by: 1)
        #expect(choice.chosen == nil)
    }
}
