public import Diagnostics

extension PIDTables {
    /// Names and scalings of on-board tests and the rules for readiness, as embedded.
    public static func monitorTables() throws(MonitorTableError) -> MonitorTables {
        var tables = MonitorTables()
        for file in MonitorTables.File.allCases {
            guard let text = embedded("monitors/" + file.rawValue) else { continue }
            try tables.add(text.description, of: file)
        }
        return tables
    }

    /// The texts of trouble codes, as embedded; nothing is parsed.
    public static func codeTexts() -> CodeTexts {
        func files(_ names: String...) -> [CodeTexts.File] {
            names.compactMap { embedded("dtc/" + $0 + ".tsv").map { .embedded($0) } }
        }
        return CodeTexts(
            files("powertrain", "network", "body", "chassis"),
            failureTypes: files("failure-types"), parameters: files("parameters"),
            failureModes: files("failure-modes"))
    }

    /// What stands beside trouble codes, as embedded; read again at each call.
    public static func codeExplanations() throws(CodeExplanationError) -> CodeExplanations {
        try CodeExplanations(embedded(explanationPath).map(\.description) ?? "")
    }

    /// From where values deserve a look, as embedded; read again at each call.
    public static func signalLevels() throws(SignalLevelError) -> SignalLevels {
        try SignalLevels(embedded("levels.tsv").map(\.description) ?? "")
    }

    /// The names of signals in the Vehicle Signal Specification, as embedded.
    public static var vehicleSignalNames: String { embedded("vss.tsv")?.description ?? "" }

    /// The file of families of codes.
    static let explanationPath = "dtc/families.txt"

    private static func embedded(_ path: String) -> StaticString? {
        EmbeddedFiles.all.first { $0.path.description == path }?.contents
    }
}
