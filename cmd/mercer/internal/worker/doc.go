// Package worker is the program as the other half of somebody else's process: a Python session
// starts `mercer worker`, sends it requests and gets arrays back. Nobody else can reach it: both
// ends of its socket belong to the two processes, and when the other end closes, the worker ends,
// whatever it is doing.
//
// A message, in either direction, is
//
//	u32 bytes of the head | u32 flags | u64 bytes of the body | head (JSON) | body
//
// with little-endian numbers. The body is the arrays of the message, each at the place that the
// head says. Where flag 1 is set the body is empty, and the arrays lie in memory that both
// processes share: its descriptor travels with the message (SCM_RIGHTS), so that nothing has a name
// in any file system and nothing is left behind by a process that is killed. With flag 2 beside it
// the memory is a room that comes again with later messages, once the one before was answered.
//
// A request has an id, an operation, arguments and arrays:
//
//	{"id": 7, "op": "fit", "args": {"learner": "svm", …}, "arrays": {"x": {"type": "f8", "shape": [100, 5], "at": 0}}}
//
// Requests run side by side, and each is answered under its id, by a result or an error; before
// that steps may come:
//
//	{"id": 7, "step": {"iteration": 1200, "residual": 0.01}}
//	{"id": 7, "result": {…}, "arrays": {…}}
//	{"id": 7, "error": {"kind": "input", "message": "…"}}
//
// {"op": "cancel", "id": 7} ends request 7. Fitted models stay here under a number that the result
// says, and their file goes to the other side, which sends it again where this one does not know
// the number (any more): error kind "unknown-model".
package worker
