import Diagnostics
import OBDCore

/// The known facts about codes: their texts, their explanations, and codes that were cleared before.
package struct CodeWords {
    package var texts: CodeTexts
    package var explanations: CodeExplanations
    /// The codes that obdscan cleared in a vehicle until a moment.
    let cleared: (_ vin: VIN?, _ time: UTC) -> ClearedCodes

    package init(
        texts: CodeTexts, explanations: CodeExplanations,
        cleared: @escaping (_ vin: VIN?, _ time: UTC) -> ClearedCodes = { _, _ in ClearedCodes() }
    ) {
        self.texts = texts
        self.explanations = explanations
        self.cleared = cleared
    }
}
