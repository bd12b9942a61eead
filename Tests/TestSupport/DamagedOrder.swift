/// Ways in which a sequence of frames or lines loses its order.
package struct DamagedOrder<Element> {
    /// Which of them was touched.
    package let place: Int
    /// Without it.
    package let lost: [Element]
    /// With it twice.
    package let doubled: [Element]
    /// With it in the place of the next one; the last with the first.
    package let swapped: [Element]

    /// Damages a sequence of two elements or more at a random place.
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

    /// All of them.
    package var all: [[Element]] { [lost, doubled, swapped] }
}
