import Diagnostics
import OBDCore
import TripStore

/// The codes, readiness and test results of a vehicle's ECUs at one moment.
package struct VehicleCondition: Sendable {
    /// A code of an ECU with its statuses.
    package struct Code: Sendable {
        /// The ECU that reported the code; nil = headers were off.
        package var ecu: ECUAddress?
        package var code: CodeReport.Code
        /// The statuses of the code, the weightiest first.
        package var kinds: [CodeReport.Kind]
        /// Whether the fault is present now (SAE J1939); nil if unknown.
        package var isActive: Bool?
        /// The ECU's further facts about the code: lamps (SAE J1939), status byte, advice (UDS).
        package var said = CodeExplanations.State()

        /// Whether `other` is the same code of the same ECU.
        func isSame(as other: Code) -> Bool {
            ecu == other.ecu && code.isSame(as: other.code)
        }

        /// All known facts about the state of the code.
        package var state: CodeExplanations.State {
            var state = said
            state.kind = kinds.first
            state.isPermanentToo = kinds.count > 1 && kinds.contains(.permanent)
            state.isActive = isActive
            return state
        }
    }

    package var time: UTC
    /// The codes, in the order of the reports.
    package var codes: [Code] = []
    /// Supported monitors, since codes were cleared.
    package var monitors: [MonitorStatus] = []
    /// The results of tests that were run.
    package var tests: [MonitorTestResult] = []
    /// Whether the check engine light of each ECU is on, as far as it is known.
    package var lights: [(ecu: ECUAddress?, isOn: Bool)] = []
    /// The counters of the ECUs since codes were cleared.
    package var sinceClear: [SinceClear] = []
    /// Whether the condition is from the database, which has only what was read then.
    package var isStored = false
    /// When obdscan cleared codes, according to the database, the latest last.
    package var clearings: [(ecu: ECUAddress?, time: UTC)] = []
    /// The kind of vehicle for the rules of inspections.
    package var subject = Inspection.Subject.car
    /// The model year; nil = not known.
    package var modelYear: Int?
    /// Whether the vehicle uses SAE J1939.
    package var isOnJ1939 = false
    /// The parts of the vehicle's drive, as far as they are known.
    package private(set) var engine = EngineParts()
    package var names = ECUNames()

    /// The condition from data that was read from the vehicle.
    ///
    /// `table` has the names of the signals.
    package init(
        time: UTC, codes reports: [CodeReport], items: [DiagnosticItem], vin: VIN? = nil,
        onJ1939: Bool = false, table: PIDTable? = nil
    ) {
        self.time = time
        isOnJ1939 = onJ1939
        modelYear = vin?.northAmericanModelYear
        sinceClear = SinceClear.all(items)
        var labels: [UInt8: (code: UInt64, name: String?)] = [:]
        for case .reading(let reading) in items {
            guard let pid = reading.currentPID, pid == 0x1C || pid == 0x51, labels[pid] == nil,
                case .label(let code) = reading.value
            else { continue }
            let name = table?[reading.signal].labels.first { $0.code == code }?.label
            labels[pid] = (code, name)
        }
        subject = Inspection.subject(
            requirement: labels[0x1C]?.code, named: labels[0x1C]?.name, fuel: labels[0x51]?.code,
            onJ1939: onJ1939)
        for report in reports {
            let state = CodeExplanations.State(report)
            add(report.ecu, report.code, report.kind, report.isActive, state)
        }
        for item in items {
            switch item {
            case .monitor(let status) where status.supported && status.scope == .sinceClear:
                monitors.append(status)
            case .monitorTest(let result) where result.passed != nil: tests.append(result)
            default: continue
            }
        }
        setEngine(fuel: labels[0x51]?.code)
    }

    private mutating func setEngine(fuel: UInt64?) {
        engine = EngineParts(fuel: fuel, monitors: Set(monitors.map(\.monitor)))
        for place in codes.indices { codes[place].said.engine = engine }
    }

    /// The stored condition of a vehicle at `time`.
    ///
    /// Codes that were not read again count as still present.
    package init(of vehicle: String, at time: UTC, in store: TripStore) throws(StoreError) {
        self.time = time
        for entry in try store.codeHistory(vehicle: vehicle) where entry.isPresent(at: time) {
            add(entry.ecu, entry.code, entry.kind, nil)
        }
        monitors = try store.readiness(ofVehicle: vehicle, at: time).filter(\.supported)
        tests = try store.testResults(ofVehicle: vehicle, at: time)
        lights = try store.lights(ofVehicle: vehicle, at: time)
        clearings = try store.clearings(ofVehicle: vehicle, until: time)
        isStored = true
        modelYear = try store.vehicle(vehicle)?.vin?.northAmericanModelYear
        isOnJ1939 = codes.contains { if case .j1939 = $0.code { true } else { false } }
        // Older counters say nothing about this reading: codes may have been cleared since.
        var values: [(ecu: ECUAddress?, pid: UInt8, value: Double)] = []
        if let last = try store.lastScan(ofVehicle: vehicle, until: time) {
            let begin = UTC(microseconds: last.microseconds - TripStore.visit)
            values = try store.values(
                ofVehicle: vehicle, pids: SinceClear.pids + [0x1C, 0x51], from: begin, until: time)
        }
        sinceClear = SinceClear.all(values)
        func code(_ pid: UInt8) -> UInt64? {
            values.first { $0.pid == pid }.flatMap { UInt64(exactly: $0.value) }
        }
        subject = Inspection.subject(
            requirement: code(0x1C), named: nil, fuel: code(0x51), onJ1939: isOnJ1939)
        setEngine(fuel: code(0x51))
    }

    /// The stored condition of a vehicle at `time`, or else that of its first reading after it; nil if
    /// there is none.
    package static func known(
        of vehicle: String, at time: UTC, in store: TripStore
    ) throws(StoreError) -> VehicleCondition? {
        let condition = try VehicleCondition(of: vehicle, at: time, in: store)
        if !condition.isEmpty { return condition }
        guard let first = try store.firstScan(ofVehicle: vehicle, after: time) else { return nil }
        return try VehicleCondition(of: vehicle, at: first, in: store)
    }

    private mutating func add(
        _ ecu: ECUAddress?, _ code: CodeReport.Code, _ kind: CodeReport.Kind, _ isActive: Bool?,
        _ said: CodeExplanations.State = .init()
    ) {
        let known = codes.firstIndex { $0.ecu == ecu && $0.code.isSame(as: code) }
        guard let known else {
            codes.append(
                Code(ecu: ecu, code: code, kinds: [kind], isActive: isActive, said: said))
            return
        }
        codes[known].said.statusByte = codes[known].said.statusByte ?? said.statusByte
        codes[known].said.advice = codes[known].said.advice ?? said.advice
        codes[known].said.lamps = codes[known].said.lamps ?? said.lamps
        if isActive == true || codes[known].isActive == nil { codes[known].isActive = isActive }
        // The database has the lists in another order: the first one decides about the advice.
        let kinds = codes[known].kinds + [kind]
        codes[known].kinds = CodeReport.Kind.allCases.filter(kinds.contains)
    }

    /// Monitors that any ECU has not completed.
    package var incomplete: [MonitorStatus.Monitor] {
        let open = Set(monitors.filter { $0.complete == false }.map(\.monitor))
        return MonitorStatus.Monitor.allCases.filter(open.contains)
    }

    /// The rule of the inspection that applies; nil if nothing is known about monitors.
    package var inspection: String? {
        if monitors.isEmpty, lights.isEmpty { return nil }
        return Inspection.sentence(
            subject, modelYear: modelYear, supported: Set(monitors.map(\.monitor)).count,
            incomplete: incomplete,
            lightIsOn: lights.isEmpty ? nil : lights.contains(where: \.isOn))
    }

    /// Whether there is no data at all.
    package var isEmpty: Bool { codes.isEmpty && monitors.isEmpty && tests.isEmpty }
}

