import Diagnostics
import OBDCore

extension CodeReport {
    /// The status; a stored code of SAE J1939 may be inactive.
    public var kindText: String {
        isActive == false ? "\(kind.rawValue), not active" : kind.rawValue
    }

    /// The code with its failure type: `P0301-11`.
    public var fullText: String { code.fullText }
}

extension CodeReport.Lamps {
    /// The name of the malfunction lamp in cars.
    public static let checkEngineLight = "check engine light"

    /// The names of the lamps that are on, the most severe first.
    public var lit: [String] {
        let lamps = [
            (redStop, "red stop lamp"), (malfunction, Self.checkEngineLight),
            (amberWarning, "amber warning lamp"), (protect, "protect lamp"),
        ]
        return lamps.filter { $0.0 == true }.map(\.1)
    }
}

extension CodeReport.Code {
    /// The code with its failure type: `P0301-11`, for SAE J1939 without the occurrence count.
    public var fullText: String {
        switch self {
        case .dtc(let code): code.description
        case .j1939(let code): code.text
        }
    }

    /// The failure type as two digits; nil without one.
    public var failureType: String? {
        guard case .dtc(let code) = self else { return nil }
        return code.failureType.map { Hex.string([$0]) }
    }
}
