package decompress

// blocks are the types of block of one kind of symbol, and where in them the
// stream is (RFC 7932, section 6).
type blocks struct {
	types         int
	now, before   int
	left          int
	kinds, counts *prefixCode
}

func (r *bitReader) readBlocks() (blocks, error) {
	k := blocks{types: r.count256(), before: 1, left: 1 << 24}
	if k.types < 2 {
		return k, nil
	}
	var err error
	if k.kinds, err = r.readCode(k.types + 2); err != nil {
		return k, err
	}
	if k.counts, err = r.readCode(len(blockLengths)); err != nil {
		return k, err
	}
	k.left = blockLengths[k.counts.read(r)].read(r)
	return k, nil
}

// count256 is a number from 1 to 256.
func (r *bitReader) count256() int {
	if r.bits(1) == 0 {
		return 1
	}
	n := uint(r.bits(3))
	return 1<<n + 1 + r.bits(n)
}

// next counts a symbol and says of which type its block is.
func (k *blocks) next(r *bitReader) int {
	if k.left == 0 {
		if k.types < 2 {
			k.left = 1 << 24
		} else {
			to := k.kinds.read(r)
			switch to {
			case 0:
				to = k.before
			case 1:
				to = (k.now + 1) % k.types
			default:
				to -= 2
			}
			k.before, k.now = k.now, to
			k.left = blockLengths[k.counts.read(r)].read(r)
		}
	}
	k.left--
	return k.now
}

// readMap reads which code each context has (section 7.3), and how many codes there are.
func (r *bitReader) readMap(contexts int) (m []byte, codes int, err error) {
	codes = r.count256()
	m = make([]byte, contexts)
	if codes > 1 {
		zeros := 0
		if r.bits(1) == 1 {
			zeros = r.bits(4) + 1
		}
		code, err := r.readCode(codes + zeros)
		if err != nil {
			return nil, 0, err
		}
		for i := 0; i < contexts; {
			s := code.read(r)
			if s > zeros {
				m[i] = byte(s - zeros)
				i++
			} else if i += 1<<s + r.bits(uint(s)); i > contexts || r.over() {
				return nil, 0, errBrotli
			}
		}
		if r.bits(1) == 1 {
			moveToFront(m)
		}
	}
	return m, codes, nil
}

func (r *bitReader) readCodes(n, alphabet int) ([]*prefixCode, error) {
	codes := make([]*prefixCode, n)
	for i := range codes {
		var err error
		if codes[i], err = r.readCode(alphabet); err != nil {
			return nil, err
		}
		if r.over() {
			return nil, errBrotli
		}
	}
	return codes, nil
}

// moveToFront undoes the transform of that name.
func moveToFront(m []byte) {
	var order [256]byte
	for i := range order {
		order[i] = byte(i)
	}
	for i, at := range m {
		v := order[at]
		m[i] = v
		copy(order[1:int(at)+1], order[:at])
		order[0] = v
	}
}

// metaBlock decodes a meta-block up to the byte end of the text.
func (b *brotli) metaBlock(end int) error {
	r := &b.bitReader
	var kinds [3]blocks // of literals, lengths, distances
	for i := range kinds {
		var err error
		if kinds[i], err = r.readBlocks(); err != nil {
			return err
		}
	}
	literals, lengths, distances := &kinds[0], &kinds[1], &kinds[2]
	postfix := uint(r.bits(2))
	direct := r.bits(4) << postfix
	modes := make([]byte, literals.types)
	for i := range modes {
		modes[i] = byte(r.bits(2))
	}
	literalMap, literalCodes, err := r.readMap(64 * literals.types)
	if err != nil {
		return err
	}
	distanceMap, distanceCodes, err := r.readMap(4 * distances.types)
	if err != nil {
		return err
	}
	byContext, err := r.readCodes(literalCodes, 256)
	if err != nil {
		return err
	}
	byLengths, err := r.readCodes(lengths.types, 704)
	if err != nil {
		return err
	}
	byDistance, err := r.readCodes(distanceCodes, 16+direct+48<<postfix)
	if err != nil {
		return err
	}
	for len(b.dst) < end {
		if r.over() {
			return errBrotli
		}
		symbol := byLengths[lengths.next(r)].read(r)
		cell := symbol >> 6
		insert := insertLengths[cellInsert[cell]+symbol>>3&7]
		copied := copyLengths[cellCopy[cell]+symbol&7]
		more := insert.read(r)
		length := copied.read(r)
		if more > end-len(b.dst) {
			return errBrotli
		}
		for range more {
			kind := literals.next(r)
			var last, before byte
			if n := len(b.dst); n > 1 {
				last, before = b.dst[n-1], b.dst[n-2]
			} else if n > 0 {
				last = b.dst[0]
			}
			code := byContext[literalMap[64*kind+context(modes[kind], last, before)]]
			b.dst = append(b.dst, byte(code.read(r)))
			if r.over() {
				return errBrotli
			}
		}
		if len(b.dst) == end {
			break
		}
		code, distance := 0, b.last[0]
		if symbol >= 128 {
			kind := distances.next(r)
			code = byDistance[distanceMap[4*kind+min(length, 5)-2]].read(r)
			distance = b.distance(code, direct, postfix)
		}
		reach := min(b.window, len(b.dst))
		if distance <= 0 {
			return errBrotli
		}
		if distance > reach { // a word of the dictionary
			if b.dst, err = appendWord(b.dst, length, distance-reach-1); err != nil {
				return err
			}
			if len(b.dst) > end {
				return errBrotli
			}
			continue
		}
		if length > end-len(b.dst) {
			return errBrotli
		}
		if code != 0 {
			b.last = [4]int{distance, b.last[0], b.last[1], b.last[2]}
		}
		b.dst = repeat(b.dst, distance, length)
	}
	return nil
}

// distance is how far back a code means (section 4).
func (b *brotli) distance(code, direct int, postfix uint) int {
	if code < 16 {
		return b.last[nearWhich[code]] + nearOffset[code]
	}
	if code < 16+direct {
		return code - 15
	}
	code -= 16 + direct
	n := 1 + uint(code)>>(postfix+1)
	high, low := code>>postfix, code&(1<<postfix-1)
	least := (2+high&1)<<n - 4
	return (least+b.bits(n))<<postfix + low + direct + 1
}
