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
        let failureTypes = "dtc/failure-types.tsv"
        let codes = EmbeddedFiles.all.filter { file in
            let path = file.path.description
            return path.hasPrefix("dtc/") && path.hasSuffix(".tsv") && path != failureTypes
        }
        return CodeTexts(
            codes.map { .embedded($0.contents) },
            failureTypes: embedded(failureTypes).map { [.embedded($0)] } ?? [])
    }

    private static func embedded(_ path: String) -> StaticString? {
        EmbeddedFiles.all.first { $0.path.description == path }?.contents
    }
}
