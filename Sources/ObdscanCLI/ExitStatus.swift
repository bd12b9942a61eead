/// The exit codes of obdscan; scripts rely on them.
enum ExitStatus: Int32, Sendable, CaseIterable {
    /// Success.
    case done = 0
    /// With `--exit-code`: codes are present, or the vehicle is not ready. See also ``declined``.
    case findings = 1
    case usage = 64
    /// Bad input data: transcript, table, database of another program or of a newer obdscan.
    case badData = 65
    /// An input file is missing.
    case noInput = 66
    /// No device, or the adapter or vehicle does not answer.
    case unavailable = 69
    case bug = 70
    /// An output file cannot be created.
    case cannotCreate = 73
    /// The link was lost and could not be restored.
    case linkLost = 74
    /// Timed out: try again.
    case timedOut = 75
    case noPermission = 77
    /// The configuration file is wrong.
    case badConfiguration = 78

    /// The user did not confirm, so nothing was done.
    static let declined = ExitStatus.findings
}
