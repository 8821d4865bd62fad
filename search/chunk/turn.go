package chunk

// Turn cuts one message of a conversation into the pieces that are found: normally one, the whole message. One that is
// longer than o.Tokens is cut as the section of a document is, into at most MaxParts parts with an overlap; where it would
// need more of them, they are longer. Context is the speaker, Seq and At are seq and at. A blank message has no pieces.
func Turn(seq int64, speaker, content string, at int64, o Options) []Piece {
	if isBlank(content) {
		return nil
	}
	o = o.settled()
	total := EstimateTokens(content)
	if total <= o.Tokens {
		return []Piece{{
			Seq: seq, Text: content, Context: speaker, At: at, End: len(content),
			FromLine: 1, ToLine: max(len(splitTextLines(content)), 1),
		}}
	}
	lines := scanLines(content)
	o.Tokens = max(o.Tokens, total/MaxParts+o.Overlap)
	for {
		c := newCutter(content, lines, o)
		cuts := c.cut(0, len(c.atoms))
		if len(cuts) > MaxParts {
			o.Tokens += o.Tokens / 4
			continue
		}
		out := make([]Piece, len(cuts))
		for i, cut := range cuts {
			out[i] = c.piece(cut)
			out[i].Seq, out[i].Part, out[i].Context, out[i].At = seq, i, speaker, at
		}
		return out
	}
}
