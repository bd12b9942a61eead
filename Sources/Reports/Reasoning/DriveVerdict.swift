import PIDTables

/// The verdict about the features of a drive.
///
/// A cause is named on two conditions: health is improbable, and the features that the cause requires are
/// beyond their error, without a feature that excludes the cause. One healthy vehicle that is accused costs more
/// than ten faults that are found. If a condition is missing, the verdict is that something is off, or nothing.
package struct DriveVerdict: Sendable {
    package enum Kind: String, Sendable {
        /// One cause.
        case cause
        /// One of several causes that look alike.
        case several
        /// Something is off, but nothing says what.
        case unclear
        /// Nothing odd.
        case nothing
        /// Nothing could be judged.
        case untestable
    }

    /// A feature that was not measured, with the quantities that the drive lacks; none if only the operating
    /// point or its duration is missing.
    package struct Untested: Hashable, Sendable {
        package var measure: CauseTable.Measure
        package var needs: [String]
    }

    package let kind: Kind
    /// The causes that are named, at most three, the likeliest first; and those that remain possible.
    package let causes: [DriveInference.Candidate]
    /// At most three, the worst first.
    package let worst: [DriveFeature]
    package let features: [DriveFeature]
    /// What the whole trip did not measure.
    package private(set) var untested: [Untested]
    /// The topics of which the whole trip measured something.
    package private(set) var testedTopics: Set<String>
    package let points: [DriveWatch.Point]
    package let inference: DriveInference
    package let record: DriveRecord
    package let past: Past
    /// Since when the trip is judged, in microseconds from its start; nil for the whole trip.
    package private(set) var since: Int64?

    /// What is known of the vehicle beside the drive.
    package struct Past: Hashable, Sendable {
        /// What is usual for it, by feature.
        package var usual: [String: DriftHistory.Usual]
        /// The moments in which its present codes were set.
        package var frames: [FrozenMoment]

        package init(
            usual: [String: DriftHistory.Usual] = [:], frames: [FrozenMoment] = []
        ) {
            (self.usual, self.frames) = (usual, frames)
        }
    }

    package init(
        _ watch: DriveWatch, record: DriveRecord = DriveRecord(), past: Past = Past(),
        _ table: CauseTable
    ) {
        self.init(
            numbers: watch.numbers.merging(record.numbers(table, turns: watch.turns)) { $1 },
            traits: watch.traits, known: watch.known, points: watch.points, record: record,
            past: past, table)
    }

    /// The verdict about a trip, or about the first of its later parts that has a cause if the whole trip has none.
    ///
    /// In the means of the whole trip, a fault that began on the road is diluted by the time before it.
    package init(
        _ watch: DriveWatch, later parts: [DriveWatch], record: DriveRecord = DriveRecord(),
        past: Past = Past(), _ table: CauseTable
    ) {
        self.init(watch, record: record, past: past, table)
        guard causes.isEmpty else { return }
        for part in parts {
            var verdict = DriveVerdict(part, record: record, past: past, table)
            guard !verdict.causes.isEmpty else { continue }
            verdict.since = part.from
            (verdict.untested, verdict.testedTopics) = (untested, testedTopics)
            self = verdict
            return
        }
    }

    init(
        numbers: [String: Measured], traits: Set<String>, known: Set<DriveQuantity> = [],
        points: [DriveWatch.Point] = [], record: DriveRecord = DriveRecord(),
        past: Past = Past(), _ all: CauseTable
    ) {
        self.record = record
        self.past = past
        let table = all.with(past.usual)
        // A code of an earlier day may be repaired since.
        let present = Set(record.stored.filter { $0.other?.isEarlier != true }.map(\.code))
        let frames = past.frames.filter { present.contains($0.code) }
        let features = Self.features(
            numbers, past.usual, Self.frames(frames, beside: numbers, traits, table), table)
        let judged = features.filter { $0.measure.limit != nil }
        let byID = Dictionary(uniqueKeysWithValues: features.map { ($0.id, $0) })
        let inference = DriveInference(
            byID, numbers: byID.mapValues(\.value), traits: traits, record: record, table)
        self.inference = inference
        self.features = judged
        self.points = points
        let isOff = judged.contains(where: \.isSurelyOff)
        let isIll = inference.healthy < 0.1
        let odd = judged.filter { $0.excess > 0 && inference.counted.contains($0.id) }
        // A pressure sensor that was wrong before the start tells nothing of the engine's air.
        let isSensorOff = byID["map.off-baro"]?.excess ?? 0 > 0
        let isEngine = isSensorOff || numbers["air.unrest"]?.value ?? 0 < Self.unrest
        let possible = inference.candidates.filter { candidate in
            guard isEngine else { return false }
            // Where much else is odd, the readings follow no engine with this one fault.
            let left = odd.count {
                candidate.weights[$0.id] == nil && !candidate.cause.free.contains($0.id)
            }
            return candidate.forbidden == nil && left < 3
        }
        let named = possible.filter { $0.mustHolds && $0.probability >= 0.5 }.first
        var shown: [DriveInference.Candidate] = []
        if judged.isEmpty {
            kind = record.complains ? .unclear : .untestable
        } else if isIll, let named, inference.other < 0.25 {
            shown = [named]
            // Causes that look alike stay in the list until their test was made.
            let twins = Self.twins(of: named, possible, inference.inseparable)
            shown += twins
            kind = twins.isEmpty ? .cause : .several
        } else if isIll, let pair = Self.pair(possible) {
            shown = pair
            kind = .several
        } else if isOff || record.complains || (isIll && judged.contains { $0.excess > 0 }) {
            kind = .unclear
        } else {
            kind = .nothing
        }
        causes = Array(shown.sorted { $0.probability > $1.probability }.prefix(3))
        worst =
            kind == .unclear
            ? Array(judged.filter { $0.excess > 0 }.sorted { $0.excess > $1.excess }.prefix(3))
            : []
        let names = Set(known.map(\.name))
        let measured = Set(judged.map(\.id))
        testedTopics = Set(judged.map(\.measure.topic))
        untested = table.measures.filter { $0.limit != nil && !measured.contains($0.id) }.map {
            Untested(measure: $0, needs: $0.needs.filter { !names.contains($0) })
        }
    }

    /// How much air or load of one operating point may vary per pressure, as a share of the mean.
    ///
    /// It varies by less in all engines, also in faulty ones: readings beyond it are of no engine, or of different
    /// moments.
    private static let unrest = 0.4
    /// How likely a cause is at least that is named beside another one because it looks alike.
    private static let twin = 0.1

    /// A feature beside what a cause makes of it.
    package struct Evidence: Sendable {
        package var feature: DriveFeature
        package var expected: Double
        /// The logarithm of how much likelier the cause makes the feature than health does.
        package var weight: Double
        package var isFor: Bool { weight > 0 }
    }

    /// The three features that speak most for a cause, and the two that speak most against it.
    package func evidence(_ candidate: DriveInference.Candidate) -> [Evidence] {
        let all = features.compactMap { feature -> Evidence? in
            guard let weight = candidate.weights[feature.id],
                let expected = candidate.expected[feature.id]
            else { return nil }
            return Evidence(feature: feature, expected: expected, weight: weight)
        }.sorted { $0.weight > $1.weight }
        let supports = all.filter { $0.weight > 0.3 }.prefix(3)
        let opposes = all.reversed().filter { $0.weight < -0.3 }.prefix(2)
        return Array(supports) + Array(opposes)
    }

    /// The likely causes that look like a cause: by their file, or as far as this drive shows.
    private static func twins(
        of cause: DriveInference.Candidate, _ possible: [DriveInference.Candidate],
        _ inseparable: Set<String> = []
    ) -> [DriveInference.Candidate] {
        let id = cause.cause.id
        return possible.filter { other in
            guard other.cause.id != id, other.probability >= twin else { return false }
            return cause.cause.alike.contains { $0.cause == other.cause.id }
                || other.cause.alike.contains { $0.cause == id }
                || inseparable.isSuperset(of: [id, other.cause.id])
        }
    }

    /// Two likely causes that look alike, of which what must be seen of one is there.
    private static func pair(
        _ possible: [DriveInference.Candidate]
    ) -> [DriveInference.Candidate]? {
        guard let first = possible.first(where: { $0.probability >= twin && $0.mustHolds }) else {
            return nil
        }
        let twins = twins(of: first, possible)
        let sum = first.probability + twins.reduce(0) { $0 + $1.probability }
        return twins.isEmpty || sum < 0.5 ? nil : [first] + twins
    }

    /// A number of a freeze frame.
    private typealias Frozen = (number: Measured, code: String)

    /// The measures with enough data; those that follow from two others need both.
    private static func features(
        _ measured: [String: Measured], _ usual: [String: DriftHistory.Usual],
        _ frames: [String: Frozen], _ table: CauseTable
    ) -> [DriveFeature] {
        var found: [String: DriveFeature] = [:]
        let numbers = measured.merging(frames.mapValues(\.number)) { $1 }
        var features: [DriveFeature] = []
        for measure in table.measures {
            var number = numbers[measure.id]
            switch measure.derived {
            case nil: break
            case .difference(let a, let b):
                guard found[a] != nil, found[b] != nil, let one = numbers[a],
                    let other = numbers[b]
                else { continue }
                number = one - other
            case .ratio(let a, let b):
                guard found[a] != nil, found[b] != nil, let one = numbers[a],
                    let other = numbers[b]
                else { continue }
                number = one / other
            }
            guard let number, number.value.isFinite,
                number.seconds >= measure.least || frames[measure.id] != nil
            else { continue }
            let feature = DriveFeature(
                measure: measure, value: number.value, error: number.error,
                seconds: number.shown, from: number.from, to: number.to,
                usual: usual[measure.id], frame: frames[measure.id]?.code)
            found[measure.id] = feature
            features.append(feature)
        }
        return features
    }

    /// The numbers of freeze frames about topics of which the drive itself shows nothing.
    private static func frames(
        _ frames: [FrozenMoment], beside numbers: [String: Measured], _ traits: Set<String>,
        _ table: CauseTable
    ) -> [String: Frozen] {
        // The fuel correction of gas or of a flexible fuel says nothing.
        guard traits.contains("petrol") else { return [:] }
        let shown = Set(
            numbers.compactMap { id, number -> String? in
                guard let measure = table[measure: id], measure.limit != nil,
                    number.seconds >= measure.least
                else { return nil }
                return measure.topic
            })
        var found: [String: Frozen] = [:]
        for frame in frames {
            for (id, number) in frame.numbers where found[id] == nil {
                guard let topic = table[measure: id]?.topic, !shown.contains(topic) else {
                    continue
                }
                found[id] = (number, frame.code)
            }
        }
        return found
    }

    /// "almost certainly", "likely (about 8 in 10)", "perhaps (about 6 in 10)".
    package static func certainty(_ probability: Double) -> String {
        let tenths = Int((min(probability, 0.94) * 10).rounded())
        return probability >= 0.9
            ? "almost certainly"
            : probability >= 0.75
                ? "likely (about \(tenths) in 10)" : "perhaps (about \(tenths) in 10)"
    }

    /// Whether the evidence speaks for each of the named causes as much as for the others.
    private var isUndecided: Bool {
        causes.count > 1 && causes.allSatisfy { inference.inseparable.contains($0.cause.id) }
    }

    /// The tests that tell the first cause from the other ones, each with the name of the other one.
    package var tests: [(other: String, test: String)] {
        guard let first = causes.first?.cause else { return [] }
        return causes.dropFirst().compactMap { other in
            let test =
                first.alike.first { $0.cause == other.cause.id }
                ?? other.cause.alike.first { $0.cause == first.id }
            return test.map { (other.cause.name, $0.test) }
        }
    }

    /// What another trip must show, so that its readings tell the first two causes apart; nil if nothing would.
    package var separating: String? {
        let measures = isUndecided ? inference.separating : []
        guard !measures.isEmpty else { return nil }
        let them = causes.count > 2 ? "the first two" : "them"
        return "A trip that shows this would tell \(them) apart: "
            + measures.map(\.name).joined(separator: "; ") + "."
    }

    private var part: String {
        since == nil ? "" : " This is judged by the later part of the trip alone."
    }

    package var text: String {
        switch kind {
        case .cause:
            (causes.first.map { "\($0.cause.name): \(Self.certainty($0.probability))." } ?? "")
                + part
        case .several:
            "One of these: "
                + causes.map { "\($0.cause.name) (\(Self.tenths($0.probability)))" }
                .joined(separator: "; ")
                + (isUndecided ? ". These readings cannot tell them apart." : ".") + part
        case .unclear:
            record.complains
                ? "Something is off: \(record.notes.joined(separator: "; ")), but these readings do not say why."
                : "Something is off, but these readings do not say what."
        case .nothing:
            switch features.count(where: { $0.excess > 0 }) {
            case 0 where features.count < 5:
                "Nothing odd, but only \(features.count) \(features.count == 1 ? "value" : "values") "
                    + "could be judged."
            case 0: "Nothing odd in what this drive shows."
            case 1: "Nothing is surely off, but one value is outside its usual range."
            case let count:
                "Nothing is surely off, but \(count) values are outside their usual ranges."
            }
        case .untestable: "This drive has no readings that can be judged."
        }
    }

    /// "6 in 10".
    package static func tenths(_ probability: Double) -> String {
        let tenths = Int((probability * 10).rounded())
        return tenths < 1 ? "less than 1 in 10" : "\(min(tenths, 9)) in 10"
    }
}
