import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { words } from '../words.ts'
import type { LongList } from './ask.ts'
import { ReadOn } from './listing.tsx'
import { figure } from './show.tsx'

/** Entries of a list that are read on the way to the one that the address names. */
const MOST_SOUGHT = 2_000

/** The entry of a list that the address names, and the state of the search for it. */
export interface Sought<T> {
  /** `null`: the address names no item, or it is not read yet. */
  readonly item: T | null
  /** Entries that were looked at. */
  readonly count: number
  readonly state: 'here' | 'reading' | 'stopped' | 'absent'
  /** True: the reader has been asked whether to read more than the first entries. */
  readonly isLong: boolean
  /** Searches the same number of further entries. */
  readonly goOn: () => void
}

/**
 * Reads a list up to the entry that the address names, so that a link leads to it and the way back
 * closes it. `item`: that entry, if it is read. While a list that began again is read, the entry
 * stays as it was.
 */
export function useSought<T>(
  { items, hasMore, more, problem }: LongList<unknown>,
  key: string | null,
  item: T | undefined,
): Sought<T> {
  const most = useSignal(MOST_SOUGHT)
  const last = useRef<{ readonly wanted: string; readonly item: T } | null>(null)
  if (key !== null && item !== undefined) last.current = { wanted: key, item }
  const isMissing = key !== null && item === undefined
  const isEnough = items.length >= most.value
  const state = !isMissing
    ? 'here'
    : hasMore === false
      ? 'absent'
      : isEnough || problem !== null
        ? 'stopped'
        : 'reading'
  useEffect(() => {
    if (isMissing && hasMore === true && !isEnough) more()
  }, [isMissing, hasMore, items.length, isEnough])
  return {
    item: item ?? (state === 'reading' && last.current?.wanted === key ? last.current.item : null),
    count: items.length,
    state,
    isLong: state === 'stopped' || (state === 'reading' && most.value > MOST_SOUGHT),
    goOn() {
      most.value = items.length + MOST_SOUGHT
      more()
    },
  }
}

/** Says that the entry of the address is looked for, or how to go on. */
export function SoughtNote({
  sought: { item, count, state, isLong, goOn },
}: {
  readonly sought: Sought<unknown>
}) {
  if (state === 'here' || item !== null) return null
  return (
    <div class="notice">
      <p role="status">
        {state === 'reading'
          ? words.searching
          : state === 'absent'
            ? words.sought.absent
            : words.sought.stopped(figure(count))}
      </p>
      {isLong && (
        <ReadOn isBusy={state === 'reading'} onMore={goOn}>
          {words.searchOn}
        </ReadOn>
      )}
    </div>
  )
}
