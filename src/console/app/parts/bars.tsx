import { figure } from './show.tsx'
import { words } from '../words.ts'

/** The drawing is stretched to the available room, so it contains no text. */
const [WIDTH, HEIGHT] = [700, 140]

/** Figures as stacked bars, with the same figures as a table for people who cannot see the bars. */
export function Bars({
  caption,
  first,
  series,
  bars,
}: {
  readonly caption: string
  /** The name of the bars: the head of the first column of the table. */
  readonly first: string
  /** The name of the count of each part of a bar, and its colour. */
  readonly series: readonly { readonly name: string; readonly look: string }[]
  /** Each with a value for each of the series. */
  readonly bars: readonly { readonly name: string; readonly values: readonly number[] }[]
}) {
  const most = Math.max(1, ...bars.map(({ values }) => sumOf(values)))
  const width = WIDTH / Math.max(1, bars.length)
  // A few bars do not fill the whole width of the screen.
  const room = { maxWidth: `${5 * bars.length}rem` }
  return (
    <figure class="chart">
      <figcaption>{caption}</figcaption>
      <div class="scale">{figure(most)}</div>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        style={room}
        role="img"
        aria-label={caption}
      >
        {bars.map(({ name, values }, index) => (
          <g key={name}>
            <title>
              {`${name}: ${series
                .map((line, part) => `${line.name} ${figure(values[part] ?? 0)}`)
                .join(', ')}`}
            </title>
            {values.map((value, part) => (
              <rect
                key={part}
                class={series[part]?.look}
                x={index * width + 1}
                width={Math.max(1, width - 2)}
                y={HEIGHT - (sumOf(values.slice(0, part + 1)) / most) * HEIGHT}
                height={(value / most) * HEIGHT}
              />
            ))}
          </g>
        ))}
      </svg>
      <div class="scale" style={room}>
        <span>{bars[0]?.name}</span>
        <span>{bars.length > 1 && bars.at(-1)?.name}</span>
      </div>
      {series.length > 1 && (
        <ul class="legend" aria-hidden="true">
          {series.map(({ name, look }) => (
            <li key={name}>
              <span class={`dot ${look}`} /> {name}
            </li>
          ))}
        </ul>
      )}
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

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}
