/// The paper that a page is printed on.
public enum Paper: String, CaseIterable, Sendable {
    case a4 = "A4"
    case letter = "letter"

    /// The territories whose paper is US Letter (Unicode CLDR, supplemental data, `paperSize`).
    private static let letterTerritories: Set<String> = [
        "BZ", "CA", "CL", "CO", "CR", "GT", "MX", "NI", "PA", "PH", "PR", "SV", "US", "VE",
    ]

    /// The paper of a user: `name` if it is known, such as `letter` in PAPERSIZE, else the paper of the
    /// territory in `locale`, such as `en_US.UTF-8`; A4 if neither names one.
    public init(name: String?, locale: String?) {
        let named = Self.allCases.first { $0.rawValue.lowercased() == name?.lowercased() }
        let territory = locale?.split(separator: "_").dropFirst().first?.prefix(2)
        let usual: Self =
            territory.map { Self.letterTerritories.contains(String($0)) } == true ? .letter : .a4
        self = named ?? usual
    }
}
