package model

import (
	"fmt"
	"slices"
	"strings"
)

// UnfitError says why a model does not fit a format that it was to be exported
// to.
type UnfitError struct {
	Format string
	Why    string
}

func (e *UnfitError) Error() string {
	return fmt.Sprintf("the model does not fit %s: %s", e.Format, e.Why)
}

func unfit(format, why string, args ...any) error {
	return &UnfitError{format, fmt.Sprintf(why, args...)}
}

// byFunction refuses a model whose prediction is not its function, or not that alone:
// another program would predict something else.
func (r record) byFunction(format string) error {
	switch {
	case r.domain == domainTransform:
		return unfit(format, "it predicts nothing (it is of %s)", r.learner)
	case r.domain == domainCommittee:
		return unfit(format, "it is a committee of several functions; fit one model to export it")
	case r.domain == domainNodes:
		return unfit(format, "it is a value for each node of one graph, not a sum over centres")
	case r.learner == "knn" || r.learner == "knn-regression":
		return unfit(format, "nearest neighbours are a search, not a sum over centres")
	case strings.HasPrefix(r.learner, "nw") || strings.HasPrefix(r.learner, "normalised-rbf"):
		return unfit(format, "it divides one sum over centres by another")
	case r.learner == "local":
		return unfit(format, "it solves a problem of its own at every point")
	case slices.Contains([]string{"forest", "forest-classifier", "boosting", "boosting-classifier"}, r.learner):
		return unfit(format, "it is trees, not a sum over centres")
	case r.learner == "gp-poisson":
		return unfit(format,
			"its function is the logarithm of the rate of counts, whose mean depends on the variance at the row, too")
	case r.learner == "smoothing-spline":
		return unfit(format, "a spline goes on in straight lines beyond its points")
	case r.learner == "rvm-classifier" && r.classes > 2:
		return unfit(format,
			"it takes the most probable of %d classes, and its probabilities depend on the variances of the scores", r.classes)
	}
	return nil
}

// logOdds says whether the scores are log odds, one against the rest.
func (r record) logOdds() bool {
	switch r.learner {
	case "l1vm-classifier", "l2vm-classifier", "rbf-classifier", "features-logistic":
		return true
	case "norma-classifier":
		return r.numbers["log odds"] != 0
	}
	return r.learner == "logistic"
}
