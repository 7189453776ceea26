#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes values that are no objects, after a key or a comma. `depth` is the number of arrays and objects around them.
extension JsonOutput {
    /// Writes a value as the whole value of a type.
    @inline(__always)
    mutating func single(_ write: (borrowing JsonOutput) -> Void) {
        if open(.single) { write(self) }
    }

    /// Writes elements that need no output of their own.
    @inline(__always)
    mutating func scalars<Element>(_ elements: [Element], _ write: (borrowing JsonOutput, Element) -> Void) {
        guard open(.array) else { return }
        for element in elements {
            beginElement()
            write(self, element)
        }
    }

    @inline(__always)
    func value(_ value: String, depth: Int) { writer.write(value) }

    @inline(__always)
    func value(_ value: Bool, depth: Int) { writer.write(bool: value) }

    @inline(__always)
    func value<Value: FixedWidthInteger>(_ value: Value, depth: Int) { writer.write(integer: value) }

    @inline(__always)
    func value(_ value: Double, depth: Int) {
        if value.isFinite { writer.write(double: value) } else { self.value(notFinite: value) }
    }

    @inline(__always)
    func value(_ value: Float, depth: Int) {
        if value.isFinite { writer.write(float: value) } else { self.value(notFinite: value) }
    }

    @inline(never)
    private func value(notFinite value: some BinaryFloatingPoint) {
        context.write { try context.pointee.settings.text(notFinite: value) { context.path() } }
    }

    func value(_ value: Date, depth: Int) {
        switch context.pointee.settings.dates {
        case .deferredToDate: self.value(value.timeIntervalSinceReferenceDate, depth: depth)
        case .secondsSince1970: self.value(value.timeIntervalSince1970, depth: depth)
        case .millisecondsSince1970: self.value(1000 * value.timeIntervalSince1970, depth: depth)
        case .iso8601 where Iso8601Date.isUsual(value):
            writer.write(quoted: Iso8601Date.length) { Iso8601Date.write(value, to: $0) }
        case .iso8601, .formatted, .custom: self.value(rare: value, depth: depth)
        }
    }

    /// Apart from the usual forms, which would copy the function of a strategy.
    @inline(never)
    private func value(rare value: Date, depth: Int) {
        if case .formatted(let format) = context.pointee.settings.dates {
            context.write { try format(value) }
        } else {
            context.encode(value, depth: depth)
        }
    }

    func value(_ value: Data, depth: Int) {
        if case .base64 = context.pointee.settings.data {
            writer.write(value.base64EncodedString())
        } else {
            context.encode(value, depth: depth)
        }
    }

    func value(_ value: Decimal, depth: Int) {
        if value.isNaN {
            context.encode(value, depth: depth)
        } else {
            writer.write(verbatim: value.description)
        }
    }

    func value(_ value: URL, depth: Int) { writer.write(value.absoluteString) }

    func value(_ value: UUID, depth: Int) { writer.write(quoted: UUID.textLength, value.write) }

    func value(_ value: Json, depth: Int) { writer.write(value, depth: depth) { context.path() } }

    @usableFromInline
    func null() { writer.write(raw: "null") }
}
