import { signal } from '@preact/signals'
import { systemClock } from '../../defaults/system-clock.ts'
import { isSignedOut, OFFLINE } from './parts/problem.ts'
import { callApi, key, me } from './session.ts'

/** Time, in ms, until a request without an answer is repeated. */
export const AGAIN_MS = 3_000
/** A complete page checks for the server once in this number of intervals. */
const EVERY = 4
/** Time, in ms, after which a silent server counts as unreachable. */
const SILENT_MS = 15_000

/** True while the server does not answer. */
export const isAway = signal(false)
/** The requests to repeat when the server answers. */
const waiting = new Set<() => void>()

/** Repeats a request when the server answers, unless `left` aborts before. */
export function whenBack(again: () => void, left?: AbortSignal): void {
  if (left?.aborted) return
  waiting.add(again)
  left?.addEventListener('abort', () => waiting.delete(again))
  void isThere()
}

/** Sends the server its cheapest request with authentication, and records whether it answers. */
export async function isThere(): Promise<boolean> {
  const silent = new AbortController()
  const over = new AbortController()
  systemClock.sleep(SILENT_MS, over.signal).then(
    () => silent.abort(),
    () => undefined,
  )
  const answer = await callApi('/api/v1/me', {
    headers: key.value === null ? {} : { 'X-API-Key': key.value },
    signal: silent.signal,
  }).catch(() => null)
  over.abort()
  isAway.value = answer === null || OFFLINE.includes(answer.status)
  if (answer?.status === 401 && me.value) isSignedOut.value = true
  return !isAway.value
}

/** Notices that the server goes away and is back, even while there are no requests. */
export async function watchServer(): Promise<void> {
  for (let turn = 1; ; turn++) {
    await systemClock.sleep(AGAIN_MS)
    const isDue = turn % EVERY === 0 && !document.hidden && me.value
    if (!isDue && !isAway.value && waiting.size === 0) continue
    if (!(await isThere())) continue
    const works = [...waiting]
    waiting.clear()
    for (const again of works) again()
  }
}
