import Diagnostics
import OBDCore
import ScanSession
import TripStore
import VehicleScan

extension TripWriter {
    /// Stores the answers; `lists` contains the lists of codes among them.
    package func offer(_ asked: [QueryResult], lists: [CodeScan.List] = []) {
        for one in asked where !one.answer.items.isEmpty {
            _ = offer(one.answer.items, at: one.answer.answered)
        }
        for list in lists {
            for (ecu, codes) in list.answers {
                _ = offer(
                    .codeList(ecu, list.kind, codes: codes), at: list.asked.answer.answered)
            }
        }
    }

    /// Stores the result of clearing codes; nil = unknown.
    package func offer(_ clearing: CodeClearing?) {
        for asked in clearing?.sent ?? [] {
            for message in asked.answers where message.confirmsClearing {
                let event = TripEvent(
                    .codesCleared, text: "codes cleared", ecu: message.ecu,
                    service: message.payload.first.map { Service($0 & ~0x40) })
                _ = offer(.event(event), at: asked.answer.answered)
            }
        }
        if let after = clearing?.after { offer(after.asked, lists: after.lists) }
    }
}

extension CodeScan.List {
    /// The ECUs with a whole list, and the number of codes in each; nothing is known of an ECU that refused,
    /// answered something else, or whose answer is damaged.
    fileprivate var answers: [(ecu: ECUAddress?, codes: Int)] {
        var found: [(ecu: ECUAddress?, codes: Int)] = []
        for ecu in asked.answers.map(\.ecu) {
            guard told(by: ecu) == .list, !found.contains(where: { $0.ecu == ecu }) else {
                continue
            }
            let codes = asked.answer.items.count { item in
                if case .code(let report) = item {
                    report.ecu == ecu && report.kind == kind
                } else {
                    false
                }
            }
            found.append((ecu, codes))
        }
        return found
    }
}
