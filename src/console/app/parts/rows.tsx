import { figuresIn } from './values.ts'

/** Rows as a table, with a column for each name in a row. */
export function Rows({
  rows,
  caption,
}: {
  readonly rows: readonly Readonly<Record<string, unknown>>[]
  readonly caption: string
}) {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const figures = figuresIn(rows, names)
  return (
    <div class="scroll cards" tabIndex={0} role="region" aria-label={caption}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {names.map((name) => (
              <th key={name} scope="col" class={figures.has(name) ? 'figure' : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {names.map((name) => (
                <Cell key={name} name={name} value={row[name]} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Addresses are cut to a line, because they are long and differ at their end. */
function Cell({ name, value }: { readonly name: string; readonly value: unknown }) {
  if (value === null || value === undefined) return <td />
  if (typeof value === 'number')
    return (
      <td class="number" data-name={name}>
        {value}
      </td>
    )
  if (typeof value === 'string' && /^https?:\/\/\S+$/.test(value))
    return (
      <td class="address" title={value} data-name={name}>
        <bdi>{value}</bdi>
      </td>
    )
  return (
    <td data-name={name}>{typeof value === 'object' ? JSON.stringify(value) : String(value)}</td>
  )
}
