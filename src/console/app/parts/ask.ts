import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Client, ListPage } from '../../../client.ts'
import { whenBack } from '../away.ts'
import { attemptClient } from '../session.ts'
import { isOffline, problemOf, readProblemOf } from './problem.ts'
import type { Problem } from './problem.ts'

/** An answer of the API, or its error. */
export interface LoadedAnswer<T> {
  readonly value: T | null
  readonly problem: string | null
  readonly again: () => void
  readonly set: (value: T) => void
}

/**
 * Sends a request to the API, and sends it again when one of `about` changes. If the server does
 * not answer, it is repeated until it does. `left` aborts when the answer is no longer needed.
 */
export function useAnswer<T>(
  ask: (left: AbortSignal) => Promise<T>,
  about: readonly unknown[],
): LoadedAnswer<T> {
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
        problem.value = readProblemOf(error)
        if (isOffline(error)) whenBack(() => (turn.value += 1), left.signal)
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

/** The part of a list of the API that was read so far. */
export interface LongList<T> {
  readonly items: readonly T[]
  /** `null`: not known yet. */
  readonly hasMore: boolean | null
  /** True while the next page is being read. */
  readonly isBusy: boolean
  readonly problem: string | null
  readonly more: () => void
  readonly again: () => void
}

/** The same array at each render, because effects run again when it changes. */
const NOTHING: readonly never[] = []

/** Maximum number of consecutive empty pages before a list waits for its reader. */
const MOST_EMPTY = 50

/**
 * A page that is not empty, if the list has one. A filter may skip more records than one request
 * reads, so earlier pages may be empty.
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

/** The part of a list that was read so far, and the identity of the list. */
interface ReadList<T> {
  readonly name: string
  readonly items: readonly T[]
  readonly nextCursor: string | null
}

/**
 * Reads a list page by page. When one of `about` changes, such as a filter, it is another list, and
 * the old entries go. With a new `version` the list is read again, and the old entries stay until
 * the answer comes.
 */
export function useList<T>(
  page: (cursor: string | undefined) => Promise<ListPage<T>>,
  about: readonly unknown[],
  version: string | null = null,
): LongList<T> {
  const name = JSON.stringify(about)
  const read = useSignal<ReadList<T> | null>(null)
  const latest = useRef({ page, name })
  latest.current = { page, name }
  const isBusy = useSignal(false)
  const round = useSignal(0)
  const first = useAnswer<ReadList<T>>(
    async (left) => ({ ...(await nextFilled(page, undefined, () => left.aborted)), name }),
    [name, version, round.value],
  )
  const problem = useSignal<string | null>(null)
  useEffect(() => {
    if (first.value !== null) read.value = first.value
  }, [first.value])
  const current = read.value?.name === name ? read.value : null
  async function more(): Promise<void> {
    const list = read.value
    if (isBusy.value || list === null || list.name !== latest.current.name) return
    const { nextCursor: next } = list
    if (next === null) return
    isBusy.value = true
    // If the first page of a list was read again, the list may continue at the same cursor with
    // other entries.
    const isOld = () => latest.current.name !== list.name || read.value !== list
    let isOfOldList = false
    try {
      const answer = await nextFilled(latest.current.page, next, isOld)
      isOfOldList = isOld()
      if (isOfOldList) return
      read.value = { ...answer, name: list.name, items: [...list.items, ...answer.items] }
      problem.value = null
    } catch (error) {
      isOfOldList = isOld()
      if (isOfOldList) return
      problem.value = readProblemOf(error)
      if (isOffline(error)) whenBack(() => void more())
    } finally {
      isBusy.value = false
      // The list was restarted in the meantime. Its next page was also requested, but not started.
      if (isOfOldList) void more()
    }
  }
  return {
    items: current?.items ?? NOTHING,
    hasMore: current === null ? null : current.nextCursor !== null,
    isBusy: isBusy.value,
    problem: first.problem ?? problem.value,
    more: () => void more(),
    again: () => (round.value += 1),
  }
}

/** The work of a button: whether it is in progress, and its error. */
export interface PendingWork {
  readonly isBusy: boolean
  readonly problem: Problem | null
  /** `isOnce`: it has no idempotency key, so it must not be repeated without a check. */
  readonly run: (work: Work, isOnce?: boolean) => void
}

/** The work of a button. Its writes go through the client of its attempt. */
export type Work = (api: Client) => Promise<void>

/** Runs the work of buttons, one at a time. A repetition counts as the same attempt. */
export function useAction(): PendingWork {
  const isBusy = useSignal(false)
  const problem = useSignal<Problem | null>(null)
  async function run(work: Work, isOnce = false, api = attemptClient()): Promise<void> {
    if (isBusy.value) return
    isBusy.value = true
    problem.value = null
    try {
      await work(api)
    } catch (error) {
      problem.value = problemOf(error, isOnce ? undefined : () => void run(work, isOnce, api))
    } finally {
      isBusy.value = false
    }
  }
  return {
    isBusy: isBusy.value,
    problem: problem.value,
    run: (work, isOnce) => void run(work, isOnce),
  }
}
