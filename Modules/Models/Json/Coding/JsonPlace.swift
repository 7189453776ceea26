/// The position of a value in its document: its parent, and its key or index. The base class of the decoder and
/// encoder.
class JsonPlace {
    // Exclusivity is not checked: no access to these runs application code while it lasts.

    /// Not retained, which would cost a retain and a release for each object: the parent's method that decodes or
    /// encodes the value outlasts it. If a type has kept the value's decoder or encoder, `keeper` retains the parent.
    @exclusivity(unchecked) private(set) unowned(unsafe) final var parent: JsonPlace?
    @exclusivity(unchecked) private final var keeper: JsonPlace?
    /// The value's key if `index` is below 0, otherwise a stale one. nil for a root.
    @exclusivity(unchecked) private final var key: (any CodingKey)?
    /// The value's index in an array; below 0 if the value has a key or is a root.
    private final var index = -1

    /// Places the value below its parent, at a key.
    @inline(__always)
    final func place(below parent: JsonPlace, at key: some CodingKey) {
        self.parent = parent
        index = -1
        replaceKey(with: key)
    }

    /// Places the value in its parent's array.
    @inline(__always)
    final func place(below parent: JsonPlace, at index: Int) {
        self.parent = parent
        self.index = index
    }

    final func place(like other: JsonPlace) {
        parent = other.parent
        index = other.index
        replaceKey(with: other.key)
    }

    /// Retains the parent for as long as this decoder or encoder is referenced.
    final func keepParent() { keeper = parent }

    /// The keys and indices from the parent's value to this one if the parent is not the value's container; nil if it is.
    var keysBelowParent: [any CodingKey]? { nil }

    final func releaseKey() { replaceKey(with: nil) }

    /// Replaces the key, and releases the old one after the access: a key of an application's type may run code then.
    @inline(__always)
    private final func replaceKey(with other: consuming (any CodingKey)?) { swap(&other, &key) }

    final var codingPath: [any CodingKey] {
        var path: [any CodingKey] = []
        var place = self
        while let parent = place.parent {
            if let keys = place.keysBelowParent {
                path += keys.reversed()
            } else {
                path.append(place.index >= 0 ? JsonKey(index: place.index) : place.key ?? JsonKey(""))
            }
            place = parent
        }
        return path.reversed()
    }
}
