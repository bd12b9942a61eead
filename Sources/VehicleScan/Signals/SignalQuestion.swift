package import Diagnostics
package import OBDCore

/// One record to request, and the wanted signals in it.
package struct SignalQuestion: Hashable, Sendable {
    /// The record; nil = the voltage at the adapter.
    package var record: PIDTable.Record?
    package var dataID: DataID?
    /// The wanted signals; empty = all of the record.
    package var signals: [SignalIndex]

    /// The requests for `selected`, one per record, in the order of first mention.
    package static func all(_ selected: [SelectedSignal]) -> [SignalQuestion] {
        var questions: [SignalQuestion] = []
        for one in selected {
            let signals = one.signal.map { [$0] } ?? []
            let same = questions.firstIndex { $0.record == one.record && $0.dataID == one.dataID }
            guard let place = same else {
                questions.append(
                    SignalQuestion(record: one.record, dataID: one.dataID, signals: signals))
                continue
            }
            let known = questions[place].signals
            questions[place].signals =
                known.isEmpty || signals.isEmpty
                ? [] : known + signals.filter { !known.contains($0) }
        }
        return questions
    }

    /// Whether to print an item: a requested signal, a refusal, an unknown message or an error.
    package func wants(_ item: DiagnosticItem) -> Bool {
        switch item {
        case .reading(let reading): signals.isEmpty || signals.contains(reading.signal)
        case .monitor, .monitorTest, .code: signals.isEmpty
        case .negativeResponse, .message, .error: true
        }
    }
}

extension Vehicle {
    /// Requests a record or the voltage at the adapter.
    package func ask(_ question: SignalQuestion) throws(VehicleError) -> QueryResult {
        guard let record = question.record else { return try ask(.readVoltage) }
        guard record.target != nil || record.responder != nil else {
            return try ask((question.dataID ?? record.dataID).requestPayload)
        }
        return try ask(.vehicle(request(for: record)))
    }
}

extension Vehicle {
    /// The signals of a question that no ECU answered, if the vehicle's lists of PIDs show that no ECU
    /// supports them: `boost pressure A (PID 70)`.
    package func unsupported(
        _ question: SignalQuestion, _ asked: QueryResult
    ) throws(VehicleError) -> String? {
        guard asked.status == .noData, let record = question.record,
            record.dataID.service == .currentData
        else { return nil }
        let supported = try supportedIDs(in: services()) { .supportedPIDs($0) }
        let pid = UInt8(truncatingIfNeeded: record.dataID.id)
        guard supported.rulesOut(pid) else { return nil }
        let names = question.signals.map { table[$0].name.midSentence }
        return (names.isEmpty ? record.name.midSentence : names.joined(separator: ", "))
            + " (PID \(Hex.string([pid])))"
    }
}

extension DiagnosticItem {
    /// Whether the item is an ECU's answer to the request, including a refusal; damaged frames are not.
    package var isAnswer: Bool {
        switch self {
        case .error: false
        case .reading, .monitor, .monitorTest, .code, .negativeResponse, .message: true
        }
    }
}
