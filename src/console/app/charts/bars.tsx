import { useSignal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { useAnswer } from '../parts/ask.ts'
import type { Bar, Plot } from './plot.ts'
import { figure } from '../parts/show.tsx'
import { words } from '../words.ts'

/** The name of the count in each part of a bar, and its colour. */
type Series = readonly { readonly name: string; readonly look: string }[]

/** Figures as bars with stacked parts, and the same figures as a table for screen readers. */
export function Bars({
  caption,
  first,
  series,
  bars,
}: {
  readonly caption: string
  /** The name of the bars, which is the head of the table's first column. */
  readonly first: string
  readonly series: Series
  /** Bars, each with a value for each series. */
  readonly bars: readonly Bar[]
}) {
  const frame = useRef<HTMLElement>(null)
  const plot = useRef<Plot | null>(null)
  const chosen = useSignal<number | null>(null)
  const isZoomed = useSignal(false)
  // A server that does not answer is asked again. The table does not need it.
  const { value: drawing } = useAnswer(() => import('./plot.ts'), [])
  const parts = series.map(({ look }) => look).join(' ')
  useEffect(() => {
    const element = frame.current?.querySelector<HTMLElement>('.plot')
    if (drawing === null || !element) return
    const dots = [...(frame.current?.querySelectorAll('.dot') ?? [])]
    const opened = drawing.openPlot({
      element,
      dots,
      onChosen: (index) => (chosen.value = index),
      onZoomed: (is) => (isZoomed.value = is),
    })
    plot.current = opened
    return () => {
      plot.current = null
      opened.close()
    }
  }, [drawing, parts])
  useEffect(() => plot.current?.show(bars))
  const onKeyDown = (event: KeyboardEvent) => {
    const deed = KEYS[event.key]
    // With another key they belong to the browser: zoom of the page, or back.
    const isBrowsers = event.ctrlKey || event.metaKey || event.altKey
    if (isBrowsers || deed === undefined || plot.current === null) return
    event.preventDefault()
    deed(plot.current)
  }
  return (
    <figure class="chart" ref={frame}>
      <figcaption>{caption}</figcaption>
      <div
        class="plot"
        tabIndex={0}
        // Screen readers pass the arrow keys on to an application.
        role="application"
        aria-label={`${caption}. ${words.usage.keys}`}
        onKeyDown={onKeyDown}
      />
      <Readout series={series} bars={bars} chosen={chosen} />
      <All isZoomed={isZoomed} onAll={() => plot.current?.showAll()} />
      <details>
        <summary>{words.usage.table}</summary>
        <div class="scroll" tabIndex={0} role="group" aria-label={caption}>
          <table>
            <thead>
              <tr>
                <th scope="col">{first}</th>
                {series.map(({ name }) => (
                  <th key={name} scope="col" class="figure">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {bars.map(({ name, values }) => (
                <tr key={name}>
                  <td>{name}</td>
                  {values.map((value, part) => (
                    <td key={part} class="figure">
                      {figure(value)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  )
}

const KEYS: Readonly<Record<string, (plot: Plot) => void>> = {
  ArrowLeft: (plot) => plot.walk(-1),
  ArrowRight: (plot) => plot.walk(1),
  Home: (plot) => plot.walk(-Infinity),
  End: (plot) => plot.walk(Infinity),
  '+': (plot) => plot.zoom(0.5),
  '-': (plot) => plot.zoom(2),
  Escape: (plot) => plot.showAll(),
}

/** The colours, and the values of the chosen bar. Only this part is rendered when the pointer moves. */
function Readout({
  series,
  bars,
  chosen,
}: {
  readonly series: Series
  readonly bars: readonly Bar[]
  readonly chosen: Signal<number | null>
}) {
  const bar = chosen.value === null ? undefined : bars[chosen.value]
  return (
    <div class="legend" role="status">
      <span class="muted">{bar?.name ?? words.usage.zoom}</span>
      {series.map(({ name, look }, part) => (
        <span key={name}>
          <span class={`dot ${look}`} /> {name}
          {bar !== undefined && <b> {figure(bar.values[part] ?? 0)}</b>}
        </span>
      ))}
    </div>
  )
}

function All({
  isZoomed,
  onAll,
}: {
  readonly isZoomed: Signal<boolean>
  readonly onAll: () => void
}) {
  return isZoomed.value ? (
    <button type="button" class="quiet" onClick={onAll}>
      {words.usage.all}
    </button>
  ) : null
}
