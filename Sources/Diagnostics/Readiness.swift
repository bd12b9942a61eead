public import OBDCore

/// How inspections judge incomplete monitors, by region and model year.
public struct ReadinessRules: Hashable, Sendable {
    /// One rule.
    public struct Rule: Hashable, Sendable {
        /// The region of the rule: `us-epa`.
        public var region: String
        /// The monitor's name for the user.
        public var title: String
        /// The first model year to which it applies.
        public var firstYear: Int
        /// The last model year; nil if it still applies.
        public var lastYear: Int?
        /// The number of incomplete monitors that are allowed.
        public var allowed: Int
        /// Monitors that do not count.
        public var uncounted: [MonitorStatus.Monitor]

        /// The monitors out of these that count.
        public func counted(_ incomplete: [MonitorStatus.Monitor]) -> [MonitorStatus.Monitor] {
            incomplete.filter { !uncounted.contains($0) }
        }

        /// Whether these incomplete monitors are allowed.
        public func tolerates(_ incomplete: [MonitorStatus.Monitor]) -> Bool {
            counted(incomplete).count <= allowed
        }
    }

    /// The rules, ordered by region and then by age.
    public private(set) var rules: [Rule] = []

    /// No rules: no incomplete monitor is allowed.
    public init() {}

    /// The rule of each region for a model year; an unknown year uses the last rule.
    ///
    /// Regions without a rule for the year are left out.
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

/// The combined monitors of a vehicle's ECUs.
public struct Readiness: Hashable, Sendable {
    /// The state of one ECU.
    public struct ECU: Hashable, Sendable {
        /// The address of the ECU.
        public var ecu: ECUAddress?
        /// Whether the ECU turns on the check engine light; nil if it did not report that.
        public var lampIsOn: Bool?
        /// The number of the ECU's confirmed codes; nil if it did not report that.
        public var codeCount: Int?
        /// The ECU's monitors.
        public var monitors: [MonitorStatus]
    }

    /// The ECUs, in the order in which they answered.
    public private(set) var ecus: [ECU] = []

    /// Collects the monitors of one scope, and the readings `MIL` and `DTC_CNT`, from `items`.
    ///
    /// A second answer from an ECU replaces the first. Without headers several ECUs share one place: their
    /// light is on if one of them turns it on, and they have the codes of all.
    public init(
        _ items: some Sequence<DiagnosticItem>, scope: MonitorStatus.Scope = .sinceClear,
        table: PIDTable
    ) {
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
            // A readiness group without codes, or another ECU if headers are off, must not remove what an ECU
            // has reported about its monitor.
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
        let place = place(of: reading.ecu)
        switch (table[reading.signal].id, reading.value) {
        case ("MIL", .flag(let isOn)):
            ecus[place].lampIsOn =
                isOn || reading.ecu == nil && ecus[place].lampIsOn == true
        case ("DTC_CNT", .number):
            // Bits 6–0 of byte A.
            let count = reading.raw.first.map { Int($0 & 0x7F) }
            let others = reading.ecu == nil ? ecus[place].codeCount ?? 0 : 0
            ecus[place].codeCount = count.map { $0 + others }
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

    /// Whether any ECU turns on the check engine light; nil if none reported that.
    public var lampIsOn: Bool? {
        let told = ecus.compactMap(\.lampIsOn)
        return told.isEmpty ? nil : told.contains(true)
    }

    private var statuses: [MonitorStatus] { ecus.flatMap(\.monitors) }
}
