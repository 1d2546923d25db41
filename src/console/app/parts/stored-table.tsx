import { useMemo } from 'preact/hooks'
import type { Download } from '../../../client.ts'
import { changeQuery, place } from '../place.ts'
import { words } from '../words.ts'
import { useAnswer } from './ask.ts'
import type { LongList } from './ask.ts'
import { Grid } from './grid.tsx'
import { MOST_ROWS, orderRows, readRows } from './read-rows.ts'
import type { ReadRows, Row } from './read-rows.ts'
import { Facts, figure, Wrong } from './show.tsx'
import { figuresIn, pictureOf, SAMPLE, textOf } from './values.ts'

/** The columns that the address names; `null`: all. */
export function chosenColumns(): readonly string[] | null {
  const named = place.value.query.get('columns')
  return named === null ? null : named.split(',')
}

/**
 * Rows that are stored, of which very many may be there. As long as they are neither searched nor
 * sorted they are read as the reader goes on; otherwise they are all read, from one file.
 */
export function StoredTable({
  label,
  columns: all,
  total,
  list,
  rowOf,
  file,
  version,
  onOpen,
}: {
  readonly label: string
  readonly columns: readonly string[]
  readonly total: number
  readonly list: Pick<LongList<unknown>, 'items' | 'more'>
  /** The row at an index of the list. */
  readonly rowOf: (index: number) => Row | undefined
  /** Asks for all rows as JSON lines. */
  readonly file: (signal: AbortSignal) => Promise<Download>
  /** Changes when the rows do. */
  readonly version: string
  /** Opens a row of the list, where it is more than its values. */
  readonly onOpen?: (index: number) => void
}) {
  const { query } = place.value
  const find = query.get('find') ?? ''
  const sort = query.get('sort') ?? ''
  const isDown = query.has('down')
  const named = all.filter((name) => chosenColumns()?.includes(name))
  const names = named.length === 0 ? all : named
  const isOrdered = find !== '' || sort !== ''
  const read = useAnswer<ReadRows | null>(
    async (left) => (isOrdered ? readRows((await file(left)).body) : null),
    [isOrdered, isOrdered && version],
  )
  const ordered = useMemo(
    () =>
      isOrdered && read.value !== null
        ? orderRows(read.value.rows, names, { find, sort, isDown })
        : null,
    [read.value, find, sort, isDown, names.join(',')],
  )
  const rowAt = (index: number): Row | undefined => (ordered ? ordered[index] : rowOf(index))
  const open = query.get('row')
  const openRow = open === null ? undefined : rowAt(Number(open))
  return (
    <>
      <div class="filters">
        <label>
          <span>{words.table.find}</span>
          <input
            type="search"
            value={find}
            onChange={({ currentTarget: { value } }) =>
              changeQuery({ find: value.trim(), row: '' })
            }
          />
        </label>
        <details class="columns-choice">
          <summary>{words.table.columns(names.length, all.length)}</summary>
          {all.map((name) => (
            <label key={name} class="check">
              <input
                type="checkbox"
                checked={names.includes(name)}
                disabled={names.length === 1 && names.includes(name)}
                onChange={({ currentTarget: { checked } }) => {
                  const chosen = all.filter((one) => (one === name ? checked : names.includes(one)))
                  changeQuery({ columns: chosen.length === all.length ? '' : chosen.join(',') })
                }}
              />
              <span>{name}</span>
            </label>
          ))}
        </details>
        <span role="status">
          {isOrdered &&
            (ordered === null
              ? read.problem === null && words.table.reading
              : read.value?.isWhole === false
                ? words.table.first(figure(ordered.length), figure(MOST_ROWS))
                : words.start.rows(ordered.length))}
        </span>
      </div>
      <Wrong problem={read.problem} />
      {(!isOrdered || ordered !== null) && (
        <Grid
          key={`${find} ${sort} ${isDown}`}
          label={label}
          total={ordered ? ordered.length : total}
          onMore={ordered ? () => undefined : list.more}
          onOpen={(index) =>
            ordered === null && onOpen ? onOpen(index) : changeQuery({ row: String(index) }, false)
          }
          sort={{ column: sort, isDown }}
          onSort={(name) =>
            // The third click brings the order of the rows back.
            changeQuery({
              sort: sort === name && isDown ? '' : name,
              down: sort === name && !isDown ? 'yes' : '',
              row: '',
            })
          }
          rows={{
            names,
            count: ordered ? ordered.length : list.items.length,
            text: (row, name) => textOf(rowAt(row)?.[name]),
            figures: figuresIn(
              ordered ?? list.items.slice(0, SAMPLE).map((_, index) => rowOf(index) ?? {}),
              names,
            ),
            picture: (row, name) => pictureOf(rowAt(row)?.[name], location.origin),
          }}
        />
      )}
      {openRow && <RowDrawer row={openRow} columns={all} />}
    </>
  )
}

/** All values of one row. */
function RowDrawer({ row, columns }: { readonly row: Row; readonly columns: readonly string[] }) {
  const close = () => changeQuery({ row: '' })
  return (
    <section
      class="drawer"
      aria-label={words.table.row}
      onKeyDown={(event) => event.key === 'Escape' && close()}
    >
      <div class="head">
        <h2>{words.table.row}</h2>
        <button
          type="button"
          class="quiet"
          onClick={() => void navigator.clipboard.writeText(JSON.stringify(row, null, 2))}
        >
          {words.copy}
        </button>
        <button type="button" class="quiet" ref={(element) => element?.focus()} onClick={close}>
          {words.run.close}
        </button>
      </div>
      <Facts
        facts={columns.map((name) => [name, <Value key={name} value={row[name]} />] as const)}
      />
    </section>
  )
}

function Value({ value }: { readonly value: unknown }) {
  const picture = pictureOf(value, location.origin)
  if (picture !== null)
    return (
      <a href={picture} target="_blank" rel="noreferrer">
        <img class="picture" src={picture} alt={textOf(value)} />
      </a>
    )
  return <span class="value">{textOf(value)}</span>
}
