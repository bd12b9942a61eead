import Diagnostics
import Formats
import OBDCore
import VehicleScan

/// The identification of ECUs at their own addresses, for people and as rows.
package struct ModuleSheet {
    private let form: OutputForm
    private let table: PIDTable
    private let names: ECUNames

    /// A sheet with the names of signals in `table`, and of ECUs.
    package init(_ form: OutputForm, table: PIDTable, names: ECUNames) {
        self.names = names
        self.form = form
        self.table = table
    }

    package static let keys = [
        "time", "ecu", "request", "name", "answered", "refused", "unanswered",
    ]

    /// One ECU as a row; its readings follow it.
    package func row(_ module: ModuleIdentities.Module, at time: UTC) -> Row {
        Row(
            "moduleIdentity",
            [
                "time": .time(time), "ecu": .text(module.module.responder.description),
                "request": .text(module.module.request.description),
                "name": .text(names.name(of: module.module.responder)),
                "answered": .integer(module.answers.count), "refused": .integer(module.refused),
                "unanswered": .integer(module.unanswered),
            ])
    }

    /// One table per ECU.
    package func text(_ modules: [ModuleIdentities.Module]) -> String {
        var result = ""
        for module in modules {
            result += "\n" + form.palette(.bold, names.title(of: module.module.responder)) + "\n"
            var rows = TextTable([("", .left), ("", .left)], flexible: [0, 1])
            for item in module.answers.flatMap(\.answer.items) {
                switch item {
                case .reading(let reading):
                    let signal = table[reading.signal]
                    rows.add([
                        .init(signal.name), .init(ValueText(reading, signal, form.units).joined),
                    ])
                case .message(let message):
                    rows.add(["Answer as sent", .init(Hex.string(message.payload))])
                case .code, .error, .monitor, .monitorTest, .negativeResponse: continue
                }
            }
            rows.add(["Refused", .init(counted(module.refused, "identifier"))])
            if module.unanswered > 0 {
                rows.add(["Not answered", .init(counted(module.unanswered, "identifier"))])
            }
            result += rows.text(form.palette, indent: 2, columns: form.columns)
        }
        return result
    }
}
