import { figure } from './show.tsx'
import { words } from '../words.ts'

const [WIDTH, HEIGHT] = [700, 160]

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
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT + 20}`} role="img" aria-label={caption}>
        <line x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
        <text x="0" y="12">
          {figure(most)}
        </text>
        {bars.map(({ name, value }, index) => (
          <g key={name}>
            <rect
              x={index * width + 1}
              width={Math.max(1, width - 2)}
              y={HEIGHT - (value / most) * (HEIGHT - 20)}
              height={(value / most) * (HEIGHT - 20)}
            >
              <title>{`${name}: ${figure(value)}`}</title>
            </rect>
            {(index === 0 || index === bars.length - 1) && (
              <text
                x={index === 0 ? 0 : WIDTH}
                y={HEIGHT + 16}
                text-anchor={index === 0 ? 'start' : 'end'}
              >
                {name}
              </text>
            )}
          </g>
        ))}
      </svg>
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
