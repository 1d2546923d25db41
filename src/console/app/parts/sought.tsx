import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { words } from '../words.ts'
import type { LongList } from './ask.ts'
import { ReadOn } from './listing.tsx'
import { figure } from './show.tsx'

/** Number of entries of a list that are read in search of the one in the address. */
const MOST_SOUGHT = 2_000

/** The entry of a list that the address names, and the state of the search for it. */
export interface Sought<T> {
  /** `null`: the address names no item, or it was not read yet. */
  readonly item: T | null
  /** Number of entries that were checked. */
  readonly count: number
  readonly state: 'here' | 'reading' | 'stopped' | 'absent'
  /** True if the reader has been asked whether to read more than the first entries. */
  readonly isLong: boolean
  /** Searches the same number of further entries. */
  readonly goOn: () => void
}

/**
 * Reads a list up to the entry in the address, so that a link leads to it and going back closes it.
 * `item`: that entry, if it was read. While a restarted list is read, the entry stays unchanged.
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

/** Says that the entry in the address is searched for, or how to continue. */
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
