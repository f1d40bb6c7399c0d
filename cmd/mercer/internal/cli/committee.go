package cli

import "github.com/mercer-ml/mercer/tune"

// committeeReason says why a committee was chosen, or not.
func committeeReason(c *tune.Committee) string {
	if c.Chosen {
		return "the committee is chosen: " + c.Reason
	}
	return "the committee is not chosen: " + c.Reason
}

// committeeJSON is the committee that was looked at; nil where there was none.
func committeeJSON(c *tune.Committee) any {
	if c == nil {
		return nil
	}
	return map[string]any{"chosen": c.Chosen, "reason": c.Reason, "members": c.Members, "judged": c.Judged,
		"alone": c.Alone, "violation": orNull(c.Violation)}
}
