import HttpMessages
import Testing

struct TransferProgressTests {
    @Test(
        arguments: [
            (0, 100, 0, 0), (25, 100, 0, 0.25), (100, 100, 0, 1), (0, 100, 100, 0.5), (50, 50, 50, 1), (0, 0, 0, 1),
            (0, nil, 0, nil), (5, nil, 5, nil), (5, 4, 0, nil), (.max, .max, .max, 1),
        ] as [(Int64, Int64?, Int64, Double?)])
    func theFractionContainsWhatEarlierAttemptsLeft(
        received: Int64, total: Int64?, alreadyReceived: Int64, fraction: Double?
    ) {
        let progress = TransferProgress(
            sent: 0, totalToSend: nil, received: received, totalToReceive: total, alreadyReceived: alreadyReceived)
        #expect(progress.fractionReceived == fraction)
    }

    @Test(
        arguments: [(0, 100, 0), (25, 100, 0.25), (0, 0, 1), (5, nil, nil), (5, 4, nil)] as [(Int64, Int64?, Double?)])
    func theFractionSentNeedsTheSize(sent: Int64, total: Int64?, fraction: Double?) {
        let progress = TransferProgress(sent: sent, totalToSend: total, received: 0, totalToReceive: nil)
        #expect(progress.fractionSent == fraction)
    }
}
