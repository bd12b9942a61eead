/// What the features of a drive come to.
///
/// Without a comparison of causes it names none. It says that something is off only if a feature is outside
/// the limits that no healthy vehicle leaves, with its error in its favour: a healthy vehicle that is accused
/// costs more than ten faults that are found.
package struct DriveVerdict: Sendable {
    package enum Kind: String, Sendable {
        /// Something is off, but nothing says what.
        case unclear
        /// Nothing odd.
        case nothing
        /// Nothing could be judged.
        case untestable
    }

    /// A feature that was not measured, with the signals that the drive lacks; none if only the operating
    /// point or its duration is missing.
    package struct Untested: Hashable, Sendable {
        package var id: DriveFeature.ID
        package var needs: [DriveQuantity]
    }

    package let kind: Kind
    /// At most three, the worst first.
    package let worst: [DriveFeature]
    package let features: [DriveFeature]
    package let untested: [Untested]
    package let points: [DriveWatch.Point]

    package init(_ watch: DriveWatch) {
        let features = watch.features
        self.features = features
        points = watch.points
        let isOff = features.contains(where: \.isSurelyOff)
        kind = features.isEmpty ? .untestable : isOff ? .unclear : .nothing
        worst =
            isOff
            ? Array(features.filter { $0.excess > 0 }.sorted { $0.excess > $1.excess }.prefix(3))
            : []
        let known = watch.known
        untested = DriveFeature.ID.allCases.filter { id in !features.contains { $0.id == id } }.map
        {
            Untested(id: $0, needs: $0.limits.needs.filter { !known.contains($0) })
        }
    }

    package var text: String {
        switch kind {
        case .unclear: "Something is off, but these readings do not say what."
        case .nothing:
            switch features.count(where: { $0.excess > 0 }) {
            case 0: "Nothing odd in what this drive shows."
            case 1: "Nothing is surely off, but one value is outside its usual range."
            case let count:
                "Nothing is surely off, but \(count) values are outside their usual ranges."
            }
        case .untestable: "This drive has no readings that can be judged."
        }
    }
}
