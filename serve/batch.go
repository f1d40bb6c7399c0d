package serve

import (
	"context"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
)

// maxBatch is the most rows that are computed together for several requests: some tiles of the kernel, and no more than what a request that
// has just missed a batch should wait for.
const maxBatch = 256

// batcher joins requests to one model that wait while others are computed. Nothing waits for company: a request that finds a free slot is computed
// at once, and who comes when none is free is computed with all others that came meanwhile as soon as one is. So batches grow with the
// load, and the wait is bounded by one batch. A row has the same bits whatever it is computed with.
type batcher struct {
	predict func(ctx context.Context, x *data.Encoded, w model.Want) (*model.Prediction, error)
	seen    func(rows int) // told the rows of each computation

	mu      sync.Mutex
	free    int // slots
	waiting []*waiter
}

// waiter is a request in the queue.
type waiter struct {
	ctx    context.Context
	x      *data.Encoded
	want   model.Want
	done   chan struct{}
	answer *model.Prediction
	err    error
}

// do is predict, perhaps with others.
func (b *batcher) do(ctx context.Context, x *data.Encoded, w model.Want) (*model.Prediction, error) {
	if x.Len() > maxBatch { // it fills tiles by itself, and nobody waits for it
		b.seen(x.Len())
		return b.predict(ctx, x, w)
	}
	b.mu.Lock()
	if b.free > 0 {
		b.free--
		b.mu.Unlock()
		defer b.release()
		b.seen(x.Len())
		return b.predict(ctx, x, w)
	}
	q := &waiter{ctx: ctx, x: x, want: w, done: make(chan struct{})}
	b.waiting = append(b.waiting, q)
	b.mu.Unlock()
	select {
	case <-q.done:
		return q.answer, q.err
	case <-ctx.Done():
		return nil, context.Cause(ctx) // whoever takes it from the queue sees the same
	}
}

// release gives the slot to those who wait, or back. Their batch gets a goroutine of its own: this one has an answer to write.
func (b *batcher) release() {
	b.mu.Lock()
	batch := b.take()
	if batch == nil {
		b.free++
	}
	b.mu.Unlock()
	if batch != nil {
		go func() {
			defer b.release()
			b.run(batch)
		}()
	}
}

// take is the first who waits and all that can be computed with it; nil where nobody waits. mu is held.
func (b *batcher) take() (batch []*waiter) {
	rows := 0
	left := b.waiting[:0]
	for _, q := range b.waiting {
		switch {
		case q.ctx.Err() != nil: // it has gone
		case batch == nil, rows+q.x.Len() <= maxBatch && fits(batch[0], q):
			rows += q.x.Len()
			batch = append(batch, q)
		default:
			left = append(left, q)
		}
	}
	clear(b.waiting[len(left):])
	b.waiting = left
	return batch
}

// run computes a batch. Where that fails each is computed alone: the fault of one is not that of the others.
func (b *batcher) run(batch []*waiter) {
	defer func() {
		for _, q := range batch {
			close(q.done)
		}
	}()
	if len(batch) > 1 {
		x := join(batch)
		b.seen(x.Len())
		// Nobody of them may end it for the others.
		if p, err := b.predict(context.WithoutCancel(batch[0].ctx), x, batch[0].want); err == nil {
			share(batch, p)
			return
		}
	}
	for _, q := range batch {
		b.seen(q.x.Len())
		q.answer, q.err = b.predict(q.ctx, q.x, q.want)
	}
}
