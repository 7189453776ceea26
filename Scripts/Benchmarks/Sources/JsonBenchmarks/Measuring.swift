import Glibc

/// One thing to measure.
struct Contender {
    let name: String
    let run: () throws -> Void
}

/// The processor time of this thread in nanoseconds: what others do on the machine disturbs it least.
func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

/// Nanoseconds a run for each contender: the median of rounds in which each has its turn.
func measure(_ contenders: [Contender], rounds: Int, repetitions: Int) throws -> [Double] {
    var times: [[Double]] = contenders.map { _ in [] }
    for round in 0...rounds {
        for (index, contender) in contenders.enumerated() {
            let start = processorTime()
            for _ in 0..<repetitions { try contender.run() }
            // The first round warms up.
            if round > 0 { times[index].append(processorTime() - start) }
        }
    }
    return times.map { $0.sorted()[$0.count / 2] / Double(repetitions) }
}

/// Measures and prints a line for each contender; ratios are to the first.
func report(_ title: String, bytes: Int, repetitions: Int, _ contenders: [Contender]) throws {
    let times = try measure(contenders, rounds: 11, repetitions: repetitions)
    for (contender, time) in zip(contenders, times) {
        let speed = (Double(bytes) / time * 1000).rounded()
        print(
            pad(title, 26), pad(contender.name, 18), pad("\((time / 10).rounded() / 100) µs", 14),
            pad("\(Int(speed)) MB/s", 12), "\((times[0] / time * 100).rounded() / 100)x")
    }
}

func pad(_ text: String, _ width: Int) -> String { text + String(repeating: " ", count: max(0, width - text.count)) }

/// Keeps the optimizer from leaving out what made the value.
@inline(never)
func blackHole<Value>(_ value: Value) {}
