package writereq

import (
	"testing"

	"reverie/memory"
	"reverie/memory/template"
)

func TestRenderedContentFitsADocument(t *testing.T) {
	t.Parallel()
	if template.MaxRenderedBytes != memory.MaxDocumentBytes {
		t.Errorf("a template may render %d bytes, a document holds %d", template.MaxRenderedBytes, memory.MaxDocumentBytes)
	}
}
