import Diagnostics
import OBDCore
import TripStore

/// What a vehicle's ECUs said about codes, readiness and test results, at one moment.
struct VehicleCondition: Sendable {
    /// A code of an ECU and the lists that hold it.
    struct Code: Sendable {
        var ecu: ECUAddress?
        var code: CodeReport.Code
        var kinds: [CodeReport.Kind]
        /// Whether the fault is there now (SAE J1939); nil where nobody said.
        var isActive: Bool?
    }

    /// When.
    var time: UTC
    var codes: [Code] = []
    /// Supported monitors, since codes were cleared.
    var monitors: [MonitorStatus] = []
    /// Test results that were run.
    var tests: [MonitorTestResult] = []

    /// What was read of the vehicle itself.
    init(time: UTC, codes reports: [CodeReport], items: [DiagnosticItem]) {
        self.time = time
        for report in reports { add(report.ecu, report.code, report.kind, report.isActive) }
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
    init(of vehicle: String, at time: UTC, in store: TripStore) throws(Failure) {
        self.time = time
        let known = try mapped { () throws(StoreError) in
            (
                try store.codeHistory(vehicle: vehicle),
                try store.readiness(ofVehicle: vehicle, at: time),
                try store.monitorTrend(vehicle: vehicle)
            )
        }
        for entry in known.0 where entry.isPresent(at: time) {
            add(entry.ecu, entry.code, entry.kind, nil)
        }
        monitors = known.1.filter(\.supported)
        for point in known.2 where point.time <= time {
            let same = tests.firstIndex { $0.isSameTest(as: point.result) }
            if let same { tests[same] = point.result } else { tests.append(point.result) }
        }
    }

    private mutating func add(
        _ ecu: ECUAddress?, _ code: CodeReport.Code, _ kind: CodeReport.Kind, _ isActive: Bool?
    ) {
        let known = codes.firstIndex { $0.ecu == ecu && $0.code.fullText == code.fullText }
        guard let known else {
            codes.append(Code(ecu: ecu, code: code, kinds: [kind], isActive: isActive))
            return
        }
        if isActive == true || codes[known].isActive == nil { codes[known].isActive = isActive }
        if !codes[known].kinds.contains(kind) { codes[known].kinds.append(kind) }
    }

    /// Whether nothing is known at all.
    var isEmpty: Bool { codes.isEmpty && monitors.isEmpty && tests.isEmpty }
}

/// What is different between two moments.
struct ConditionChange: Sendable {
    /// What became of a code.
    enum Fate: String, Sendable {
        case came, gone, stayed
    }

    /// A line of codes; `fate` nil = there is nothing to compare with.
    struct Code: Sendable {
        var code: VehicleCondition.Code
        var fate: Fate?
    }

    /// A monitor now and before; nil = not known.
    struct Monitor: Sendable {
        var ecu: ECUAddress?
        var monitor: MonitorStatus.Monitor
        var before: Bool?
        var now: Bool?
    }

    /// A test result now, and its value before.
    struct Test: Sendable {
        var result: MonitorTestResult
        var before: Double?
    }

    var codes: [Code]
    var monitors: [Monitor]
    var tests: [Test]

    /// Compares; without `before` there is only what is now.
    init(before: VehicleCondition?, now: VehicleCondition) {
        func isSame(_ one: VehicleCondition.Code, _ other: VehicleCondition.Code) -> Bool {
            one.ecu == other.ecu && one.code.fullText == other.code.fullText
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
