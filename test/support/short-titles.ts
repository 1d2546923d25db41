import { beforeEach } from 'vitest'

const MOST = 300

/** Refuses a title of a test that is too long to be read in a report. */
export function checkTitle(title: string): void {
  if (title.length > MOST)
    throw new Error(`a title of ${title.length} characters; at most ${MOST}: name the case`)
}

// A title with %j or %s may have a body of megabytes, which each report repeats.
beforeEach(({ task }) => checkTitle(task.name))
