import { useRef } from 'preact/hooks'
import type { Preview } from '../../../client.ts'
import { words } from '../words.ts'
import { Column } from './column.tsx'
import { change, draft } from './draft.ts'
import { columnsOf, uniqueOf, withColumns, withUnique } from './recipe.ts'
import type { RecipeField } from './recipe.ts'

/** The columns of the recipe. They can be renamed, retyped, removed, and given another source. */
export function Columns({ preview }: { readonly preview: Preview | null }) {
  const keys = useRef(new Map<string, number>())
  const recipe = draft.value?.recipe
  if (recipe === undefined) return null
  const columns = columnsOf(recipe)
  if (columns.length === 0) return <p>{words.builder.noColumns}</p>
  const unique = uniqueOf(recipe)
  /** The key of a column survives a renaming, and so do its form and the focus. */
  const keyOf = (name: string): number => {
    const key = keys.current.get(name) ?? Math.max(0, ...keys.current.values()) + 1
    keys.current.set(name, key)
    return key
  }
  const put = (position: number, column: readonly [string, RecipeField] | null): void => {
    const before = columns[position]?.[0]
    const now = withColumns(
      recipe,
      columns.flatMap((old, index) =>
        index === position ? (column === null ? [] : [column]) : [old],
      ),
    )
    if (before !== undefined && column !== null && column[0] !== before) {
      keys.current.set(column[0], keyOf(before))
      keys.current.delete(before)
    }
    // The identity of a row refers to columns by name.
    const names = unique.flatMap((name) => (name === before ? (column?.[0] ?? []) : name))
    change(unique.length > 0 ? withUnique(now, names) : now)
  }
  return (
    <ol class="columns">
      {columns.map(([name, field], index) => (
        <Column
          key={keyOf(name)}
          name={name}
          field={field}
          report={preview?.fields.find((report) => report.field === name)}
          values={preview?.rows.map((row) => row[name]) ?? []}
          isUnique={unique.includes(name)}
          isTaken={(other) => other !== name && columns.some(([column]) => column === other)}
          onChange={(column) => put(index, column)}
          onUnique={(isUnique) =>
            change(
              withUnique(
                recipe,
                isUnique ? [...unique, name] : unique.filter((other) => other !== name),
              ),
            )
          }
        />
      ))}
    </ol>
  )
}
