import Diagnostics
import Formats
import OBDCore
import SystemIO

/// The report of `dtc report`, as text, JSON Lines, CSV or a page.
package struct ConditionReport {
    let vehicle: String?
    let accessory: String?
    let vehicleProtocol: String?
    /// When the vehicle was read.
    package let time: UTC
    /// The time of the condition that it is compared with; nil = no comparison.
    package let since: UTC?
    let lamps: [(ecu: ECUAddress?, isOn: Bool)]
    /// The check engine lights at the time of the comparison.
    package var lampsBefore: [(ecu: ECUAddress?, isOn: Bool)] = []
    package var names = ECUNames()
    /// The lamps of SAE J1939.
    package var allLamps: [(ecu: ECUAddress?, lamps: CodeReport.Lamps)] = []
    let change: ConditionChange
    /// Items that include the readings of freeze frames.
    package let frames: [DiagnosticItem]
    let table: PIDTable
    let texts: CodeTexts
    var explanations: CodeExplanations
    package var head: ReportHead
    /// Whether every ECU sent its codes.
    package var isComplete = true
    /// The voltage at the adapter, in V; nil = not measured.
    package var voltage: Double?
    /// Codes that obdscan cleared, for a report without a comparison.
    package var cleared: [VehicleFindings.Gone] = []
    let output: OutputForm
    /// Whether only one ECU answered; its name is then left out of the tables of the page.
    let isAlone: Bool

    /// A report of `change`; `since` is the time of the condition before.
    package init(
        vehicle: String?, accessory: String?, vehicleProtocol: String?, time: UTC, since: UTC?,
        lamps: [(ecu: ECUAddress?, isOn: Bool)], change: ConditionChange, frames: [DiagnosticItem],
        table: PIDTable, texts: CodeTexts, explanations: CodeExplanations = CodeExplanations(),
        head: ReportHead = ReportHead(), output: OutputForm
    ) {
        self.explanations = explanations
        self.head = head
        self.vehicle = vehicle
        self.accessory = accessory
        self.vehicleProtocol = vehicleProtocol
        self.time = time
        self.since = since
        self.lamps = lamps
        self.change = change
        self.frames = frames
        self.table = table
        self.texts = texts
        self.output = output
        let framed = frames.map { item -> ECUAddress? in
            guard case .reading(let reading) = item else { return nil }
            return reading.ecu
        }
        let ecus =
            lamps.map(\.ecu) + change.codes.map(\.code.ecu) + change.monitors.map(\.ecu)
            + change.tests.map(\.result.ecu) + framed
        isAlone = Set(ecus.compactMap(\.self)).count < 2
    }

    package func print(_ writer: inout TextOutput) throws(OutputError) {
        if output.format == .text {
            try writer.write(text)
        } else {
            let rows = self.rows
            var table = RowWriter(output.format, kinds: Self.keys)
            for row in rows { try writer.print(row, &table) }
        }
        try writer.flush()
    }

    // MARK: Content

    private var facts: [(name: String, value: String)] {
        var facts: [(name: String, value: String)] = []
        if let vehicle { facts.append(("Vehicle", vehicle)) }
        if let ownName { facts.append(("Name", ownName)) }
        if let make = head.make { facts.append(("VIN says", make)) }
        return facts + factsBesidesVehicle
    }

    /// The user's name for the vehicle, unless another line has it.
    var ownName: String? {
        head.name == vehicle || head.name == head.label ? nil : head.name
    }

    var factsBesidesVehicle: [(name: String, value: String)] {
        var facts: [(name: String, value: String)] = []
        for (name, value) in [
            ("Customer", head.customer), ("Plate", head.plate), ("Order", head.order),
            ("Technician", head.technician),
        ] {
            if let value { facts.append((name, value)) }
        }
        if let label = head.label { facts.append(("Label", label)) }
        if let odometer = head.odometer {
            let conversion = output.units.conversion(from: "km")
            let shown = (conversion?(odometer) ?? odometer).rounded()
            facts.append(("Odometer", "\(fixed(shown, 0)) \(conversion?.unit ?? "km")"))
        }
        facts.append((since == nil || accessory == nil ? "Read" : "Now", localTime(time)))
        if let since { facts.append(("Compared with", localTime(since))) }
        if let accessory { facts.append(("Adapter", accessory)) }
        if let vehicleProtocol { facts.append(("Protocol", vehicleProtocol)) }
        for lamp in lamps {
            let before = lampsBefore.first { $0.ecu == lamp.ecu && $0.isOn != lamp.isOn }
            facts.append(
                (
                    "Check engine light, " + title(of: lamp.ecu),
                    (lamp.isOn ? "on" : "off")
                        + (before.map { $0.isOn ? ", was on" : ", was off" } ?? "")
                ))
        }
        for (ecu, lamps) in allLamps {
            for name in lamps.lit where name != CodeReport.Lamps.checkEngineLight {
                facts.append(("\(name.capitalised), \(title(of: ecu))", "on"))
            }
        }
        return facts
    }

    /// The meaning of the condition; the same as in all other output.
    package var findings: VehicleFindings {
        let gone = change.codes.filter { $0.fate == .gone }
        // A code that was cleared before the first reading of a comparison is still no repair.
        let earlier = cleared.filter { one in !gone.contains { $0.code.isSame(as: one.code) } }
        return VehicleFindings(
            change.now, gone: gone.map { ($0.code, since) } + earlier,
            isComplete: isComplete, texts: texts, explanations: explanations, voltage: voltage,
            units: output.units, clock: localTime)
    }

    /// The codes in the order of the findings, each with its change.
    func changes(
        _ findings: VehicleFindings
    ) -> [(fault: VehicleFindings.Fault, fate: ConditionChange.Fate?)] {
        (findings.faults + findings.gone).map { fault in
            (fault, own(fault)?.fate ?? (fault.isGone && !isComparison ? .gone : nil))
        }
    }

    private func own(_ fault: VehicleFindings.Fault) -> ConditionChange.Code? {
        change.codes.first { $0.code.isSame(as: fault.code) }
    }

    /// The number of failed tests in one sentence; nil if none failed, or the verdict has it.
    var failures: String? {
        if change.now.codes.isEmpty { return nil }
        let failed = change.tests.count { $0.result.passed == false }
        return failed == 0 ? nil : "\(counted(Double(failed), "test result")) failed."
    }

    /// The circumstances when a code was stored, from its freeze frame.
    func moment(of code: VehicleCondition.Code) -> String? {
        guard case .dtc(let dtc) = code.code else { return nil }
        let own = frameReadings.map(\.reading).filter {
            $0.ecu == code.ecu && $0.dtc?.code == dtc.code
        }
        return CodeMoment(own, in: table).sentence { value, unit in
            let conversion = output.units.conversion(from: unit)
            return
                "\(fixed((conversion?(value) ?? value).rounded(), 0)) \(conversion?.unit ?? unit)"
        }
    }

    /// The tests, failed ones first and those without a name last.
    var sortedTests: [ConditionChange.Test] {
        change.tests.enumerated().sorted {
            ($0.element.result.rank, $0.offset) < ($1.element.result.rank, $1.offset)
        }.map(\.element)
    }

    var frameReadings: [(reading: Reading, value: ValueText)] {
        let codes = frames.compactMap { item -> (ECUAddress?, DTC)? in
            guard case .reading(let reading) = item, reading.dataID?.id == 0x02,
                case .text(let text) = reading.value, let code = DTC(text)
            else { return nil }
            return (reading.ecu, code)
        }
        return frames.compactMap { item in
            guard case .reading(var reading) = item, reading.frame != nil,
                reading.dataID?.id != 0x02
            else { return nil }
            if case .supportMap = reading.value { return nil }
            if case .missing = reading.value { return nil }
            reading.dtc = reading.dtc ?? codes.first { $0.0 == reading.ecu }?.1
            guard reading.dtc != nil else { return nil }
            return (reading, ValueText(reading, table[reading.signal], output.units))
        }
    }

    /// The names, with those of SAE J1939 if the codes are of that standard.
    private var known: ECUNames {
        var names = names
        names.isOnJ1939 = isOnJ1939
        return names
    }

    func title(of ecu: ECUAddress?, none: String = "ECU") -> String {
        known.title(of: ecu, none: none)
    }

    /// Whether the vehicle uses SAE J1939, for which there are no rules of inspections.
    private var isOnJ1939: Bool {
        names.isOnJ1939 || change.now.isOnJ1939
            || vehicleProtocol == VehicleProtocol.j1939.title
            || change.codes.contains { if case .j1939 = $0.code.code { true } else { false } }
    }

    var isComparison: Bool { since != nil }

    func state(_ complete: Bool?) -> String {
        complete == nil ? "—" : Readiness.text(complete)
    }

    /// The number of monitors that any ECU supports.
    var knownMonitors: Int {
        Set(change.monitors.filter { $0.now != nil }.map(\.monitor)).count
    }

    /// The lists of the code; a comparison has another column for codes that disappeared during it.
    func status(of fault: VehicleFindings.Fault) -> String {
        fault.isGone ? (own(fault)?.fate == .gone ? "" : "gone") : fault.status
    }

    // MARK: Text

    var text: String {
        let palette = output.palette
        var rows = TextTable([("", .left), ("", .left)])
        for fact in facts { rows.add([.init(fact.name, .dim), .init(fact.value)]) }
        let findings = findings
        let columns = output.columns
        let codes = changes(findings)
        var parts = [
            findings.head(palette, columns: columns, failures: failures) + rows.text(palette)
        ]
        if !codes.isEmpty {
            parts.append(
                codeTable(codes).text(palette, columns: output.columns))
            let proofs = findings.proofs(palette, columns: output.columns)
            if !proofs.isEmpty { parts.append(proofs) }
        }
        if !change.monitors.isEmpty {
            parts.append(
                monitorTable.text(palette, columns: columns)
                    + (findings.inspection.map { lines($0, nil, palette, columns) } ?? ""))
        }
        let tests = isComparison ? sortedTests : sortedTests.filter { $0.result.passed == false }
        if !tests.isEmpty { parts.append(testTable(tests).text(palette, columns: output.columns)) }
        return parts.joined(separator: "\n")
    }

    private func codeTable(
        _ shown: [(fault: VehicleFindings.Fault, fate: ConditionChange.Fate?)]
    ) -> TextTable {
        var codes = TextTable([
            ("CODE", .left), (isComparison ? "CHANGE" : "", .left), ("STATUS", .left),
            ("ECU", .left), ("MEANING", .left),
        ])
        for (fault, fate) in shown {
            codes.add([
                .init(fault.code.code.fullText, fault.isGone ? .dim : .bold),
                .init(
                    isComparison ? fate?.rawValue ?? "" : "",
                    fault.proof.state == .proven ? .good : fate == .gone ? .warning : nil),
                .init(status(of: fault)),
                .init(fault.code.ecu, known),
                .init(texts.text(of: fault.code.code) ?? CodeTexts.unknown),
            ])
        }
        return codes
    }

    private var monitorTable: TextTable {
        var monitors = TextTable([
            ("ECU", .left), ("MONITOR", .left), (isComparison ? "BEFORE" : "", .left),
            ("NOW", .left),
        ])
        for monitor in change.monitors {
            monitors.add([
                .init(monitor.ecu, known), .init(monitor.monitor.title),
                .init(isComparison ? state(monitor.before) : ""), .init(state(monitor.now)),
            ])
        }
        return monitors
    }

    private func testTable(_ shown: [ConditionChange.Test]) -> TextTable {
        var tests = TextTable(
            [
                ("ECU", .left), ("MONITOR", .left), ("TEST", .left),
                (isComparison ? "BEFORE" : "", .right), ("VALUE", .right), ("LIMITS", .left),
                ("UNIT", .left), ("RESULT", .left),
            ], flexible: [1, 2])
        for test in shown {
            let result = test.result
            tests.add([
                .init(result.ecu, known), .init(result.monitorTitle),
                .init(result.testTitle), .init(result.text(test.before)),
                .init(result.text(result.value)), .init(result.limitsText),
                .init(result.unit ?? ""), .init(result.verdict),
            ])
        }
        return tests
    }
}

extension String {
    /// The text with a capital first letter.
    var capitalised: String { prefix(1).uppercased() + dropFirst() }
}
