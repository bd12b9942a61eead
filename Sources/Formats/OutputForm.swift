/// How results are printed.
public enum OutputFormat: String, CaseIterable, Sendable {
    case text, json, csv
}

/// What a printer of results knows of the user's wishes and of the terminal.
public struct OutputForm: Hashable, Sendable {
    /// How results are printed.
    public var format: OutputFormat
    /// The units that are shown.
    public var units: UnitSystem
    /// The styles of text.
    public var palette: Palette
    /// How many cells a line of text may have; nil = as many as it needs.
    public var columns: Int?

    /// A form; without more it is for programs.
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
