// The programs of a newcomer: a module of somebody else's that imports ours.
module example.org/newcomer

go 1.26.0

require (
	github.com/mercer-ml/mercer v0.0.0
	gonum.org/v1/gonum v0.17.0
)

require (
	github.com/ebitengine/purego v0.11.2 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/mercer-ml/mercer => ../
