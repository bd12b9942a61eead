/// The values of a statement's parameters, in their order or by their names.
struct Arguments: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    private(set) var ordered: [SQLValue] = []
    private(set) var named: [String: SQLValue] = [:]

    init(_ values: [SQLValue]) { ordered = values }

    init(arrayLiteral values: (any ColumnValue)?...) {
        ordered = values.map { $0?.sqlValue ?? .null }
    }

    init(dictionaryLiteral values: (String, (any ColumnValue)?)...) {
        for (name, value) in values { named[name] = value?.sqlValue ?? .null }
    }
}
