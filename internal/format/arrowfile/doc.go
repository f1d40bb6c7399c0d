// Package arrowfile reads columns from Apache Arrow data in the IPC file format
// (Feather version 2) and the IPC stream format.
//
// A file is a sequence of messages, each a FlatBuffer of metadata and a body of
// buffers: a schema, then dictionaries and record batches. Every number in the
// metadata is a claim; it is checked against the bytes that are there before
// anything is allocated or read by it. Nothing panics on damaged input.
//
// Formats: "Arrow Columnar Format" version 1.5 (arrow.apache.org/docs/format), whose
// Schema.fbs, Message.fbs and File.fbs give the numbers of the fields used here;
// "FlatBuffers Internals" (flatbuffers.dev) for their encoding.
package arrowfile
