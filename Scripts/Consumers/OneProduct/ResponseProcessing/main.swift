import ResponseProcessing

_ = ResponseDataPreprocessorNode(next: ResponseDataParserNode())
print("ResponseProcessing: \(RetryPolicy.exponential().attempts) attempts")
