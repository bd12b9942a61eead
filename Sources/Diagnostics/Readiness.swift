public import OBDCore

/// What inspections make of monitors that have not run, by region and model year.
public struct ReadinessRules: Hashable, Sendable {
    /// One rule.
    public struct Rule: Hashable, Sendable {
        /// Where it is in force: `us-epa`.
        public var region: String
        /// As people know it.
        public var title: String
        /// The first model year that it is for.
        public var firstYear: Int
        /// The last one; nil = it is still in force.
        public var lastYear: Int?
        /// Incomplete monitors that are tolerated.
        public var allowed: Int
        /// Monitors that are not counted.
        public var uncounted: [MonitorStatus.Monitor]

        /// Which of these monitors it counts.
        public func counted(_ incomplete: [MonitorStatus.Monitor]) -> [MonitorStatus.Monitor] {
            incomplete.filter { !uncounted.contains($0) }
        }

        /// Whether it tolerates these incomplete monitors.
        public func tolerates(_ incomplete: [MonitorStatus.Monitor]) -> Bool {
            counted(incomplete).count <= allowed
        }
    }

    /// The rules, region by region, oldest first.
    public private(set) var rules: [Rule] = []

    /// No rules: nothing incomplete is tolerated.
    public init() {}

    /// Incomplete monitors that the first region tolerates; an unknown year is judged by its last rule.
    public func allowedIncomplete(modelYear: Int?) -> Int {
        rules.first.flatMap { rule(of: $0.region, modelYear: modelYear) }?.allowed ?? 0
    }

    /// The rule of each region for a model year, an unknown year by its last rule; a region without a
    /// rule for it is left out.
    public func rules(modelYear: Int?) -> [Rule] {
        var regions: [String] = []
        for rule in rules where !regions.contains(rule.region) { regions.append(rule.region) }
        return regions.compactMap { rule(of: $0, modelYear: modelYear) }
    }

    private func rule(of region: String, modelYear: Int?) -> Rule? {
        let own = rules.filter { $0.region == region }
        guard let modelYear else { return own.last }
        return own.first { $0.firstYear <= modelYear && modelYear <= $0.lastYear ?? .max }
    }

    mutating func add(_ row: RowReader) throws(MonitorTableError) {
        guard let firstYear = Int(row[2]), let allowed = Int(row[4]), allowed >= 0 else {
            throw row.malformed(row[2], "a model year and a number of monitors")
        }
        let lastYear = Int(row[3])
        guard lastYear != nil || row[3].isEmpty else {
            throw row.malformed(row[3], "a model year or empty")
        }
        let region = try row.text(0)
        if let previous = rules.last, previous.region == region,
            firstYear <= previous.lastYear ?? .max
        {
            throw row.malformed(row[2], "a year after those of the row above")
        }
        var uncounted: [MonitorStatus.Monitor] = []
        for word in row[5].split(separator: " ") {
            guard let monitor = MonitorStatus.Monitor(rawValue: String(word)) else {
                throw row.malformed(word, "a monitor")
            }
            uncounted.append(monitor)
        }
        rules.append(
            Rule(
                region: region, title: try row.text(1), firstYear: firstYear, lastYear: lastYear,
                allowed: allowed, uncounted: uncounted))
    }
}

/// What the ECUs of a vehicle say about their monitors, taken together.
public struct Readiness: Hashable, Sendable {
    /// Whether the vehicle would be accepted for a test of its emissions.
    public enum Verdict: Hashable, Sendable {
        /// No more monitors are incomplete than are tolerated, and the check engine light is off.
        case ready
        /// More monitors are incomplete than are tolerated.
        case notReady
        /// The lamp is on: the vehicle fails, however ready it is.
        case lampOn
        /// No ECU told anything.
        case unknown
    }

    /// What one ECU says.
    public struct ECU: Hashable, Sendable {
        /// Who.
        public var ecu: ECUAddress?
        /// Whether it asks for the check engine light; nil where it did not tell.
        public var lampIsOn: Bool?
        /// Confirmed codes that it holds; nil where it did not tell.
        public var codeCount: Int?
        /// Its monitors.
        public var monitors: [MonitorStatus]
    }

