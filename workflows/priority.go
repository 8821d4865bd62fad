package workflows

import "go.temporal.io/sdk/temporal"

// Priorities of workflows on all task queues. Their steps and children inherit them, unless they have their own. Of tasks that wait in
// one queue, those with the lowest number run first.
const (
	// urgentPriority: a turn waits for it, such as a flush.
	urgentPriority = 1
	// awaitedPriority: a person or a business process waits for the result.
	awaitedPriority = 2
	// turnPriority: what people said in turns, and the index of it.
	turnPriority = 3
	// importPriority: imports and rebuilt indexes, however large, wait behind everything that people say meanwhile.
	importPriority = 4
	// dreamPriority: nights wait behind everything else.
	dreamPriority = 5
)

// fair returns a priority with a fair share for each workspace among tasks of the same priority, however many of them one workspace
// has. Within a workspace no owner takes more than one share: it has at most one extraction and one dream at a time.
func fair(priority int, workspace string) temporal.Priority {
	return temporal.Priority{PriorityKey: priority, FairnessKey: workspace}
}
