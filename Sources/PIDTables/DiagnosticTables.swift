public import Diagnostics

extension PIDTables {
    /// The embedded names and scalings of on-board tests, and the rules for readiness.
    public static func monitorTables() throws(MonitorTableError) -> MonitorTables {
        var tables = MonitorTables()
        for file in MonitorTables.File.allCases {
            guard let text = embedded("monitors/" + file.rawValue) else { continue }
            try tables.add(text.description, of: file)
        }
        return tables
    }

    /// The embedded texts of trouble codes, which are not parsed.
    public static func codeTexts() -> CodeTexts {
        func files(_ names: String...) -> [CodeTexts.File] {
            names.compactMap { embedded("dtc/" + $0 + ".tsv").map { .embedded($0) } }
        }
        return CodeTexts(
            files("powertrain", "network", "body", "chassis"),
            failureTypes: files("failure-types"), parameters: files("parameters"),
            failureModes: files("failure-modes"))
    }

    /// The embedded explanations of trouble codes, which are read again at each call.
    public static func codeExplanations() throws(CodeExplanationError) -> CodeExplanations {
        try CodeExplanations(embedded(explanationPath).map(\.description) ?? "")
    }

    /// The embedded limits beyond which values are unusual, which are read again at each call.
    public static func signalLevels() throws(SignalLevelError) -> SignalLevels {
        try SignalLevels(embedded("levels.tsv").map(\.description) ?? "")
    }

    /// The embedded names of signals in the Vehicle Signal Specification.
    public static var vehicleSignalNames: String { embedded("vss.tsv")?.description ?? "" }

    /// The file with the families of codes.
    static let explanationPath = "dtc/families.txt"

    private static func embedded(_ path: String) -> StaticString? {
        EmbeddedFiles.all.first { $0.path.description == path }?.contents
    }
}
