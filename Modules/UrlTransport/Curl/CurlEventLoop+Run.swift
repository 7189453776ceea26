#if os(Linux)
import CNetChainCurl
import Glibc
import NodeCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension CurlEventLoop {
    /// The thread's own side: nothing here is touched by another thread.
    final class Run {
        typealias TransferResult = Result<HttpResponse, TransportError>

        private let loop: CurlEventLoop
        private let multi: CurlMultiHandle
        private let configuration: SenderConfiguration
        private let share: CurlShareHandle?
        /// Shared by nobody for longer than a moment; nil once libcurl is known not to forget that way.
        private lazy var noConnections: CurlShareHandle? = .connections()
        private let sockets: CurlSockets
        @exclusivity(unchecked) private var running = CurlTransfers()
        /// Those that wait for their files.
        private var opening = CurlTransfers()
        @exclusivity(unchecked) private var admission: CurlAdmission
        /// The last transfer that was settled, let go of once the requests that follow from it are on their way.
        private var ended: CurlTransfer?
        private var turnsWithoutLook = 0
        /// How many transfers have come to their end but for their file.
        private var endingFiles = 0

        init(loop: CurlEventLoop, configuration: SenderConfiguration) {
            self.loop = loop
            multi = loop.multi
            sockets = CurlSockets(poller: loop.multi.poller)
            self.configuration = configuration
            share = .sessions(withCookies: configuration.cookies == .memory)
            admission = CurlAdmission(limit: configuration.limits.requestsPerOrigin)
        }

        func main() {
            netchain_name_thread("netchain-curl")
            ProcessExit.beginThread()
            blockBrokenPipeSignal()
            // glibc gives the top of a thread's heap back whenever 128 KB of it are free, and takes it anew with the
            // next bodies, page by page. Once a block like this was freed it keeps twice as much.
            let block = UnsafeMutableRawPointer.allocate(byteCount: 1 << 20, alignment: 1)
            block.storeBytes(of: 1, as: UInt8.self)
            block.deallocate()
            work()
            // A task that is not gone on with would be waited for without end.
            for case .run(let job) in loop.leave() { loop.runElsewhere(job) }
            // Connections now, not when the last user lets go.
            ProcessExit.stopHere()
            multi.close()
        }

        private func work() {
            // Swapped with those of the others' side, so that neither has to grow again.
            var commands: [Command] = []
            defer { ended = nil }
            while true {
                ProcessExit.stopHere()
                let life = loop.take(&commands)
                if !commands.isEmpty { multi.poller.beginWork() }
                for command in commands { carryOut(command) }
                // One alone is let go of once what it asked for is on its way. More could hold all answers of the turn.
                if commands.count > 1 { commands.removeAll(keepingCapacity: commands.capacity < 1024) }
                if nextDeadline != nil { failOverdue() }
                if life == .closing { return closeAll() }
                perform()
                if !commands.isEmpty { commands.removeAll(keepingCapacity: true) }
                if life == .finishing, isIdle, loop.isQuiet { return }
                sleep()
            }
        }

        private var isIdle: Bool { running.all.isEmpty && opening.all.isEmpty && endingFiles == 0 }

        private func failOverdue() {
            for transfer in admission.takeOverdue() {
                transfer.fail(.requestTimedOut, "the whole request took longer than it may: it waited in line")
            }
            if opening.all.isEmpty { return }
            let now = Moment.now
            for transfer in opening.all where transfer.deadline.map({ $0 <= now }) ?? false {
                opening.remove(transfer)
                transfer.fileStage = .closed
                transfer.bodyReader.letGo()
                release(transfer)
                transfer.fail(.requestTimedOut, "the whole request took longer than it may: it waited for its file")
                // After the context has settled: the file's queue may ask for the file until then.
                transfer.fileUse?.leave()
            }
        }

        /// No later than when the first of those that don't run has waited too long; nil when none ever will.
        private var nextDeadline: Moment? {
            let deadlines = opening.all.isEmpty ? nil : opening.all.compactMap(\.deadline).min()
            guard let waiting = admission.nextDeadline, let deadlines else {
                return admission.nextDeadline ?? deadlines
            }
            return min(waiting, deadlines)
        }

        /// Writing to a connection that the peer has closed is an error here, not a signal to the process.
        private func blockBrokenPipeSignal() {
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &signals, nil)
        }

        private func carryOut(_ command: Command) {
            switch command {
            case .start(let transfer):
                if admission.admit(transfer) { begin(transfer) }
            case .cancel(let transfer):
                switch transfer.fileStage {
                case .ending: return
                case .opening:
                    opening.remove(transfer)
                    transfer.fileStage = .closed
                    transfer.bodyReader.letGo()
                    transfer.letGoOfFile()
                    release(transfer)
                    return
                case .closed, .ready: break
                }
                guard let easy = transfer.easy else { return admission.forget(transfer) }
                transfer.letGoOfFile()
                detach(transfer, easy)
                release(transfer)
            case .resume(let transfer):
                guard let easy = transfer.easy else { return }
                let result = transfer.unpause(easy)
                // A hop that has no connection yet has nothing that pauses: the command is about the one before.
                if result == CURLE_BAD_FUNCTION_ARGUMENT, transfer.failure == nil { return }
                // What was kept is delivered now, and libcurl tells only here that it could not be.
                if result != CURLE_OK || transfer.failure != nil { _ = end(transfer, easy, result) }
            case .fileReady(let transfer, let result):
                guard transfer.fileStage == .opening else {
                    // It was canceled, or has failed.
                    if case .success(let file?) = result { file.letGo {} }
                    return
                }
                opening.remove(transfer)
                switch result {
                case .success(let file):
                    transfer.fileStage = .ready
                    if let file { transfer.partial = file }
                    begin(transfer)
                case .failure(let failure):
                    transfer.fileStage = .closed
                    transfer.bodyReader.letGo()
                    release(transfer)
                    transfer.fail(failure.code, failure.message)
                }
            case .fileEnded(let transfer, let result):
                endingFiles -= 1
                transfer.fileStage = .closed
                release(transfer)
                transfer.tell(result)
            case .run(let job):
                job.runSynchronously(on: loop.asUnownedTaskExecutor())
                ProcessExit.stopHere()
            }
        }

        /// Starts a transfer whose turn it is; where it fails at once, those that wait for its place.
        private func begin(_ transfer: CurlTransfer) {
            var next: CurlTransfer? = transfer
            while let transfer = next, !start(transfer) { next = admission.release(transfer) }
        }

        /// Gives the transfer a handle and libcurl the handle. Returns whether it is under way; else it has ended.
        private func start(_ transfer: CurlTransfer) -> Bool {
            guard !transfer.context.isSettled else {
                transfer.letGoOfFile()
                return false
            }
            // It may have waited for its turn, or for a redirect, while its session ended.
            if let refusal = transfer.request.admissions.refusal {
                let context = transfer.context
                if transfer.hasFile {
                    transfer.letGoOfFile { context.emit(error: refusal) }
                } else {
                    context.emit(error: refusal)
                }
                transfer.fileUse?.leave()
                return false
            }
            if transfer.needsFiles {
                opening.add(transfer)
                transfer.makeFilesReady()
                return true
            }
            transfer.askForRest()
            guard let easy = CurlEasyHandle(transfer) else {
                transfer.fail(.internalFailure, "libcurl has no memory for a transfer")
                return false
            }
            transfer.easy = easy
            transfer.sockets = sockets
            transfer.setUp(easy)
            if let share { easy.set(CURLOPT_SHARE, share.raw) }
            running.add(transfer)
            if let refusal = easy.refusal {
                detach(transfer, easy)
                let words = String(cString: curl_easy_strerror(refusal))
                transfer.fail(.internalFailure, "libcurl does not take a setting: \(words)")
                return false
            }
            let result = curl_multi_add_handle(multi.raw, easy.raw)
            guard result == CURLM_OK else {
                detach(transfer, easy)
                transfer.fail(.internalFailure, String(cString: curl_multi_strerror(result)))
                return false
            }
            multi.poller.countStart(multi.raw)
            sockets.noteStart()
            return true
        }

        private func perform() {
            multi.poller.tellEvents(multi.raw)
            // A finished transfer may start others (its origin has a free place, a redirect), so both go in turns. What
            // is started gets its first call as a timeout.
            repeat {
                if multi.poller.isTimeoutDue { multi.poller.tellTimeout(multi.raw) }
                sockets.endTurn()
            } while takeFinished()
        }

        private func takeFinished() -> Bool {
            var left: Int32 = 0
            var hasStarted = false
            while let message = curl_multi_info_read(multi.raw, &left) {
                ProcessExit.stopHere()
                guard message.pointee.msg == CURLMSG_DONE, let raw = message.pointee.easy_handle,
                    let easy = CurlEasyHandle.of(raw)
                else { continue }
                let transfer = easy.transfer
                let result = message.pointee.data.result
                forgetConnection(of: easy)
                if end(transfer, easy, result) { hasStarted = true }
            }
            return hasStarted
        }

        /// Returns whether a transfer was started in place of this one.
        private func end(_ transfer: CurlTransfer, _ easy: CurlEasyHandle, _ result: CURLcode) -> Bool {
            switch transfer.ending(result, easy) {
            case .response(let response):
                detach(transfer, easy, isSuccess: true)
                return settle(transfer, .success(response))
            case .failure(let error):
                detach(transfer, easy)
                return settle(transfer, .failure(error))
            case .redirect(let hop):
                detach(transfer, easy)
                transfer.context.observer.noteRedirect(transfer.status, to: hop)
                transfer.follow(hop)
            case .startAgain(let hop):
                detach(transfer, easy)
                transfer.context.observer.noteResending(of: hop, after: transfer.status)
                transfer.resend(hop)
            case .reconnect:
                detach(transfer, easy)
                transfer.beginHop(transfer.hop)
            case .resend(let error):
                detach(transfer, easy)
                transfer.context.observer.noteResending(of: transfer.hop, after: error)
                transfer.resend(transfer.hop)
                transfer.isSecondTry = true
            }
            if let remaining = transfer.remainingTime, remaining <= .zero {
                release(transfer)
                transfer.fail(.requestTimedOut, "the whole request took longer than it may")
            } else {
                begin(transfer)
            }
            return true
        }

        private func detach(_ transfer: CurlTransfer, _ easy: CurlEasyHandle, isSuccess: Bool = false) {
            curl_multi_remove_handle(multi.raw, easy.raw)
            running.remove(transfer)
            transfer.easy = nil
            if isSuccess, let descriptor = transfer.descriptor { sockets.noteFree(descriptor, by: transfer) }
            transfer.bodyReader.letGo()
        }

        /// Where there are many connections: at a transfer's end libcurl goes through all of them, in the order of its
        /// table, until it finds the one that was used, to close it if it was only to be connected. With thousands that
        /// costs several times what a request does.
        ///
        /// Only for a transfer of which libcurl has said that it is done: what one under way shares must not change.
        private func forgetConnection(of easy: CurlEasyHandle) {
            guard sockets.count > 128, let none = noConnections else { return }
            if netchain_forget_connection(easy.raw, none.raw, share?.raw) == 0 { noConnections = nil }
        }

        /// Settles the request of a transfer that is off the multi handle, and gives its place away before: where it has a
        /// file, once that has come to its end. Returns whether a transfer was started.
        private func settle(_ transfer: CurlTransfer, _ result: TransferResult) -> Bool {
            guard transfer.hasFile else {
                let hasStarted = release(transfer)
                ended = transfer
                transfer.settle(result)
                return hasStarted
            }
            transfer.fileStage = .ending
            endingFiles += 1
            transfer.endFile(result) { [loop] in loop.endFile(of: transfer, $0) }
            return false
        }

        /// Gives the transfer's place at its origin to one that waits. Returns whether there was one.
        @discardableResult
        private func release(_ transfer: CurlTransfer) -> Bool {
            guard let next = admission.release(transfer) else { return false }
            begin(next)
            return true
        }

        private func sleep() {
            guard loop.maySleep(hasTransfers: !isIdle) else {
                // However many commands there are, what happens on the sockets has its turn.
                turnsWithoutLook += 1
                if turnsWithoutLook >= 8 { look(longest: 0) }
                return
            }
            look(longest: longestSleep)
        }

        private func look(longest: Int32) {
            turnsWithoutLook = 0
            ended = nil
            multi.poller.wait(multi.raw, longest: longest)
        }

        /// In milliseconds.
        private var longestSleep: Int32 {
            // libcurl's own deadlines end the poller's wait.
            let usual: Int32 = 60_000
            guard let deadline = nextDeadline else { return usual }
            let rest = deadline.distance
            // Rounded up, so that the deadline has passed when the sleep is over.
            return rest < .milliseconds(usual) ? Int32(max(0, rest / .milliseconds(1)) + 1) : usual
        }

        private func closeAll() {
            var waiting: [Command] = []
            _ = loop.take(&waiting)
            let left = running.all + opening.all + admission.removeAll()
            for transfer in opening.all { transfer.fileUse?.leave() }
            opening = CurlTransfers()
            for transfer in left {
                if let easy = transfer.easy { detach(transfer, easy) }
                transfer.fail(.senderClosed, "the sender was closed")
            }
            for command in waiting {
                switch command {
                case .start(let transfer): transfer.fail(.senderClosed, "the sender was closed")
                case .cancel, .resume, .fileReady(_, .failure), .fileReady(_, .success(nil)): break
                case .fileReady(_, .success(let file?)): file.letGo {}
                case .fileEnded(let transfer, let result): transfer.tell(result)
                case .run(let job): loop.runElsewhere(job)
                }
            }
        }
    }
}
#endif
