extension CodeTexts {
    /// The text of a reported code; nil if no file has it.
    public func text(of code: CodeReport.Code) -> String? {
        switch code {
        case .dtc(let dtc): text(of: dtc)
        case .j1939(let code): text(of: code)
        }
    }
}
