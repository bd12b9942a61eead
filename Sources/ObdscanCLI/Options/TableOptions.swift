import ArgumentParser

/// Which PID tables count.
struct TableOptions: ParsableArguments {
    @Option(
        name: .customLong("pids"),
        help: ArgumentHelp(
            "Add PID tables from a file or folder; may be repeated.",
            discussion: "Tables in $XDG_DATA_HOME/obdscan/pids are always added.",
            valueName: "path"),
        completion: .file())
    var paths: [String] = []
}
