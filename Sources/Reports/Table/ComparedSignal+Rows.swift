import Diagnostics
import Formats
import OBDCore
import PIDTables

extension ComparedSignal {
    /// The result of a comparison for a signal.
    package static let shape = RowShape<ComparedSignal>(
        "comparedSignal",
        [
            Field("service") { .text($0.dataID.service.description) },
            Field("pid") { .text($0.dataID.idText) },
            Field(heading: "ID") { .init($0.dataID.description, .dim) },
            Field("reply", "REPLY", missing: "") { .text($0.responder?.description) },
            Field("first", "FIRST") { .text($0.first?.id) },
            Field("second", "SECOND") { .text($0.second?.id) },
            Field("answers", "ANSWERS", .right) { .integer($0.answers) },
            Field("verdict", "VERDICT") { .text(words($0.verdict)) },
        ])

    private static func words(_ verdict: ComparedSignal.Verdict) -> String {
        switch verdict {
        case .agree: "agree"
        case .agreeOnMadeUpData: "agree on made-up data"
        case .differ: "differ"
        case .onlyFirst: "only in the first"
        case .onlySecond: "only in the second"
        }
    }
}
