/// The parts of the drive that a vehicle has or lacks, as far as its fuel and its monitors show.
public struct EngineParts: Hashable, Sendable {
    /// A part that not every vehicle has.
    public enum Part: String, Hashable, CaseIterable, Sendable {
        /// A combustion engine.
        case engine
        /// Ignition by spark: a petrol engine.
        case spark
        /// Ignition by compression: a diesel engine.
        case compression
        /// An alternator, which hybrid and electric vehicles lack.
        case alternator
        /// A converter that charges the 12 V battery of a hybrid or electric vehicle.
        case converter
    }

    /// Whether the vehicle has a part; a part that is left out is not known.
    private var has: [Part: Bool] = [:]

    /// A vehicle of which nothing is known.
    public init() {}

    /// The parts by the fuel of PID 51 (SAE J1979-DA) and by the supported monitors.
    public init(fuel: UInt64?, monitors: Set<MonitorStatus.Monitor>) {
        switch fuel {
        case 0x08:
            has = [.engine: false, .spark: false, .compression: false]
        case 0x01, 0x05, 0x06, 0x09, 0x11: has = [.spark: true, .compression: false]
        case 0x04, 0x13: has = [.spark: false, .compression: true]
        default:
            // PID 01 has monitors of spark or of compression ignition; SAE J1979-2 can have both.
            let isSpark = !monitors.isDisjoint(with: Self.sparkMonitors)
            let isCompression = !monitors.isDisjoint(with: Self.compressionMonitors)
            if isSpark != isCompression {
                has = [.spark: isSpark, .compression: isCompression]
            }
        }
        switch fuel {
        case 0x08, (0x0F...0x16)?:
            has[.alternator] = false
            has[.converter] = true
        default: break
        }
    }

    private static let sparkMonitors: Set<MonitorStatus.Monitor> = [
        .catalyst, .heatedCatalyst, .evaporative, .secondaryAir, .oxygenSensor, .oxygenSensorHeater,
    ]

    private static let compressionMonitors: Set<MonitorStatus.Monitor> = [
        .nmhcCatalyst, .noxSCR, .boostPressure, .exhaustGasSensor, .pmFilter,
    ]

    /// Whether sentences about the part do not apply.
    func lacks(_ part: Part) -> Bool {
        // Most vehicles have an alternator instead of a converter.
        part == .converter ? has[part] != true : has[part] == false
    }

    /// Whether advice about the part has to name the kind of engine to which it applies.
    func isUnsure(_ part: Part) -> Bool {
        (part == .spark || part == .compression) && has[part] == nil
    }
}

/// The words by which texts name a part that not every vehicle has.
struct PartWords: Hashable, Sendable {
    var part: EngineParts.Part
    /// The kind of vehicle that has the part: `petrol engine`.
    var title: String
    /// Words of texts that name the part, in small letters.
    var names: [String] = []
    /// Phrases with such a word that do not name the part.
    var harmless: [String] = []

    /// Whether a text, in small letters, names the part.
    func isNamed(in text: String) -> Bool {
        let rest = harmless.reduce(text) { $0.replacing($1, with: "") }
        return names.contains { rest.contains($0) }
    }
}

extension CodeExplanations {
    /// A text without the sentences about parts that the vehicle lacks.
    public func fitting(_ text: String, _ vehicle: EngineParts) -> String {
        fitting(text, without: parts.filter { vehicle.lacks($0.part) })
    }

    /// A warning without the sentences about parts that the vehicle lacks.
    ///
    /// A warning that names diesel engines among others is kept for all.
    func warning(_ text: String, _ vehicle: EngineParts) -> String {
        fitting(text, without: parts.filter { $0.part != .compression && vehicle.lacks($0.part) })
    }

    private func fitting(_ text: String, without missing: [PartWords]) -> String {
        guard !text.isEmpty, !missing.isEmpty else { return text }
        let parts = text.split(separator: ". ")
        let sentences = parts.enumerated().map { place, sentence in
            place + 1 < parts.count ? "\(sentence)." : String(sentence)
        }
        return sentences.filter { sentence in
            let small = sentence.lowercased()
            return !missing.contains { $0.isNamed(in: small) }
        }.joined(separator: " ")
    }

    /// The causes that the vehicle can have.
    ///
    /// A cause that only one kind of engine has names it if the vehicle's kind is not known, unless the text of
    /// the code names the part.
    public func fitting(
        _ causes: [CodeFamily.Cause], _ vehicle: EngineParts, text: String = ""
    ) -> [CodeFamily.Cause] {
        let small = text.lowercased()
        return causes.compactMap { cause in
            guard fitting(cause.what, vehicle) == cause.what else { return nil }
            var cause = cause
            cause.check = fitting(cause.check, vehicle)
            let what = cause.what.lowercased()
            let kind = parts.first { part in
                vehicle.isUnsure(part.part) && part.isNamed(in: what) && !part.isNamed(in: small)
            }
            if let kind { cause.what = "\(kind.title): \(cause.what)" }
            return cause
        }
    }

    /// The explanation for a vehicle with these parts.
    func fitting(
        _ explanation: CodeExplanation, _ vehicle: EngineParts, text: String
    ) -> CodeExplanation {
        var said = explanation
        said.driveReason = fitting(said.driveReason, vehicle)
        said.notice = fitting(said.notice, vehicle)
        said.notes = said.notes.map { fitting($0, vehicle) }.filter { !$0.isEmpty }
        said.causes = fitting(said.causes, vehicle, text: text)
        if var watch = said.watch {
            watch.meaning = fitting(watch.meaning, vehicle)
            said.watch = watch
        }
        said.clears = fitting(said.clears, vehicle)
        if said.causes.isEmpty {
            said.certainty = nil
        } else if vehicle.lacks(.spark), said.certainty == .statistics {
            // The statistics are those of petrol engines.
            said.certainty = .general
        }
        return said
    }
}
