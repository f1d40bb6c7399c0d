module github.com/mercer-ml/mercer/play/browser

go 1.26.0

replace github.com/mercer-ml/mercer => ../..

require (
	github.com/chromedp/cdproto v0.157.8
	github.com/chromedp/chromedp v0.21.0
	github.com/mercer-ml/mercer v0.0.0
	gonum.org/v1/gonum v0.17.0
)
