package store

import (
	"maps"

	"pgregory.net/rapid"

	"reverie/memory"
)

func init() { maps.Copy(calls, receiptCalls) }

// receiptCalls are the calls that tell again what a write was answered. A receipt names a path and a document, no words.
var receiptCalls = map[string]call{
	"Receipt": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		receipt, found, err := w.Receipt(t.Context(), id, rapid.SampledFrom([]string{"key shared.mdPERSONAL", "key shared.mdTEAM"}).Draw(t, "key"))
		if err != nil || !found {
			return nil, nil, err
		}
		var tags []tag
		for _, c := range receipt.Changes {
			tags = append(tags, w.tagOfDocument(t, c.Document))
		}
		return tags, nil, nil
	},
	"ReceiptOfVersion": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		receipt, err := w.ReceiptOfVersion(t.Context(), id, anyRef(t), rapid.IntRange(1, 3).Draw(t, "version"))
		if err != nil {
			return nil, nil, err
		}
		return w.tagOfDocument(t, receipt.Changes[0].Document), nil, nil
	},
}
