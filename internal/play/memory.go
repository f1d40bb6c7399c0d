package play

import (
	"encoding/json"
	"maps"
	"sync"
)

// memory keeps the last questions of each scene of each page, so that a page need send only what
// changed: a slider moves one number beside three hundred points that stay.
type memory struct {
	mu    sync.Mutex
	known []question // oldest first
}

type question struct {
	page, scene string
	number      int
	fields      map[string]json.RawMessage
	bytes       int
}

// What a memory keeps at most. A page that is forgotten sends everything again.
const (
	questionsKept = 64
	bytesKept     = 16 << 20
)

// recall is all fields of a question: those sent on top of those of its base.
func (m *memory) recall(r Request) (map[string]json.RawMessage, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	fields := r.Fields
	if r.Base != 0 {
		base := m.find(r)
		if base == nil {
			return nil, &Fault{Code: CodeForgotten, Message: "what the question builds on is no longer known; send all of it"}
		}
		fields = maps.Clone(base)
		for name, value := range r.Fields {
			if string(value) == "null" {
				delete(fields, name)
			} else {
				fields[name] = value
			}
		}
	}
	m.keep(r, fields)
	return fields, nil
}

func (m *memory) find(r Request) map[string]json.RawMessage {
	for _, q := range m.known {
		if q.page == r.Page && q.scene == r.Scene && q.number == r.Base {
			return q.fields
		}
	}
	return nil
}

func (m *memory) keep(r Request, fields map[string]json.RawMessage) {
	if r.Page == "" || r.Number == 0 {
		return // one who asks once
	}
	size := 0
	for name, value := range fields {
		size += len(name) + len(value)
	}
	m.known = append(m.known, question{r.Page, r.Scene, r.Number, fields, size})
	total := 0
	for i := len(m.known) - 1; i >= 0; i-- {
		total += m.known[i].bytes // values that questions share are counted for each: an upper bound
		if len(m.known)-i > questionsKept || total > bytesKept {
			m.known = append([]question(nil), m.known[i+1:]...)
			break
		}
	}
}
