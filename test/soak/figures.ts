/** One call of the honest tenant. `at` is in ms of the machine's clock. */
export interface Sample {
  readonly kind: string
  readonly at: number
  /**
   * How long it took, without the time for which the tenant's own process was ready and had no
   * processor: the tenant would be another machine.
   */
  readonly ms: number
  /** The error; `null` for a success. */
  readonly error: string | null
}

/** Whether a message of a process of a soak is a sample. */
export function isSample(value: unknown): value is Sample {
  return typeof value === 'object' && value !== null && 'kind' in value && 'ms' in value
}

/** The figures of a set of durations. */
export interface Figures {
  readonly count: number
  readonly p50: number
  readonly p99: number
  readonly max: number
}

/** The figures of the durations of successful samples, by nearest rank. */
export function figuresOf(samples: readonly Sample[]): Figures {
  const sorted = samples
    .filter(({ error }) => error === null)
    .map(({ ms }) => ms)
    .toSorted((a, b) => a - b)
  const rank = (share: number): number =>
    sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0
  return { count: sorted.length, p50: rank(0.5), p99: rank(0.99), max: sorted.at(-1) ?? 0 }
}

/** Milliseconds as a readable text. */
export function shown(ms: number): string {
  return ms < 100 ? ms.toFixed(1) : ms < 10_000 ? ms.toFixed(0) : `${(ms / 1_000).toFixed(1)} s`
}

/** Rows below headings, each column as wide as its widest cell; the last one is not padded. */
export function tableText(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const widths = headings.map((heading, index) =>
    Math.max(heading.length, ...rows.map((row) => row[index]?.length ?? 0)),
  )
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => (index === cells.length - 1 ? cell : cell.padEnd(widths[index] ?? 0)))
      .join('  ')
      .trimEnd()
  return [
    line(headings),
    line(widths.map((width) => '─'.repeat(Math.min(width, 60)))),
    ...rows.map(line),
  ].join('\n')
}
