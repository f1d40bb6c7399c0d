package worker

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/model"
)

// models is the models that stay here, by number: the latest of them, within a share of the memory.
type models struct {
	mu    sync.Mutex
	next  uint64
	kept  map[uint64]*kept
	order []uint64 // the one used longest ago first
	bytes int64
	most  int64
}

// kept is a model as its file, which is read when somebody first uses it.
type kept struct {
	file []byte
	read func() (*model.Model, error)
}

// mostModels is how many models stay; what is used again is rarely older.
const mostModels = 256

func newModels() *models {
	return &models{kept: map[uint64]*kept{}, most: gram.DefaultBytes() / 2}
}

// add keeps a file, which must not change any more, and says its number.
func (m *models) add(file []byte) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.next++
	m.kept[m.next] = &kept{file, sync.OnceValues(func() (*model.Model, error) { return model.Decode(file) })}
	m.order = append(m.order, m.next)
	m.bytes += int64(len(file))
	for len(m.order) > 1 && (m.bytes > m.most || len(m.order) > mostModels) {
		m.drop(m.order[0])
	}
	return m.next
}

func (m *models) drop(id uint64) {
	if k := m.kept[id]; k != nil {
		m.bytes -= int64(len(k.file))
		delete(m.kept, id)
		m.order = slices.DeleteFunc(m.order, func(other uint64) bool { return other == id })
	}
}

// forget drops models that nobody has any more.
func (m *models) forget(ids []uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range ids {
		m.drop(id)
	}
}

// get finds a model by its number.
func (m *models) get(id uint64) (*model.Model, error) {
	m.mu.Lock()
	k := m.kept[id]
	if k != nil {
		m.order = append(slices.DeleteFunc(m.order, func(other uint64) bool { return other == id }), id)
	}
	m.mu.Unlock()
	if k == nil {
		return nil, &fault{"unknown-model", fmt.Sprintf("model %d is not here", id)}
	}
	return k.read()
}

// load takes in a model file and says what it is.
func load(_ context.Context, c *call) (*answer, error) {
	file, _, err := view[byte](c.arrays, "model", 1)
	if err != nil {
		return nil, err
	}
	own := aligned(len(file))
	copy(own, file)
	id := c.models.add(own)
	m, err := c.models.get(id)
	if err != nil {
		return nil, err
	}
	a := newAnswer()
	a.result["model"] = id
	about(a, m)
	return a, nil
}

// about says what a model is.
func about(a *answer, m *model.Model) {
	a.result["role"], a.result["task"], a.result["learner"], a.result["kernel"] = m.Role(), m.Task().String(), m.Learner(),
		m.Kernel()
	a.result["classes"], a.result["features"], a.result["dim"] = m.Classes(), m.Summary().Features, m.Dim()
	a.result["targets"] = m.Targets()
}
