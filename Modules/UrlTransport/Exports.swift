@_exported import HttpMessages
