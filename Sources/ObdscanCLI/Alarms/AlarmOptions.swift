import ArgumentParser
import Formats
import Glibc
import Reports
import Settings
import SystemIO
import VehicleScan

/// Options of commands that watch values.
struct AlarmOptions: ParsableArguments {
    @Option(
        name: .customLong("alarm"),
        help: ArgumentHelp(
            "Warn when a value passes a limit: 'ECT>110'.",
            discussion: """
                Limits are in the units shown. The signals are read as well. The configuration \
                file can hold more alarms as `alarms`; they apply when their signals are read \
                anyway.
                """,
            valueName: "condition"))
    var alarms: [String] = []

    @Option(
        help: ArgumentHelp(
            "Run a program when an alarm begins.",
            discussion: """
                It runs without a shell. Blanks separate its arguments, and the text of the alarm \
                is added as the last one. The environment has OBDSCAN_ALARM, OBDSCAN_ECU, \
                OBDSCAN_SIGNAL, OBDSCAN_VALUE and OBDSCAN_UNIT.
                """,
            valueName: "program"),
        completion: .file())
    var alarmCommand: String?

    /// The alarms of the options and the configuration; `asked` are the signals of the options.
    ///
    /// A configured signal that no table contains, for example one of a pack that is not loaded, is
    /// left out and reported through `note`.
    func find(
        _ names: SignalNames, _ settings: UserSettings, note: (String) -> Void
    ) throws(Failure) -> (asked: [SelectedSignal], plan: AlarmPlan) {
        var asked: [SelectedSignal] = []
        var plan = AlarmPlan(command: alarmCommand ?? settings.alarmCommand)
        for text in alarms {
            let alarm = try Alarm.named(text)
            let selected = try mapped { () throws(SignalError) in try names.find(alarm.name) }
            asked.append(selected)
            plan.armed.append(.init(alarm, of: selected, isAsked: true))
        }
        for text in settings.alarms {
            let alarm = try Alarm.named(text)
            do throws(SignalError) {
                plan.armed.append(
                    .init(alarm, of: try names.find(alarm.name), isAsked: false))
            } catch {
                let why = Failure(error).message
                note("the alarm \(alarm.text) of the configuration is ignored: \(why)")
            }
        }
        return (asked, plan)
    }
}

extension Alarm {
    /// Parses the user's description of an alarm.
    fileprivate static func named(_ text: String) throws(Failure) -> Alarm {
        if let alarm = Alarm(text) { return alarm }
        throw Failure(
            "\"\(text)\" is not an alarm",
            hint: "a signal, one of > < >= <= = !=, and a number, on or off: --alarm 'ECT>110'",
            status: .usage)
    }
}

extension AlarmNotifier.Report {
    /// Prints the alarm on stderr, with the bell if a person can hear it.
    func print(_ output: OutputOptions) {
        guard takesMore(STDERR_FILENO) else { return }
        switch self {
        case .news(let news, let text):
            let line = printable((news.isRaised ? "alarm: " : "alarm over: ") + text)
            let bell = news.isRaised && isatty(STDERR_FILENO) == 1 ? "\u{07}" : ""
            writeToStandardError(
                output.palette(STDERR_FILENO)(news.isRaised ? .bad : .good, line) + bell + "\n")
        case .commandFailed(let program, let number):
            writeToStandardError(
                "the alarm's program: \(printable(program)): \(SystemError.text(of: number))\n")
        }
    }
}
