import Diagnostics

extension ResolvedSignals.Unknown {
    package var text: String {
        let standards = profiles.map(\.standard).joined(separator: " and ")
        return "the vehicle speaks \(standards), which has no signal \"\(name)\""
    }
}
