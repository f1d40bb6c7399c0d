// Package serve answers predictions over the wire. A Server is an http.Handler with three faces:
//
//   - the Open Inference Protocol, version 2, over REST (JSON tensors and the binary tensor
//     extension) and over gRPC, for those who have a client of KServe, Triton or Seldon;
//   - POST /predict/NAME, which takes CSV, JSON lines or a JSON object with the columns that the
//     model was fitted on and answers in kind, for those who have curl and a file;
//   - a page at /, metrics for Prometheus at /metrics and a description for programs at /openapi.json.
//
// Models come from Add, or from files and folders that are looked at again and again (Watch). Every
// answer has the bits that model.Predict gives, whatever requests it was computed with: those that
// wait while others are computed are joined, so that the tiles of the kernel are used.
//
// The protocol is that of https://github.com/kserve/open-inference-protocol, the binary tensors and
// the repository those of Triton's extensions.
package serve
