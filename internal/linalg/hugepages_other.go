//go:build !linux

package linalg

// NewLarge is New for matrices of many megabytes that are filled once.
func NewLarge[F Float](r, c int) Matrix[F] { return New[F](r, c) }
