// swift-format-ignore-file
// A part of the stub Darwin: in one module of Swift the type `stat` and the function `stat` could not both be.
public typealias time_t = Int
public struct timespec { public init() {}; public var tv_sec: time_t = 0, tv_nsec: Int = 0 }
public typealias mode_t = UInt16
public typealias off_t = Int64
public typealias dev_t = Int32
public typealias uid_t = UInt32
public typealias ino_t = UInt64
public struct stat { public init() {}; public var st_dev: dev_t = 0, st_mode: mode_t = 0, st_uid: uid_t = 0, st_ino: ino_t = 0, st_size: off_t = 0, st_mtimespec = timespec() }
