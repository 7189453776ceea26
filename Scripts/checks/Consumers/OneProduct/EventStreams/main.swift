import EventStreams

print(ValueStreamError.Code.lineTooLong)
