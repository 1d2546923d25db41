import { useRef } from 'preact/hooks'
import type { Download } from '../../../client.ts'
import { systemClock } from '../../../defaults/system-clock.ts'
import { changeQuery, screenAddress } from '../screen-address.ts'
import { words } from '../words.ts'
import { useAnswer } from './ask.ts'
import type { LongList } from './ask.ts'
import { chosenColumns, textOfColumns } from './chosen-columns.ts'
import { Drawer } from './drawer.tsx'
import { Grid } from './grid.tsx'
import { MOST_ROWS, nextOpenRow, orderRows, readRows } from './read-rows.ts'
import type { OpenRow, ReadRows, FileRow } from './read-rows.ts'
import { Facts, figure, Wrong } from './show.tsx'
import { SoughtNote, useSought } from './sought.tsx'
import { figuresIn, pictureOf, SAMPLE, textOf } from './values.ts'
import { SearchBox } from './search-box.tsx'

/** Rows of a file, and the version of the rows for which they were requested. */
interface ReadVersion extends ReadRows {
  readonly version: string
}

/** The matching rows in order, and the requested order. */
interface OrderedRows {
  readonly order: string
  readonly version: string
  readonly rows: readonly FileRow[]
}

/** A note on work that no call does: the browser searches and sorts the rows. */
export function orderNote(query: URLSearchParams): string | undefined {
  return query.has('find') || query.has('sort') ? words.table.notCopied : undefined
}

/**
 * Stored rows, of which there may be very many. If they are not searched or sorted, they are read
 * as the reader scrolls. Otherwise all are read, from one file.
 */
export function StoredTable({
  label,
  columns: all,
  total,
  list,
  rowOf,
  file,
  version,
  isGrowing = false,
  onOpen,
}: {
  readonly label: string
  readonly columns: readonly string[]
  readonly total: number
  readonly list: LongList<unknown>
  /** The row at an index of the list. */
  readonly rowOf: (index: number) => FileRow | undefined
  /** Asks for all rows as JSON lines. */
  readonly file: (signal: AbortSignal) => Promise<Download>
  /** Changes when the rows change. */
  readonly version: string
  /** True if there will be more rows, even between two versions. */
  readonly isGrowing?: boolean
  /** Opens a row of the list, if the row has more than its values. */
  readonly onOpen?: (index: number) => void
}) {
  const { query } = screenAddress.value
  const find = query.get('find') ?? ''
  // A link may name a column that is not there any more.
  const sort = all.find((name) => name === query.get('sort')) ?? ''
  const isDown = query.has('down')
  const names = chosenColumns(all, query.get('columns'))
  const isOrdered = find !== '' || sort !== ''
  const read = useAnswer<ReadVersion | null>(
    async (left) => (isOrdered ? { ...(await readRows((await file(left)).body)), version } : null),
    [isOrdered, isOrdered && version],
  )
  const rowOrder = JSON.stringify([find, sort, isDown, names])
  const inOrder = useAnswer<OrderedRows | null>(
    async (left) => {
      if (!isOrdered || read.value === null) return null
      const { version: readVersion, rows } = read.value
      const rest = () => systemClock.sleep(0, left)
      return {
        order: rowOrder,
        version: readVersion,
        rows: await orderRows(rows, names, { find, sort, isDown }, rest),
      }
    },
    [read.value, isOrdered && rowOrder],
  )
  // Rows of an earlier version are shown until those of the next one are sorted too.
  const ordered = isOrdered && inOrder.value?.order === rowOrder ? inOrder.value.rows : null
  const rowAt = (index: number): FileRow | undefined =>
    isOrdered ? ordered?.[index] : rowOf(index)
  const open = query.get('row')
  const openRow = open === null ? undefined : rowAt(Number(open))
  const sought = useSought(list, isOrdered ? null : open, openRow)
  const lastSorted = useRef<string | null>(null)
  const openOrdered = useRef<OpenRow | null>(null)
  const order = JSON.stringify([open, find, sort, isDown, query.get('columns')])
  openOrdered.current = nextOpenRow(
    openOrdered.current,
    isOrdered && open !== null ? order : null,
    openRow,
  )
  const shownRow = isOrdered ? openOrdered.current?.row : sought.item
  return (
    <>
      <div class="filters">
        <SearchBox
          label={words.table.find}
          text={find}
          onSearch={(text) => changeQuery({ find: text, row: '' })}
        />
        <details class="columns-choice">
          <summary>{words.table.columns(names.length, all.length)}</summary>
          {all.map((name) => (
            <label key={name} class="check">
              <input
                type="checkbox"
                checked={names.includes(name)}
                disabled={names.length === 1 && names.includes(name)}
                onChange={({ currentTarget: { checked } }) => {
                  const chosen = all.filter((column) =>
                    column === name ? checked : names.includes(column),
                  )
                  const isAll = chosen.length === all.length
                  // The matches depend on the columns, so the row may be another one now.
                  changeQuery({ columns: isAll ? '' : textOfColumns(chosen), row: '' })
                }}
              />
              <span>{name}</span>
            </label>
          ))}
        </details>
        <span role="status">
          {isOrdered &&
            (inOrder.value?.version !== version || ordered === null
              ? read.problem === null && words.table.reading
              : read.value?.isWhole === false
                ? words.table.first(figure(ordered.length), figure(MOST_ROWS))
                : isGrowing
                  ? words.table.soFar(figure(ordered.length))
                  : words.start.rows(ordered.length))}
        </span>
      </div>
      <Wrong problem={read.problem} />
      <SoughtNote sought={sought} />
      {(!isOrdered || ordered !== null) && (
        <Grid
          key={`${find} ${sort} ${isDown}`}
          label={label}
          total={ordered ? ordered.length : total}
          onMore={ordered ? () => undefined : list.more}
          onOpen={(index) => {
            // The row with this number may be another one than when the open row was opened.
            openOrdered.current = null
            if (ordered === null && onOpen) onOpen(index)
            else changeQuery({ row: String(index) }, false)
          }}
          sort={{ column: sort, isDown }}
          focused={lastSorted.current}
          onSort={(name) => {
            // Sorted rows are shown in another grid, where the focus stays on the same column name.
            lastSorted.current = name
            // The third click restores the original order.
            changeQuery({
              sort: sort === name && isDown ? '' : name,
              down: sort === name && !isDown ? 'yes' : '',
              row: '',
            })
          }}
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
      {shownRow && <RowDrawer key={open} row={shownRow} columns={all} />}
    </>
  )
}

/** All values of one row. */
function RowDrawer({
  row,
  columns,
}: {
  readonly row: FileRow
  readonly columns: readonly string[]
}) {
  return (
    <Drawer
      title={words.table.row}
      actions={
        <button
          type="button"
          class="quiet"
          onClick={() => void navigator.clipboard.writeText(JSON.stringify(row, null, 2))}
        >
          {words.copy}
        </button>
      }
      onClose={() => changeQuery({ row: '' })}
    >
      <Facts
        facts={columns.map((name) => [name, <StoredValue key={name} value={row[name]} />] as const)}
      />
    </Drawer>
  )
}

/** A value of a row. A stored picture is shown. */
export function StoredValue({ value }: { readonly value: unknown }) {
  const picture = pictureOf(value, location.origin)
  if (picture !== null)
    return (
      <a href={picture} target="_blank" rel="noreferrer">
        <img class="picture" src={picture} alt={textOf(value)} />
      </a>
    )
  return <span class="value">{textOf(value)}</span>
}
