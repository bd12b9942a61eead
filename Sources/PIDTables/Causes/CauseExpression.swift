/// A small formula over features and one severity: `100 * t / flow.idle`.
package struct CauseExpression: Hashable, Sendable {
    indirect enum Node: Hashable, Sendable {
        case number(Double)
        case name(String)
        case operation(Operator, Node, Node)
        case call(Function, [Node])
    }

    enum Operator: Character, Hashable, Sendable {
        case plus = "+"
        case minus = "-"
        case times = "*"
        case over = "/"
    }

    enum Function: String, Hashable, Sendable {
        case min, max, sqrt
    }

    let root: Node
    /// The features and severities that it needs.
    package let names: Set<String>

    /// Reads words such as `[100, *, t, /, (, flow.idle, +, 2, )]`; nil if they are not a formula.
    init?(_ words: [Substring]) {
        var parser = Parser(words: words[...])
        guard let root = parser.sum(), parser.words.isEmpty else { return nil }
        self.root = root
        names = parser.names
    }

    /// The value; nil if a name has none, or the result is not a number.
    package func value(_ names: (String) -> Double?) -> Double? {
        guard let value = Self.value(root, names), value.isFinite else { return nil }
        return value
    }

    private static func value(_ node: Node, _ names: (String) -> Double?) -> Double? {
        switch node {
        case .number(let number): return number
        case .name(let name): return names(name)
        case .operation(let operation, let left, let right):
            guard let left = value(left, names), let right = value(right, names) else { return nil }
            return switch operation {
            case .plus: left + right
            case .minus: left - right
            case .times: left * right
            case .over: left / right
            }
        case .call(let function, let nodes):
            var values: [Double] = []
            for node in nodes {
                guard let value = value(node, names) else { return nil }
                values.append(value)
            }
            return switch function {
            case .min: values.min()
            case .max: values.max()
            case .sqrt: values.first.map { $0.squareRoot() }
            }
        }
    }

    private struct Parser {
        var words: ArraySlice<Substring>
        var names: Set<String> = []
        /// Open brackets; a text must not be able to exhaust the stack.
        private var depth = 0

        init(words: ArraySlice<Substring>) { self.words = words }

        private mutating func take(_ choices: Operator...) -> Operator? {
            guard let word = words.first, word.count == 1, let character = word.first,
                let found = Operator(rawValue: character), choices.contains(found)
            else { return nil }
            words.removeFirst()
            return found
        }

        mutating func sum() -> Node? {
            guard var left = product() else { return nil }
            while let operation = take(.plus, .minus) {
                guard let right = product() else { return nil }
                left = .operation(operation, left, right)
            }
            return left
        }

        private mutating func product() -> Node? {
            guard var left = factor() else { return nil }
            while let operation = take(.times, .over) {
                guard let right = factor() else { return nil }
                left = .operation(operation, left, right)
            }
            return left
        }

        private mutating func factor() -> Node? {
            guard let word = words.popFirst() else { return nil }
            if word == "(" {
                depth += 1
                guard depth < 16, let inner = sum(), words.popFirst() == ")" else { return nil }
                depth -= 1
                return inner
            }
            if let function = Function(rawValue: String(word)) {
                depth += 1
                guard depth < 16, words.popFirst() == "(" else { return nil }
                var nodes: [Node] = []
                repeat {
                    guard let node = sum() else { return nil }
                    nodes.append(node)
                    if words.first == "," { words.removeFirst() } else { break }
                } while true
                guard words.popFirst() == ")", function != .sqrt || nodes.count == 1 else {
                    return nil
                }
                depth -= 1
                return .call(function, nodes)
            }
            if let number = Double(word), number.isFinite { return .number(number) }
            guard word.first?.isLetter ?? false else { return nil }
            names.insert(String(word))
            return .name(String(word))
        }
    }
}
