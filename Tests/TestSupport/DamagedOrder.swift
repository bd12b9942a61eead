/// Variants of a sequence of frames or lines with a damaged order.
package struct DamagedOrder<Element> {
    /// The index of the affected element.
    package let place: Int
    /// The sequence without the element.
    package let lost: [Element]
    /// The sequence with the element twice.
    package let doubled: [Element]
    /// The sequence with the element exchanged with the next one; the last with the first.
    package let swapped: [Element]

    /// Damages a sequence of at least two elements at a random index.
    package init(_ whole: [Element], using generator: inout SeededGenerator) {
        place = Int.random(in: whole.indices, using: &generator)
        var changed = whole
        changed.remove(at: place)
        lost = changed
        changed = whole
        changed.insert(whole[place], at: place)
        doubled = changed
        changed = whole
        changed.swapAt(place, (place + 1) % whole.count)
        swapped = changed
    }

    /// All variants.
    package var all: [[Element]] { [lost, doubled, swapped] }
}
