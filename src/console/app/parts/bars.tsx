import { figure } from './show.tsx'
import { words } from '../words.ts'

/** Stretched to the room that there is; so no text is part of it. */
const [WIDTH, HEIGHT] = [700, 140]

/** Figures by day as bars, with the same figures as a table for those who do not see them. */
export function Bars({
  caption,
  bars,
  unit,
}: {
  readonly caption: string
  readonly bars: readonly { readonly name: string; readonly value: number }[]
  readonly unit: string
}) {
  const most = Math.max(1, ...bars.map(({ value }) => value))
  const width = WIDTH / Math.max(1, bars.length)
  return (
    <figure class="chart">
      <figcaption>{caption}</figcaption>
      <div class="scale">{figure(most)}</div>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={caption}
      >
        {bars.map(({ name, value }, index) => (
          <rect
            key={name}
            x={index * width + 1}
            width={Math.max(1, width - 2)}
            y={HEIGHT - (value / most) * HEIGHT}
            height={(value / most) * HEIGHT}
          >
            <title>{`${name}: ${figure(value)}`}</title>
          </rect>
        ))}
      </svg>
      <div class="scale">
        <span>{bars[0]?.name}</span>
        <span>{bars.length > 1 && bars.at(-1)?.name}</span>
      </div>
      <details>
        <summary>{words.usage.table}</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">{words.usage.day}</th>
              <th scope="col" class="figure">
                {unit}
              </th>
            </tr>
          </thead>
          <tbody>
            {bars.map(({ name, value }) => (
              <tr key={name}>
                <td>{name}</td>
                <td class="figure">{figure(value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  )
}
