import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { ListPage } from '../../../client.ts'
import { systemClock } from '../../../defaults/system-clock.ts'
import { isOffline, problemOf } from './problem.ts'
import type { Problem } from './problem.ts'

/** How long to wait before a server that did not answer is asked again, in ms. */
const AGAIN_MS = 3_000

/** An answer of the API, or the error in its place. */
export interface Answer<T> {
  readonly value: T | null
  readonly problem: string | null
  readonly again: () => void
  readonly set: (value: T) => void
}

/**
 * Asks the API, and asks again when one of `about` changes. A server that does not answer is asked
 * until it does. `left` aborts when the answer is not wanted any more.
 */
export function useAnswer<T>(
  ask: (left: AbortSignal) => Promise<T>,
  about: readonly unknown[],
): Answer<T> {
  const value = useSignal<T | null>(null)
  const problem = useSignal<string | null>(null)
  const turn = useSignal(0)
  useEffect(() => {
    const left = new AbortController()
    ask(left.signal).then(
      (answer) => {
        if (left.signal.aborted) return
        value.value = answer
        problem.value = null
      },
      (error: unknown) => {
        if (left.signal.aborted) return
        problem.value = problemOf(error).message
        if (isOffline(error))
          systemClock.sleep(AGAIN_MS, left.signal).then(
            () => (turn.value += 1),
            () => undefined,
          )
      },
    )
    return () => left.abort()
  }, [...about, turn.value])
  return {
    value: value.value,
    problem: problem.value,
    again: () => (turn.value += 1),
    set: (answer) => (value.value = answer),
  }
}

/** A list of the API as far as it has been read. */
export interface LongList<T> {
  readonly items: readonly T[]
  /** `null`: not known yet. */
  readonly hasMore: boolean | null
  /** True: what follows is being read. */
  readonly isBusy: boolean
  readonly problem: string | null
  readonly more: () => void
  readonly again: () => void
}

/** Pages in a row that may be empty before a list waits for its reader to go on. */
const MOST_EMPTY = 50

/**
 * A page that is not empty, if the list has one. A filter may pass over more records than one
 * request reads, so pages before it may be empty.
 */
async function nextFilled<T>(
  ask: (cursor: string | undefined) => Promise<ListPage<T>>,
  cursor: string | undefined,
  isStale: () => boolean,
): Promise<ListPage<T>> {
  let page = await ask(cursor)
  for (let turn = 0; turn < MOST_EMPTY && page.items.length === 0; turn++) {
    if (page.nextCursor === null || isStale()) return page
    page = await ask(page.nextCursor)
  }
  return page
}

/** Reads a list page by page, from its beginning when one of `about` changes. */
export function useList<T>(
  page: (cursor: string | undefined) => Promise<ListPage<T>>,
  about: readonly unknown[],
): LongList<T> {
  const items = useSignal<readonly T[]>([])
  const cursor = useSignal<string | null | undefined>(undefined)
  const latest = useRef(page)
  latest.current = page
  const isBusy = useSignal(false)
  const round = useSignal(0)
  const first = useAnswer(
    (left) => nextFilled(page, undefined, () => left.aborted),
    [...about, round.value],
  )
  const problem = useSignal<string | null>(null)
  useEffect(() => {
    if (first.value === null) return
    items.value = first.value.items
    cursor.value = first.value.nextCursor
  }, [first.value])
  async function more(): Promise<void> {
    const next = cursor.value
    if (isBusy.value || next === null || next === undefined) return
    isBusy.value = true
    let isOfOldList = false
    try {
      const answer = await nextFilled(latest.current, next, () => cursor.value !== next)
      isOfOldList = cursor.value !== next
      if (isOfOldList) return
      items.value = [...items.value, ...answer.items]
      cursor.value = answer.nextCursor
      problem.value = null
    } catch (error) {
      isOfOldList = cursor.value !== next
      if (!isOfOldList) problem.value = problemOf(error).message
    } finally {
      isBusy.value = false
      // The list began again in the meantime. Its next page was asked for, too, and did not start.
      if (isOfOldList) void more()
    }
  }
  return {
    items: items.value,
    hasMore: cursor.value === undefined ? null : cursor.value !== null,
    isBusy: isBusy.value,
    problem: first.problem ?? problem.value,
    more: () => void more(),
    again: () => (round.value += 1),
  }
}

/** Something that a button does: whether it is under way, and what went wrong. */
export interface Action {
  readonly isBusy: boolean
  readonly problem: Problem | null
  readonly run: (work: () => Promise<void>) => void
}

/** Runs what buttons do, one at a time. */
export function useAction(): Action {
  const isBusy = useSignal(false)
  const problem = useSignal<Problem | null>(null)
  async function run(work: () => Promise<void>): Promise<void> {
    if (isBusy.value) return
    isBusy.value = true
    problem.value = null
    try {
      await work()
    } catch (error) {
      problem.value = problemOf(error)
    } finally {
      isBusy.value = false
    }
  }
  return {
    isBusy: isBusy.value,
    problem: problem.value,
    run: (work) => void run(work),
  }
}