    /// The scope that was asked for.
    public var scope: MonitorStatus.Scope
    /// The ECUs, in the order in which they answered.
    public private(set) var ecus: [ECU] = []

    /// Gathers the monitors of one scope, and the readings `MIL` and `DTC_CNT`, from `items`.
    ///
    /// An ECU that answers again replaces what it said before.
    public init(
        _ items: some Sequence<DiagnosticItem>, scope: MonitorStatus.Scope = .sinceClear,
        table: PIDTable
    ) {
        self.scope = scope
        for item in items {
            switch item {
            case .monitor(let status) where status.scope == scope: note(status)
            case .reading(let reading): note(reading, table)
            case .monitor, .monitorTest, .code, .negativeResponse, .message, .error: continue
            }
        }
    }

    private mutating func place(of ecu: ECUAddress?) -> Int {
        if let known = ecus.firstIndex(where: { $0.ecu == ecu }) { return known }
        ecus.append(ECU(ecu: ecu, monitors: []))
        return ecus.count - 1
    }

    private mutating func note(_ status: MonitorStatus) {
        let place = place(of: status.ecu)
        if let known = ecus[place].monitors.firstIndex(where: { $0.monitor == status.monitor }) {
            // A readiness group without codes, or another ECU where headers are off, takes nothing
            // back of what an ECU has told of its monitor.
            if !status.supported && ecus[place].monitors[known].supported { return }
            ecus[place].monitors[known] = status
        } else {
            ecus[place].monitors.append(status)
        }
    }

    private mutating func note(_ reading: Reading, _ table: PIDTable) {
        // SPN 1218 of DM5: active codes.
        if reading.dataID == DataID(DataID.parameterGroups, 0xFECE) {
            if table[reading.signal].id == "SPN1218", case .number(let count) = reading.value {
                ecus[place(of: reading.ecu)].codeCount = Int(count)
            }
            return
        }
        guard
            reading.dataID?.id == 0x01 || reading.dataID?.id == 0xF401
                || reading.dataID?.id == 0xF501,
            reading.dataID?.service == .currentData || reading.dataID?.service == .readData
        else { return }
        switch (table[reading.signal].id, reading.value) {
        case ("MIL", .flag(let isOn)): ecus[place(of: reading.ecu)].lampIsOn = isOn
        case ("DTC_CNT", .number):
            // Bits 6–0 of byte A.
            ecus[place(of: reading.ecu)].codeCount = reading.raw.first.map { Int($0 & 0x7F) }
        default: return
        }
    }

    /// Monitors that at least one ECU supports.
    public var supported: [MonitorStatus.Monitor] {
        MonitorStatus.Monitor.allCases.filter { monitor in
            statuses.contains { $0.monitor == monitor && $0.supported }
        }
    }

    /// Supported monitors that at least one ECU has not completed.
    public var incomplete: [MonitorStatus.Monitor] {
        MonitorStatus.Monitor.allCases.filter { monitor in
            statuses.contains { $0.monitor == monitor && $0.complete == false }
        }
    }

    /// Whether any ECU asks for the check engine light; nil where none told.
    public var lampIsOn: Bool? {
        let told = ecus.compactMap(\.lampIsOn)
        return told.isEmpty ? nil : told.contains(true)
    }

    /// Confirmed codes of all ECUs; nil where none told.
    public var codeCount: Int? {
        let told = ecus.compactMap(\.codeCount)
        return told.isEmpty ? nil : told.reduce(0, +)
    }

    private var statuses: [MonitorStatus] { ecus.flatMap(\.monitors) }

    /// The verdict by `rules`.
    public func verdict(modelYear: Int?, rules: ReadinessRules) -> Verdict {
        guard !supported.isEmpty else { return .unknown }
        if lampIsOn == true { return .lampOn }
        let allowed = rules.allowedIncomplete(modelYear: modelYear)
        return incomplete.count <= allowed ? .ready : .notReady
    }
}
