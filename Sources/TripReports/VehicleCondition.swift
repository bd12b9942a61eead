import Diagnostics
import OBDCore
import TripStore

/// What a vehicle's ECUs said about codes, readiness and test results, at one moment.
public struct VehicleCondition: Sendable {
    /// A code of an ECU and the lists that hold it.
    public struct Code: Sendable {
        /// The ECU that reported it; nil = headers were off.
        public var ecu: ECUAddress?
        /// The code.
        public var code: CodeReport.Code
        /// The lists that hold it.
        public var kinds: [CodeReport.Kind]
        /// Whether the fault is there now (SAE J1939); nil where it is not known.
        public var isActive: Bool?
        /// What the ECU says of it beyond that: lamps (SAE J1939), status byte, advice (UDS).
        public var said = CodeExplanations.State()

        /// All that is known of its state.
        var state: CodeExplanations.State {
            var state = said
            state.kind = kinds.first
            state.isActive = isActive
            return state
        }
    }

    /// When.
    public var time: UTC
    /// Codes, in the order in which they were reported.
    public var codes: [Code] = []
    /// Supported monitors, since codes were cleared.
    public var monitors: [MonitorStatus] = []
    /// Test results that were run.
    public var tests: [MonitorTestResult] = []

    /// What was read of the vehicle itself.
    public init(time: UTC, codes reports: [CodeReport], items: [DiagnosticItem]) {
        self.time = time
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
    }

    /// What the database knows of a vehicle at `time`; codes that were not read again since they
    /// came are there still.
    public init(of vehicle: String, at time: UTC, in store: TripStore) throws(StoreError) {
        self.time = time
        for entry in try store.codeHistory(vehicle: vehicle) where entry.isPresent(at: time) {
            add(entry.ecu, entry.code, entry.kind, nil)
        }
        monitors = try store.readiness(ofVehicle: vehicle, at: time).filter(\.supported)
        for point in try store.monitorTrend(vehicle: vehicle) where point.time <= time {
            let same = tests.firstIndex { $0.isSameTest(as: point.result) }
            if let same { tests[same] = point.result } else { tests.append(point.result) }
        }
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
        if !codes[known].kinds.contains(kind) { codes[known].kinds.append(kind) }
    }

    /// Whether nothing is known at all.
    public var isEmpty: Bool { codes.isEmpty && monitors.isEmpty && tests.isEmpty }
}

/// What is different between two moments.
public struct ConditionChange: Sendable {
    /// What became of a code.
    public enum Fate: String, Sendable {
        case came, gone, stayed
    }

    /// A line of codes; `fate` nil = there is nothing to compare with.
    public struct Code: Sendable {
        /// The code and its lists.
        public var code: VehicleCondition.Code
        /// What became of it.
        public var fate: Fate?
    }

    /// A monitor now and before; nil = not known.
    public struct Monitor: Sendable {
        /// The ECU.
        public var ecu: ECUAddress?
        /// The monitor.
        public var monitor: MonitorStatus.Monitor
        /// Whether it was complete before.
        public var before: Bool?
        /// Whether it is complete now.
        public var now: Bool?
    }

    /// A test result now, and its value before.
    public struct Test: Sendable {
        /// The result now.
        public var result: MonitorTestResult
        /// The value before; nil = not known.
        public var before: Double?
    }

    /// Codes of now, then those that are gone.
    public var codes: [Code]
    /// The monitors of now.
    public var monitors: [Monitor]
    /// The test results of now.
    public var tests: [Test]

    /// Compares; without `before` there is only what is now.
    public init(before: VehicleCondition?, now: VehicleCondition) {
        func isSame(_ one: VehicleCondition.Code, _ other: VehicleCondition.Code) -> Bool {
            one.ecu == other.ecu && one.code.isSame(as: other.code)
        }
        codes = now.codes.map { code in
            let wasThere = before?.codes.contains { isSame($0, code) }
            return Code(code: code, fate: wasThere.map { $0 ? .stayed : .came })
        }
        for code in before?.codes ?? [] where !now.codes.contains(where: { isSame($0, code) }) {
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
    /// Whether the list held the code at `time`, as far as that is known.
    public func isPresent(at time: UTC) -> Bool {
        changes.last { $0.time <= time }?.isPresent ?? false
    }
}

extension MonitorTestResult {
    /// Whether `other` is a result of the same test of the same ECU.
    public func isSameTest(as other: MonitorTestResult) -> Bool {
        ecu == other.ecu && mid == other.mid && tid == other.tid && component == other.component
    }
}

extension CodeReport.Code {
    /// Whether it is the same code, whatever SAE J1939 counts of it.
    fileprivate func isSame(as other: CodeReport.Code) -> Bool {
        switch (self, other) {
        case (.dtc(let one), .dtc(let two)): one.description == two.description
        case (.j1939(let one), .j1939(let two)): one.text == two.text
        case (.dtc, _), (.j1939, _): false
        }
    }
}
