// Package oip is the messages of the Open Inference Protocol, version 2, over gRPC. oip.pb.go is generated from the protocol's description as KServe publishes
// it: the FileDescriptor in its Python package (Apache-2.0, PyPI), which is what its own client speaks. The script generate in this folder
// says which version, and makes the file again.
package oip
