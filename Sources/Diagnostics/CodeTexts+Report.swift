extension CodeTexts {
    /// What a reported code says; nil where no file has it. SAE J1939 codes have none here.
    public func text(of code: CodeReport.Code) -> String? {
        switch code {
        case .dtc(let dtc): text(of: dtc)
        case .j1939: nil
        }
    }
}
