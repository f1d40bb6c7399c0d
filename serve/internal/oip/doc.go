// Package oip reads and writes the messages of the Open Inference Protocol over gRPC. They are
// those of grpc_predict_v2.proto, https://github.com/kserve/open-inference-protocol; the numbers of
// their fields stand where they are read and written. Only what a server needs is here: requests
// are read, answers written. Their encoding is protobuf's,
// https://protobuf.dev/programming-guides/encoding.
package oip
