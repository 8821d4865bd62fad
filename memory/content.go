package memory

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxDocumentBytes bounds the content of a document.
const MaxDocumentBytes = 1 << 20

// ErrInvalidContent is wrapped by every error of ValidContent.
var ErrInvalidContent = errors.New("invalid content")

// ErrContentTooLarge is the ErrInvalidContent that is wrapped by the error about too many bytes.
var ErrContentTooLarge = fmt.Errorf("%w", ErrInvalidContent)

// ValidContent checks that s can be the content of a document: UTF-8 without NUL, at most MaxDocumentBytes long. The error
// says what to do and repeats nothing of s.
func ValidContent(s string) error {
	switch {
	case len(s) > MaxDocumentBytes:
		return fmt.Errorf("%w: %d bytes, at most %d are allowed", ErrContentTooLarge, len(s), MaxDocumentBytes)
	case !utf8.ValidString(s):
		return fmt.Errorf("%w: write it in UTF-8", ErrInvalidContent)
	case strings.IndexByte(s, 0) >= 0:
		return fmt.Errorf("%w: remove the NUL characters", ErrInvalidContent)
	}
	return nil
}
