// Package simd holds the vector routines everything above stands on, in
// assembly where the machine allows it.
//
// Every routine is defined by a plain Go loop (the *_ref.go files), which is
// the fallback, the oracle of the tests and the documentation of the assembly.
// At run time the best variant the CPU can run is chosen (see Level); the build
// tag noasm leaves the plain Go alone.
//
// The amd64 assembly is written by the avo programs in _gen, a module of its
// own; the header of each generated file names the command that made it.
// Routines take slices, check their lengths, and call the assembly with
// pointers.
package simd

//go:generate ./_gen/generate
