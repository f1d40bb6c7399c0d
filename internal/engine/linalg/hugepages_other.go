//go:build !linux

package linalg

func adviseHuge[F Float]([]F) {}
