import HttpArchive

let recorder = HarRecorder()
_ = try HarReplayingSender(har: recorder.data())
