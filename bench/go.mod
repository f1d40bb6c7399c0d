module github.com/mercer-ml/mercer/bench

go 1.26

require (
	github.com/mercer-ml/mercer v0.0.0
	gonum.org/v1/gonum v0.17.0
)

replace github.com/mercer-ml/mercer => ../
