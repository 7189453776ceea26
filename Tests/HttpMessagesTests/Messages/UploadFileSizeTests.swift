// The whole of Foundation, on purpose: a program that loads it gets file attributes of other types on Linux.
import Foundation
import Testing

@testable import HttpMessages

@Test func aFilesSizeIsKnownInAProgramThatLoadsFoundationToo() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("netchain-size-\(UUID()).txt")
    try Data(repeating: 7, count: 1_234).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }

    #expect(try RequestBody.file(file).length == 1_234)
}
