/** A job that waits for a place. */
export interface Waiting {
  readonly share: string
}

/** A job that has a place. */
export interface PlacedJob {
  readonly share: string
  /** When the job got its place. */
  readonly since: number
  /** True if the queue can ask the job to give its place back. */
  readonly yields: boolean
  /** True if the job has nothing to do for a while. */
  readonly isIdle: boolean
  /** True if the queue has already asked. The place will soon be free. */
  readonly asked: boolean
}

/** A job's hold on its place, in every queue. How progress is recorded depends on the queue. */
export class Hold implements PlacedJob {
  readonly share: string
  readonly since: number
  readonly #onClear: () => void
  readonly #over = new AbortController()
  #yields = false
  #givesUp = false
  isIdle = false

  /** `onClear`: called when others may run beside the job. */
  constructor(share: string, since: number, onClear: () => void) {
    this.share = share
    this.since = since
    this.#onClear = onClear
  }

  /** Aborts when another job should get the place. Only jobs that have read this property are asked. */
  get over(): AbortSignal {
    this.#yields = true
    return this.#over.signal
  }

  get yields(): boolean {
    return this.#yields
  }

  get asked(): boolean {
    return this.#over.signal.aborted
  }

  /** Asks the job to give its place back. */
  ask(): void {
    this.#over.abort(new Error('Another job is waiting for this place'))
  }

  idle(isIdle: boolean): void {
    this.isIdle = isIdle
  }

  /** True if this delivery only gives the job up. An error of it then says nothing about the job. */
  get isGivenUp(): boolean {
    return this.#givesUp
  }

  givesUp(): void {
    this.#givesUp = true
  }

  clear(): void {
    this.#onClear()
  }
}

/**
 * Minimum time, in ms, that a job keeps its place while its share has no more places than its fair
 * number.
 */
export const TURN_MS = 1_000

/**
 * Picks the next jobs for the free places. The share with fewest places comes first; equal shares
 * take turns in the order of their names, starting after the one that was served last. Jobs of one
 * share keep their order.
 */
export function dealPlaces<W extends Waiting>(
  waiting: readonly W[],
  held: ReadonlyMap<string, number>,
  last: string | null,
  places: number,
): W[] {
  const lines = new Map<string, W[]>()
  for (const job of waiting) {
    const line = lines.get(job.share)
    if (line) line.push(job)
    else lines.set(job.share, [job])
  }
  const isPassed = (share: string): boolean => last !== null && share <= last
  const shares = [...lines.keys()].toSorted(
    (a, b) => Number(isPassed(a)) - Number(isPassed(b)) || (a < b ? -1 : 1),
  )
  const counts = new Map(held)
  const picked: W[] = []
  while (picked.length < places) {
    let next: string | null = null
    for (const share of shares)
      if (
        lines.get(share)?.length &&
        (next === null || countOf(counts, share) < countOf(counts, next))
      )
        next = share
    const job = next === null ? undefined : lines.get(next)?.shift()
    if (!job) return picked
    picked.push(job)
    counts.set(job.share, countOf(counts, job.share) + 1)
  }
  return picked
}

/**
 * Finds the jobs that must give their places back while all places are taken. If a share has two
 * places more than a waiting share, one of its jobs goes at once, because that makes the shares
 * more equal. If it has one more, a job goes after its turn. An idle job makes room for any other
 * share. `size`: the number of places, without lent ones. `again`: the time in ms after which
 * another job may have to go.
 */
export function findOverdue<P extends PlacedJob>(
  placed: readonly P[],
  waiting: readonly Waiting[],
  last: string | null,
  now: number,
  size = placed.length,
): { readonly over: readonly P[]; readonly again: number } {
  const staying = new Set(placed.filter(({ asked }) => !asked))
  const over: P[] = []
  for (let coming = Math.max(0, size - staying.size); ; coming++) {
    const held = countPlaces(staying)
    const picked = dealPlaces(waiting, held, last, coming + 1)
    const next = picked[coming]
    if (!next) return { over, again: Infinity }
    for (const { share } of picked.slice(0, coming)) held.set(share, countOf(held, share) + 1)
    const idle = [...staying].find(
      ({ share, yields, isIdle }) => yields && isIdle && share !== next.share,
    )
    const victim = idle ?? mostOverdue(staying, held)
    if (!victim) return { over, again: Infinity }
    const surplus = countOf(held, victim.share) - countOf(held, next.share)
    if (!idle && surplus < 1) return { over, again: Infinity }
    const left = idle || surplus > 1 ? 0 : victim.since + TURN_MS - now
    if (left > 0) return { over, again: left }
    over.push(victim)
    staying.delete(victim)
  }
}

/** Returns the job that has held its place longest, in the share with the most places. */
function mostOverdue<P extends PlacedJob>(
  placed: Iterable<P>,
  held: ReadonlyMap<string, number>,
): P | null {
  let candidate: P | null = null
  for (const job of placed) {
    if (!job.yields) continue
    const more = candidate === null ? 1 : countOf(held, job.share) - countOf(held, candidate.share)
    if (more > 0 || (more === 0 && candidate !== null && job.since < candidate.since))
      candidate = job
  }
  return candidate
}

/** Counts the places of each share. */
export function countPlaces(placed: Iterable<Waiting>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { share } of placed) counts.set(share, countOf(counts, share) + 1)
  return counts
}

function countOf(counts: ReadonlyMap<string, number>, share: string): number {
  return counts.get(share) ?? 0
}

/**
 * Picks waiting jobs that get a place beyond the number of places: one for each share that has
 * none. Each place that was asked back is lent once, until it is free. So a share without a place
 * does not wait until another share's page is done.
 */
export function lendPlaces<W extends Waiting>(
  placed: readonly PlacedJob[],
  waiting: readonly W[],
  last: string | null,
  size: number,
): W[] {
  const held = countPlaces(placed)
  const firsts = new Map<string, W>()
  for (const job of waiting)
    if (!held.has(job.share) && !firsts.has(job.share)) firsts.set(job.share, job)
  const leaving = placed.filter((job) => job.asked).length
  return dealPlaces([...firsts.values()], held, last, leaving - Math.max(0, placed.length - size))
}
