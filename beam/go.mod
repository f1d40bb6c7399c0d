module github.com/mercer-ml/mercer/beam

go 1.26.0

require (
	github.com/apache/beam/sdks/v2 v2.77.0
	github.com/mercer-ml/mercer v0.0.0
)

replace github.com/mercer-ml/mercer => ../
