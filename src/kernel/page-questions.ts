/** The answers that were computed, by the names of their questions. */
interface Answers {
  readonly process: unknown
  readonly inspect: unknown
  readonly propose: unknown
  readonly complete: unknown
  readonly isShell: unknown
  readonly relocate: unknown
  readonly detect: unknown
  readonly read: unknown
  readonly view: unknown
  readonly point: unknown
}

/** Asks about a page by the name of the question. */
type Ask<Page, Visit, A extends Answers> = <K extends keyof A>(
  task: K,
  page: Page,
  visit: Visit,
  signal?: AbortSignal,
) => Promise<A[K]>

/**
 * The questions about a page as functions, each under its name. `start`: the visit for questions
 * that are called without one.
 */
export function pageQuestions<Page, Visit, A extends Answers>(
  ask: Ask<Page, Visit, A>,
  start: Visit,
) {
  return {
    process: (page: Page, visit: Visit, signal?: AbortSignal) =>
      ask('process', page, visit, signal),
    inspect: (page: Page, visit: Visit, signal?: AbortSignal) =>
      ask('inspect', page, visit, signal),
    propose: (page: Page, visit: Visit, signal?: AbortSignal) =>
      ask('propose', page, visit, signal),
    complete: (page: Page, signal?: AbortSignal) => ask('complete', page, start, signal),
    isShell: (page: Page, visit: Visit, signal?: AbortSignal) =>
      ask('isShell', page, visit, signal),
    relocate: (page: Page, signal?: AbortSignal) => ask('relocate', page, start, signal),
    detect: (page: Page, signal?: AbortSignal) => ask('detect', page, start, signal),
    read: (page: Page, signal?: AbortSignal) => ask('read', page, start, signal),
    view: (page: Page, signal?: AbortSignal) => ask('view', page, start, signal),
    point: (page: Page, signal?: AbortSignal) => ask('point', page, start, signal),
  }
}

/** The visit of a page with which a run begins. */
export const START_VISIT = { label: 'start', depth: 0, hop: 1 }
