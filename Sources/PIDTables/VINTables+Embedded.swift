public import Diagnostics

extension PIDTables {
    /// The tables of manufacturers and countries for VINs.
    public static func vinTables() -> VINTables {
        func text(_ path: StaticString) -> String {
            EmbeddedFiles.all.first { $0.path.description == path.description }
                .map { $0.contents.description } ?? ""
        }
        return VINTables(makes: text("vin/makes.tsv"), countries: text("vin/countries.tsv"))
    }
}
