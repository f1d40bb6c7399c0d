package model

// rule is how scores become what a model predicts, for programs that have nothing but the scores.
type rule struct {
	// decide is "value", the score itself; "sign", the second class where the score is above 0,
	// else the first; "largest", the class of the largest score; "votes", the class that wins most
	// pairs; "probable", the class of the largest probability; "threshold", the class that the
	// threshold names where its probability is at least that, else the other; "grades", the class
	// whose place is how many of the cuts between grades the score is above.
	decide string
	// proba is how probabilities come from scores s: "sigmoid", 1/(1+exp(-s)) of the second class;
	// "shares", that of each class over their sum; "softmax", exp(s) over their sum; "slope", a
	// softmax of scores times a number; "platt", 1/(1+exp(As+B)) of the second class; "platt
	// shares", that of each class over their sum; "platt pairs", that of the first of each pair of
	// classes, coupled; "grades", of the k-th grade 1/(1+exp(s-cₖ)) less that of the cut before, which
	// is 0 before the first, and 1 for the last grade in place of the former. Empty where they are
	// no function of the scores, or not known.
	proba string
}

// rule says how; the error is an *UnfitError where nothing but the model itself can tell.
func (r record) rule(format string) (rule, error) {
	_, outputs := r.coef.Dims()
	rest := r.numbers["one-vs-rest"] != 0 || r.learner != "svc"
	platt := r.arrays["platt"] != nil
	switch {
	case r.classes == 0:
		return rule{decide: "value"}, nil
	case r.learner == "ordinal" && r.classes > 2:
		return rule{"grades", "grades"}, nil
	case (r.learner == "gp-classifier" || r.learner == "svgp-classifier") && r.classes > 2:
		return rule{}, unfit(format, "its class probabilities are averages over random draws")
	case r.logOdds() && r.classes == 2:
		return rule{"probable", "sigmoid"}, nil
	case r.logOdds() && r.numbers["softmax"] != 0:
		return rule{"probable", "softmax"}, nil
	case r.logOdds():
		return rule{"probable", "shares"}, nil
	case platt && r.classes == 2:
		return rule{"probable", "platt"}, nil
	case platt && rest:
		return rule{"probable", "platt shares"}, nil
	case platt:
		return rule{"probable", "platt pairs"}, nil
	}
	out := rule{decide: "votes"}
	if r.numbers["slope"] != 0 {
		out.proba = "slope"
	}
	switch {
	case outputs == 1:
		out.decide = "sign"
	case rest:
		out.decide = "largest"
	}
	return out, nil
}

// decided is a rule with the model's threshold in it.
func (m *Model) decided(r rule, format string) (rule, error) {
	if m.info.Threshold == nil {
		return r, nil
	}
	if r.proba == "" {
		return r, unfit(format, "it names %q from a probability on, which the format has not", clip(m.info.Threshold.Class))
	}
	r.decide = "threshold"
	return r, nil
}
