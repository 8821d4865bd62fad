package memory

import "testing"

func TestRenderedContentFitsADocument(t *testing.T) {
	t.Parallel()
	if MaxRenderedBytes != MaxDocumentBytes {
		t.Errorf("a template may render %d bytes, a document holds %d", MaxRenderedBytes, MaxDocumentBytes)
	}
}
