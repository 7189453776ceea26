import Synchronization
import Testing

@testable import NodeCore

@Suite struct SpinnerLoadIndicatorTests {
    @Test func itTurnsWhileRequestsRunAndWipesItselfAfterwards() async {
        let (output, write) = AsyncStream<String>.makeStream()
        let spinner = SpinnerLoadIndicator { write.yield($0) }
        spinner.show()
        var texts: [String] = []
        for await text in output {
            texts.append(text)
            if texts.count == 5 { spinner.hide() }
            if text == "\r  \r" { break }
        }
        #expect(texts.prefix(5) == ["\r| ", "\r/ ", "\r- ", "\r\\ ", "\r| "])
        #expect(texts.last == "\r  \r")
        #expect(texts.dropLast().allSatisfy { $0.count == 3 })
    }

    @Test func aRequestThatIsOverAtOnceDrawsNothing() async {
        let (output, write) = AsyncStream<String>.makeStream()
        let spinner = SpinnerLoadIndicator { write.yield($0) }
        spinner.show()
        spinner.hide()
        spinner.show()
        for await text in output {
            // The first thing drawn is the second request's first frame: the first one drew and wiped nothing.
            #expect(text == "\r| ")
            break
        }
        spinner.hide()
    }

    @Test func aSpinnerThatIsShownAgainStartsAnew() async {
        let (output, write) = AsyncStream<String>.makeStream()
        let slot = Mutex<SpinnerLoadIndicator?>(nil)
        let frames = Atomic(0)
        let spinner = SpinnerLoadIndicator { text in
            write.yield(text)
            // On the spinner's own queue, so that no frame comes between.
            if frames.add(1, ordering: .relaxed).newValue == 2, let spinner = slot.withLock({ $0 }) {
                spinner.hide()
                spinner.show()
            }
        }
        slot.withLock { $0 = spinner }
        spinner.show()
        var texts: [String] = []
        for await text in output {
            texts.append(text)
            if texts.count == 5 { break }
        }
        spinner.hide()
        slot.withLock { $0 = nil }
        #expect(texts == ["\r| ", "\r/ ", "\r  \r", "\r| ", "\r/ "])
    }
}
