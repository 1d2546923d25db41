import type { Execution } from '../../../client.ts'
import { figure } from './show.tsx'
import { words } from '../words.ts'

/** The outcomes in the order of the bar. Each has its own colour, which a legend explains. */
export const OUTCOME_PARTS = [
  ['fetched', 'good'],
  ['unchanged', 'calm'],
  ['duplicate', 'duplicate'],
  ['skipped_robots', 'robots'],
  ['skipped_scope', 'scope'],
  ['skipped_depth', 'depth'],
  ['skipped_limit', 'limit'],
  ['blocked', 'blocked'],
  ['failed', 'poor'],
  ['pending', 'wait'],
] as const

/** The outcomes of the pages of a run as a bar, and as text. */
function Outcomes({ counters }: { readonly counters: Partial<Execution['counters']> }) {
  const parts = OUTCOME_PARTS.map(([name, style]) => ({
    name,
    style,
    count: counters[name] ?? 0,
  })).filter(({ count }) => count > 0)
  const all = parts.reduce((sum, { count }) => sum + count, 0)
  if (all === 0) return null
  return (
    <figure class="outcomes">
      <figcaption class="hidden">{words.run.outcomes}</figcaption>
      <div class="bar" aria-hidden="true">
        {parts.map(({ name, style, count }) => (
          <span key={name} class={style} style={{ flexGrow: count }} />
        ))}
      </div>
      <ul>
        {parts.map(({ name, style, count }) => (
          <li key={name}>
            <span class={`dot ${style}`} aria-hidden="true" /> {figure(count)} {words.states[name]}
          </li>
        ))}
      </ul>
    </figure>
  )
}

/** The counters of a run, and the outcomes of its pages. */
export function RunFigures({
  tiles,
  counters,
}: {
  /** `null`: there is no message. */
  readonly tiles: readonly (readonly [name: string, value: string] | null)[]
  readonly counters: Partial<Execution['counters']>
}) {
  return (
    <>
      <div class="tiles" role="status">
        {tiles.map(
          (tile) =>
            tile && (
              <div key={tile[0]}>
                <span>{tile[0]}</span>
                <strong>{tile[1]}</strong>
              </div>
            ),
        )}
      </div>
      <Outcomes counters={counters} />
    </>
  )
}
