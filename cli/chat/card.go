package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/output"
)

// printCard prints the morning card, with the numbers of its facts.
func (t *talk) printCard(w io.Writer) error {
	c := t.card
	fmt.Fprintf(w, "Dreamed on %s: %d new in memory, %d rejected.\n", output.When(c.StartedAt), c.PromotedCount, c.RejectedCount)
	for i, f := range c.Facts {
		state := ""
		if f.Status != "" {
			state = " (" + f.Status + ")"
		}
		fmt.Fprintf(w, "  %d  %s%s\n", i+1, output.OneLine(f.Text, 200), state) //nolint:mnd // as in output.Card
	}
	if len(c.Facts) == 0 {
		return nil
	}
	_, err := fmt.Fprintln(w, "/card confirm N, /card edit N <text> or /card forget N changes what is remembered.")
	return err
}

// decide carries out /card: it shows the card, or changes one of its facts.
func (t *talk) decide(ctx context.Context, rest string) error {
	if t.card.ReportID == "" {
		return errors.New("there is no morning card: `reverie memory dreams` lists the dreams")
	}
	if rest == "" {
		return t.printCard(t.out)
	}
	verb, rest, _ := strings.Cut(rest, " ")
	number, text, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > len(t.card.Facts) {
		return fmt.Errorf("name a fact of the card: /card %s N, from 1 to %d", output.OneLine(verb, 20), len(t.card.Facts)) //nolint:mnd // a word
	}
	report, fact, key := t.card.ReportID, &t.card.Facts[n-1], uuid.NewString()
	var changed wire.Answer[wire.Entry]
	switch text = strings.TrimSpace(text); {
	case verb == "confirm" && text == "":
		changed, err = t.client.ConfirmEntry(ctx, t.Agent, report, fact.Entry, wire.ConfirmEntryParams{Person: t.Person(), IdempotencyKey: key})
	case verb == "forget" && text == "":
		changed, err = t.client.ForgetEntry(ctx, t.Agent, report, fact.Entry, wire.ForgetEntryParams{Person: t.Person(), IdempotencyKey: key})
	case verb == "edit" && text != "":
		changed, err = t.client.EditEntry(ctx, t.Agent, report, fact.Entry, wire.EditEntryParams{Person: t.Person(), IdempotencyKey: key},
			wire.EditEntryBody{Content: text})
	default:
		return errors.New("use /card confirm N, /card edit N <text> or /card forget N")
	}
	if err != nil {
		return err
	}
	was := fact.Text
	fact.Status = verb + "ed" // the card is read once, and its numbers stay
	switch verb {
	case "edit":
		fact.Text = text
	case "forget":
		fact.Text, fact.Status = "…", "forgotten"
	}
	switch {
	case t.JSON:
		return t.line(changed.Raw)
	}
	fmt.Fprintf(t.out, "%s: %s\n", changed.Data.Status, output.OneLine(was, 200)) //nolint:mnd // as in printCard
	t.showWritten(changed.Data.Token, changed.Data.Changes)
	return nil
}
