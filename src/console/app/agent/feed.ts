import { batch, computed, signal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'
import type { ToolAnswer } from './host.ts'
import { shownIn } from './shown.ts'
import type { ShownRows, ShownRun } from './shown.ts'

type Data = { readonly [name: string]: unknown }

/** Number of rows in one call. */
const ROWS = 100
/** Time between two reads of a run, in ms. It grows while nothing changes. */
const SHORTEST_MS = 3_000
const LONGEST_MS = 60_000

/** A part of the rows, with the cursor of the call for it. `undefined`: it is the first part. */
interface Part {
  readonly cursor: string | undefined
  readonly rows: readonly Data[]
  readonly next: string | null
}

/** The rows of a result, the rows after them, and their run. */
export interface Feed {
  readonly run: ReadonlySignal<ShownRun | null>
  readonly columns: ReadonlySignal<readonly string[]>
  readonly rows: ReadonlySignal<readonly Data[]>
  /** `null`: there is no result yet. */
  readonly hasMore: ReadonlySignal<boolean | null>
  readonly problem: ReadonlySignal<string | null>
  /** The text of a result without rows. */
  readonly note: ReadonlySignal<string | null>
  /** Takes the result of a call with these arguments. */
  take(answer: ToolAnswer, input: Data): void
  /** Reads the following rows, if there are any. */
  more(): void
  /** Asks again after an error. */
  again(): void
  stop(): void
}

/**
 * Makes a feed. Rows of a run are read in parts, each by its cursor. While the run works, the last
 * part is read again and again, because it grows, and so does the number of parts.
 */
export function createFeed({
  call,
  sleep,
  isSeen,
}: {
  /** `null`: the host calls no tools, so the view shows only the result that it got. */
  readonly call: ((tool: string, args: Data) => Promise<ToolAnswer>) | null
  readonly sleep: (ms: number) => Promise<void>
  /** False while nobody looks at the view. */
  readonly isSeen: () => boolean
}): Feed {
  const run = signal<ShownRun | null>(null)
  const columns = signal<readonly string[]>([])
  const parts = signal<readonly Part[]>([])
  const problem = signal<string | null>(null)
  const note = signal<string | null>(null)
  let source: ShownRows['source'] = null
  /** Counts the shown results. An answer for an earlier result is dropped. */
  let generation = 0
  let isBusy = false
  let wantsMore = false
  let isOver = false
  /** The number of the result whose run is followed. 0: none. */
  let followed = 0

  /** Reads a part. It replaces the part at `index` and all parts after it. */
  async function read(index: number, cursor: string | undefined): Promise<void> {
    if (!call || source === null || isBusy || isOver) return
    isBusy = true
    const current = generation
    const isLate = () => current !== generation || isOver
    try {
      const args = { ...source.args, limit: ROWS, ...(cursor !== undefined && { cursor }) }
      const { args: input } = source
      const answer = await call(source.tool, args)
      if (isLate()) return
      const shown = answer.isError ? null : shownIn(answer.structuredContent, input)
      if (shown === null) problem.value = answer.text
      else put(shown, index, cursor)
    } catch (error) {
      if (isLate()) return
      problem.value = error instanceof Error ? error.message : String(error)
    } finally {
      // A result that came meanwhile may already be reading its rows.
      if (current === generation) isBusy = false
    }
    if (wantsMore && problem.value === null) more()
  }

  function more(): void {
    const last = parts.value.at(-1)
    wantsMore = isBusy
    if (!isBusy && last !== undefined && last.next !== null)
      void read(parts.value.length, last.next)
  }

  function put(shown: ShownRows, index: number, cursor: string | undefined): void {
    batch(() => {
      problem.value = null
      run.value = shown.run
      if (shown.columns.length > 0) columns.value = shown.columns
      const part = { cursor, rows: shown.rows, next: shown.nextCursor }
      parts.value = [...parts.value.slice(0, index), part]
    })
  }

  function isAtWork(): boolean {
    return run.value?.done === false && problem.value === null && !isOver
  }

  async function follow(): Promise<void> {
    if (followed === generation || !call) return
    const mine = (followed = generation)
    const goesOn = () => mine === generation && isAtWork()
    let pause = SHORTEST_MS
    while (goesOn()) {
      await sleep(pause)
      if (!isSeen() || !goesOn()) continue
      const before = JSON.stringify(run.value)
      const index = Math.max(0, parts.value.length - 1)
      await read(index, parts.value[index]?.cursor)
      const isSame = JSON.stringify(run.value) === before
      pause = isSame ? Math.min(LONGEST_MS, pause * 1.5) : SHORTEST_MS
    }
    if (mine === followed) followed = 0
  }

  return {
    run,
    columns,
    rows: computed(() => parts.value.flatMap(({ rows }) => rows)),
    hasMore: computed(() => {
      const last = parts.value.at(-1)
      return last === undefined ? null : call !== null && last.next !== null && source !== null
    }),
    problem,
    note,
    take(answer, input) {
      generation += 1
      isBusy = wantsMore = false
      const shown = answer.isError ? null : shownIn(answer.structuredContent, input)
      source = shown?.source ?? null
      // A result may begin in the middle of the rows, but a table begins with the first row.
      const isMiddle = typeof input['cursor'] === 'string' && call !== null && source !== null
      batch(() => {
        run.value = null
        columns.value = []
        parts.value = []
        note.value = answer.isError || shown !== null ? null : answer.text
        if (shown) put(isMiddle ? { ...shown, rows: [], nextCursor: null } : shown, 0, undefined)
        problem.value = answer.isError ? answer.text : null
      })
      if (shown === null) return
      const whole = isMiddle ? read(0, undefined) : Promise.resolve()
      void whole.then(follow)
    },
    more,
    again() {
      const index = Math.max(0, parts.value.length - 1)
      void read(index, parts.value[index]?.cursor).then(follow)
    },
    stop() {
      isOver = true
    },
  }
}
