public import OBDCore

/// The kind of fault that a code describes: in a wire, a signal, a quantity or a part.
///
/// A cause is given only if it fits this meaning, which is read from the code's own text, from its
/// failure type byte or, in SAE J1939, from its failure mode.
public enum CodeMeaning: String, Hashable, CaseIterable, Sendable {
    /// A wire is interrupted.
    case open
    /// A wire touches ground.
    case shortToGround = "short-ground"
    /// A wire touches a supply.
    case shortToSupply = "short-supply"
    /// An electrical fault of an unknown kind.
    case circuit
    /// A signal is out of range, or does not fit the vehicle's other values.
    case implausible
    /// A signal comes and goes.
    case intermittent
    /// The electrical level of a signal is too low.
    case signalLow = "signal-low"
    /// The electrical level of a signal is too high.
    case signalHigh = "signal-high"
    /// A pressure, level, voltage, speed or flow is really too low.
    case quantityLow = "quantity-low"
    /// A pressure, level, voltage, speed or flow is really too high.
    case quantityHigh = "quantity-high"
    /// A part works, but not well enough.
    case efficiency
    /// A part or value does not move.
    case stuck
    /// A part or fluid is too hot.
    case tooHot = "too-hot"
    /// Messages of another controller are missing.
    case communication
    /// A controller sends wrong data.
    case dataWrong = "data-wrong"
    /// The memory of a controller is faulty.
    case memory
    /// A controller's program, calibration or coding is missing or wrong.
    case software
    /// Two values do not agree.
    case mismatch
    /// A fault of another kind.
    case other
    /// The text names a part, but no fault.
    case none

    /// The side of a level, negative below; 0 if the meaning has none.
    private var side: Int {
        switch self {
        case .shortToGround, .signalLow, .quantityLow: -1
        case .shortToSupply, .signalHigh, .quantityHigh, .tooHot: 1
        default: 0
        }
    }

    /// Whether both can be true of one fault.
    func fits(_ other: CodeMeaning) -> Bool { side * other.side >= 0 }

    /// The meanings of a word in a `when` line; nil if the word is not a meaning.
    static func named(_ word: some StringProtocol) -> Set<CodeMeaning>? {
        switch word {
        case "electrical": electrical
        // A code without a fault in its text can have causes of both kinds.
        case "physical": Set(allCases).subtracting(electrical).union(unspecific)
        default: CodeMeaning(rawValue: String(word)).map { [$0] }
        }
    }

    private static let unspecific: Set<CodeMeaning> = [.implausible, .mismatch, .none]

    private static let electrical = unspecific.union([
        .open, .shortToGround, .shortToSupply, .circuit, .intermittent, .signalLow, .signalHigh,
    ])
}

/// The words for each meaning in texts of codes, failure type bytes and failure modes, with the
/// advice for each meaning that applies to any part.
struct CodeMeaningText: Hashable, Sendable {
    var meaning: CodeMeaning
    var title: String
    /// The ends of texts in small letters; a phrase with `*` at its end is the beginning of a text.
    var says: [String] = []
    /// Failure type bytes of SAE J2012-DA.
    var failureTypes: Set<UInt8> = []
    /// Failure modes of SAE J1939-73.
    var failureModes: Set<UInt8> = []
    var causes: [CodeFamily.Cause] = []
}

extension CodeExplanations {
    /// The meaning of a code with this text.
    ///
    /// A failure type is more exact than a text that only names a part. If the two contradict each
    /// other, neither is believed.
    public func meaning(of code: DTC, text: String) -> CodeMeaning {
        let said = meaning(ofText: text)
        guard let byte = code.failureType, byte != 0,
            let typed = meanings.first(where: { $0.failureTypes.contains(byte) })?.meaning,
            typed != .other
        else { return said }
        return typed.fits(said) ? typed : .none
    }

    /// The meaning of a failure mode of SAE J1939-73.
    public func meaning(ofFailureMode fmi: UInt8) -> CodeMeaning {
        meanings.first { $0.failureModes.contains(fmi) }?.meaning ?? .none
    }

    /// The meaning of `Component (place): fault`; the longest phrase counts.
    private func meaning(ofText text: String) -> CodeMeaning {
        let said = Self.plain(text.lowercased())
        var best: (meaning: CodeMeaning, length: Int)?
        for entry in meanings {
            for phrase in entry.says where phrase.utf8.count > best?.length ?? 0 {
                let isSaid =
                    phrase.hasSuffix("*")
                    ? said.hasPrefix(phrase.dropLast())
                    : said == phrase || said.hasSuffix(" " + phrase)
                if isSaid { best = (entry.meaning, phrase.utf8.count) }
            }
        }
        return best?.meaning ?? .none
    }

    /// A text without places in parentheses, single letters, numbers, and terms of some makers:
    /// `Fan circuit A (bank 1): fault` is `Fan circuit: fault`.
    private static func plain(_ text: String) -> String {
        var words: [Substring] = []
        var depth = 0
        for word in text.prefix(while: { $0 != ";" }).split(separator: " ") {
            depth += word.count { $0 == "(" }
            let isInside = depth > 0
            depth = max(0, depth - word.count { $0 == ")" })
            let letters = word.last == ":" ? word.dropLast() : word
            if !isInside, letters.utf8.count > 1, !(letters.first?.isNumber ?? true) {
                words.append(word)
            } else if word.last == ":", let before = words.popLast() {
                words.append(before + ":")
            }
        }
        return words.joined(separator: " ")
    }
}
