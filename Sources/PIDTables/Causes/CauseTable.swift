/// The values of healthy vehicles, and the causes that explain other values: `pids/causes`.
package struct CauseTable: Sendable {
    /// A number that is measured in a drive.
    package struct Measure: Hashable, Sendable {
        /// The distribution of healthy vehicles: Student's t.
        package struct Healthy: Hashable, Sendable {
            package var centre, spread: Double
            /// The degrees of freedom: few for a feature with heavy tails.
            package var tails: Double
        }

        /// How the feature follows from two others, so that its shift follows from theirs.
        package enum Derived: Hashable, Sendable {
            case difference(String, String)
            case ratio(String, String)
        }

        package var id: String
        package var name: String
        package var unit = ""
        package var places = 1
        /// Seconds of data without which nothing is said.
        package var least = 0.0
        /// The quantities without which it cannot be measured.
        package var needs: [String] = []
        /// Nil if the number only serves formulas.
        package var healthy: Healthy?
        /// The usual range of healthy vehicles, for people.
        package var limit: ClosedRange<Double>?
        /// No healthy vehicle leaves this range.
        package var surely: ClosedRange<Double>?
        package var derived: Derived?
        /// It adds nothing where one of these was measured.
        package var unless: [String] = []
        package var sources: [Int] = []
        /// The monitors of service 06 whose results it is made of.
        package var monitors: Set<UInt8> = []
        /// What it is about, for a list of what was not measured; several measures have the same.
        package var topic: String { topicText.isEmpty ? name : topicText }
        package var topicText = ""
        package var reads = Reads.strain

        /// The results of service 06 that a measure uses.
        package enum Reads: Hashable, Sendable {
            /// The share of the way to the limit.
            case strain
            /// Misfires per 100 strokes of the worst cylinder.
            case misfires
        }
    }

    /// A comparison of one feature with a bound.
    package struct Term: Hashable, Sendable {
        package enum Comparison: Hashable, Sendable {
            case above(Double)
            case below(Double)
            case unknown
        }

        package var feature: String
        package var comparison: Comparison
    }

    /// Alternatives, of which each is a list of terms that hold together.
    package struct Condition: Hashable, Sendable {
        package var alternatives: [[Term]] = []
        package var why = ""
    }

    /// The effect of a cause on a feature.
    package struct Expectation: Hashable, Sendable {
        package enum Change: String, Hashable, Sendable {
            case plus = "+"
            case minus = "-"
            case times = "*"
            case equals = "="
        }

        package var feature: String
        package var change: Change
        package var formula: CauseExpression
        /// The formula as it is written.
        package var text: String
    }

    package struct Cause: Hashable, Sendable {
        package enum Frequency: String, Hashable, Sendable {
            case common, usual, rare

            /// The share of vehicles that have it when a reader asks.
            package var prior: Double {
                switch self {
                case .common: 0.02
                case .usual: 0.01
                case .rare: 0.003
                }
            }
        }

        package var id: String
        package var name: String
        /// The traits that the vehicle must have: petrol, meter, natural.
        package var applies: [String] = []
        /// Each a list of alternatives.
        package var needs: [[String]] = []
        package var frequency = Frequency.usual
        package var severity = ""
        package var severities: [Double] = []
        package var severityUnit = ""
        package var expects: [Expectation] = []
        /// Features that it changes in half of all vehicles only.
        package var maybes: Set<String> = []
        /// Features of which it says nothing.
        package var free: Set<String> = []
        package var musts: [Condition] = []
        package var forbids: [Condition] = []
        /// Causes that look alike, and the test that separates them.
        package var alike: [(cause: String, test: String)] = []
        package var next = ""
        package var drive = ""
        /// Codes that it may set, as other causes may.
        package var codes: [String] = []
        /// Codes that name this very fault.
        package var own: [String] = []
        /// With one of these its own limit is passed, whatever else must be seen.
        package var proofs: [Condition] = []
        package var sources: [Int] = []

        package static func == (one: Self, other: Self) -> Bool { one.id == other.id }
        package func hash(into hasher: inout Hasher) { hasher.combine(id) }
    }

    package private(set) var measures: [Measure] = []
    private var places: [String: Int] = [:]
    package var causes: [Cause] = []

    package init() {}

    package subscript(measure id: String) -> Measure? { places[id].map { measures[$0] } }
    package subscript(cause id: String) -> Cause? { causes.first { $0.id == id } }

    /// Replaces what is usual for a measure.
    package mutating func setHealthy(_ healthy: Measure.Healthy, of id: String) {
        if let place = places[id] { measures[place].healthy = healthy }
    }

    /// A later cause or measure replaces an earlier one of the same name.
    package mutating func replace(_ other: Self) {
        measures.removeAll { old in other.measures.contains { $0.id == old.id } }
        causes.removeAll { other.causes.contains($0) }
        places = [:]
        for (place, measure) in measures.enumerated() { places[measure.id] = place }
        for measure in other.measures { add(measure) }
        causes += other.causes
    }

    mutating func add(_ measure: Measure) {
        places[measure.id] = measures.count
        measures.append(measure)
    }
}
