import Glibc

/// One thing to measure.
struct Contender {
    let name: String
    let run: () throws -> Void
}

/// What was measured of some contenders in the same rounds.
struct Measurement {
    /// Nanoseconds a run, for each contender and round.
    let times: [[Double]]

    /// Nanoseconds a run.
    func time(_ contender: Int) -> Double { median(times[contender]) }

    /// How many times the time of one contender another one takes: the median of the rounds' ratios. A machine whose
    /// speed changes does so for both in one round, so that the ratio stays.
    func ratio(of contender: Int, to other: Int) -> Double {
        median(zip(times[contender], times[other]).map { $0 / $1 })
    }
}

/// Measures rounds of a few milliseconds in which each contender has its turn, in changing order, for as long as given.
func measure(_ contenders: [Contender], seconds: Double) throws -> Measurement {
    // The first round warms up and tells how often a contender runs in its turn.
    let turn = 4e6
    let repetitions = try contenders.map { contender in
        try contender.run()
        let start = processorTime()
        try contender.run()
        return max(1, Int(turn / max(1, processorTime() - start)))
    }
    var times: [[Double]] = contenders.map { _ in [] }
    let end = processorTime() + seconds * 1e9
    while processorTime() < end || times[0].count < 15 {
        let order = Array(contenders.indices)
        for index in times[0].count.isMultiple(of: 2) ? order : order.reversed() {
            let start = processorTime()
            for _ in 0..<repetitions[index] { try contenders[index].run() }
            times[index].append((processorTime() - start) / Double(repetitions[index]))
        }
    }
    return Measurement(times: times)
}

/// The processor time of this thread in nanoseconds: what others do on the machine disturbs it least.
func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

private func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
}

/// Measures for three seconds and prints a line for each contender; ratios are to the first.
func report(_ title: String, bytes: Int, _ contenders: [Contender]) throws -> Measurement {
    let measurement = try measure(contenders, seconds: 3)
    for (index, contender) in contenders.enumerated() {
        let time = measurement.time(index)
        print(
            pad(title, 26), pad(contender.name, 18), pad("\(rounded(time / 1000)) µs", 14),
            pad("\(Int((Double(bytes) / time * 1000).rounded())) MB/s", 12),
            "\(rounded(measurement.ratio(of: 0, to: index)))x")
    }
    return measurement
}

/// What the library is to reach, and whether it did in this run.
struct Target {
    let name: String
    let value: Double
    let atLeast: Double

    var isReached: Bool { value >= atLeast }

    func report() {
        print(isReached ? "pass" : "FAIL", pad(name, 50), pad("\(rounded(value))", 8), "at least \(atLeast)")
    }
}

func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }

func pad(_ text: String, _ width: Int) -> String { text + String(repeating: " ", count: max(0, width - text.count)) }

/// Keeps the optimizer from leaving out what made the value.
@inline(never)
func blackHole<Value>(_ value: Value) {}