/// The differences between two moments.
package struct ConditionChange: Sendable {
    package enum Fate: String, Sendable {
        case came, gone, stayed
    }

    /// A code with its change; `fate` is nil without a comparison.
    package struct Code: Sendable {
        package var code: VehicleCondition.Code
        package var fate: Fate?
    }

    /// The present and former state of a monitor; nil = unknown.
    package struct Monitor: Sendable {
        package var ecu: ECUAddress?
        package var monitor: MonitorStatus.Monitor
        /// Whether the monitor was complete before.
        package var before: Bool?
        /// Whether the monitor is complete now.
        package var now: Bool?
    }

    /// A present test result with its former value.
    package struct Test: Sendable {
        package var result: MonitorTestResult
        /// The former value; nil = unknown.
        package var before: Double?
    }

    package var now: VehicleCondition
    /// The present codes, then those that disappeared.
    package var codes: [Code]
    package var monitors: [Monitor]
    package var tests: [Test]

    /// Compares two conditions; without `before`, only the present data is included.
    package init(before: VehicleCondition?, now: VehicleCondition) {
        self.now = now
        codes = now.codes.map { code in
            let fate = before.map { before -> Fate in
                let earlier = before.codes.first { $0.isSame(as: code) }?.kinds
                // A code that is stored again returned; its permanent code had only waited.
                let isNew = code.kinds.contains(.stored) && earlier?.contains(.stored) == false
                return earlier == nil || isNew ? .came : .stayed
            }
            return Code(code: code, fate: fate)
        }
        for code in before?.codes ?? [] where !now.codes.contains(where: { $0.isSame(as: code) }) {
            codes.append(Code(code: code, fate: .gone))
        }
        monitors = now.monitors.map { status in
            let earlier = before?.monitors.first {
                $0.ecu == status.ecu && $0.monitor == status.monitor
            }
            return Monitor(
                ecu: status.ecu, monitor: status.monitor, before: earlier?.complete,
                now: status.complete)
        }
        tests = now.tests.map { result in
            Test(
                result: result,
                before: before?.tests.first { $0.isSameTest(as: result) }?.value)
        }
    }
}

extension CodeHistoryEntry {
    /// Whether the code was present with this status at `time`, as far as known.
    package func isPresent(at time: UTC) -> Bool {
        changes.last { $0.time <= time }?.isPresent ?? false
    }
}

extension MonitorTestResult {
    /// Whether `other` is a result of the same test of the same ECU.
    package func isSameTest(as other: MonitorTestResult) -> Bool {
        ecu == other.ecu && mid == other.mid && tid == other.tid && component == other.component
    }
}

extension CodeReport.Code {
    /// Whether the other code is the same, ignoring SAE J1939's occurrence count.
    func isSame(as other: CodeReport.Code) -> Bool {
        switch (self, other) {
        case (.dtc(let one), .dtc(let two)): one.description == two.description
        case (.j1939(let one), .j1939(let two)): one.text == two.text
        case (.dtc, _), (.j1939, _): false
        }
    }
}
