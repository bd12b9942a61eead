/// The format of results.
public enum OutputFormat: String, CaseIterable, Sendable {
    case text, json, csv
}

/// The user's wishes and the terminal's properties for a printer of results.
public struct OutputForm: Hashable, Sendable {
    /// The format of results.
    public var format: OutputFormat
    /// The displayed units.
    public var units: UnitSystem
    /// The styles of text.
    public var palette: Palette
    /// The width of a line of text in cells; nil = unlimited.
    public var columns: Int?

    /// A form; the defaults suit programs.
    public init(
        format: OutputFormat, units: UnitSystem = .metric, palette: Palette = Palette(isOn: false),
        columns: Int? = nil
    ) {
        self.format = format
        self.units = units
        self.palette = palette
        self.columns = columns
    }
}
