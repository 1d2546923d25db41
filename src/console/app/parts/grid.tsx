import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** Height of a row, in CSS pixels. `style.css` has the same. */
const ROW = 33
/** Number of rows above and below the visible ones that exist already. */
const SPARE = 20
/** Number of rows before the end of the loaded ones at which more are requested. */
const AHEAD = 60
/** Number of rows that PageUp and PageDown move. */
const PAGE = 20

/** Properties of a {@link Grid}. */
export interface GridRows {
  readonly names: readonly string[]
  readonly count: number
  readonly text: (row: number, name: string) => string
  /** The address of a picture to show before the text. */
  readonly picture?: (row: number, name: string) => string | null
  /** A column that is three times as wide as the others. */
  readonly wide?: string
  /** Columns of numbers, which stand on the right. */
  readonly figures?: ReadonlySet<string>
}

/**
 * A table in which only the visible rows exist, so that it stays fast with very many rows. The
 * arrow keys move from cell to cell, and Enter opens a row.
 */
export function Grid({
  rows: { names, count, text, picture, wide, figures },
  label,
  total,
  onMore,
  onOpen,
  sort,
  onSort,
  focused,
}: {
  readonly rows: GridRows
  readonly label: string
  /** Number of all rows, if it is known. */
  readonly total: number | null
  readonly onMore: () => void
  readonly onOpen?: (row: number) => void
  /** The column that the rows are sorted by. */
  readonly sort?: { readonly column: string; readonly isDown: boolean }
  /** Called with the column whose name was clicked. */
  readonly onSort?: (name: string) => void
  /** The column whose name gets the focus when the grid is first shown. `null`: none. */
  readonly focused?: string | null
}) {
  const top = useSignal(0)
  const height = useSignal(600)
  const active = useSignal({ row: 0, column: 0 })
  const box = useRef<HTMLDivElement>(null)
  const wantsFocus = useRef(false)

  const first = Math.max(0, Math.floor(top.value / ROW) - SPARE)
  const last = Math.min(count, Math.ceil((top.value + height.value) / ROW) + SPARE)
  useLayoutEffect(() => {
    if (last + AHEAD >= count) onMore()
  }, [last, count])
  useLayoutEffect(() => {
    if (box.current) height.value = box.current.clientHeight
  }, [count])
  useLayoutEffect(() => {
    if (!box.current || focused == null || document.activeElement !== document.body) return
    const headers = box.current.querySelectorAll<HTMLElement>('[role=columnheader] button')
    headers[names.indexOf(focused)]?.focus()
  }, [])
  useLayoutEffect(() => {
    if (!wantsFocus.current) return
    wantsFocus.current = false
    box.current?.querySelector<HTMLElement>('[tabindex="0"][role=gridcell]')?.focus()
  })

  function move(row: number, column: number): void {
    const to = {
      row: Math.min(count - 1, Math.max(0, row)),
      column: Math.min(names.length - 1, Math.max(0, column)),
    }
    active.value = to
    wantsFocus.current = true
    const element = box.current
    if (!element) return
    const [above, below] = [to.row * ROW, (to.row + 2) * ROW]
    if (above < element.scrollTop) element.scrollTop = above
    else if (below > element.scrollTop + element.clientHeight)
      element.scrollTop = below - element.clientHeight
    top.value = element.scrollTop
  }
  function onKey(event: KeyboardEvent): void {
    const { row, column } = active.value
    const to: Readonly<Record<string, readonly [number, number]>> = {
      ArrowDown: [row + 1, column],
      ArrowUp: [row - 1, column],
      ArrowRight: [row, column + 1],
      ArrowLeft: [row, column - 1],
      PageDown: [row + PAGE, column],
      PageUp: [row - PAGE, column],
      Home: [event.ctrlKey ? 0 : row, 0],
      End: [event.ctrlKey ? count - 1 : row, names.length - 1],
    }
    const target = to[event.key]
    if (target !== undefined) {
      event.preventDefault()
      move(...target)
    } else if (event.key === 'c' && (event.ctrlKey || event.metaKey)) {
      // The browser itself copies a selected text.
      const name = names[column]
      if (name !== undefined && getSelection()?.isCollapsed !== false)
        void navigator.clipboard.writeText(text(row, name))
    } else if (event.key === 'Enter' && onOpen && event.target instanceof HTMLDivElement) {
      // Otherwise it would press the button that gets the focus next.
      event.preventDefault()
      onOpen(row)
    }
  }

  const classOf = (name: string) =>
    name === wide ? 'wide' : figures?.has(name) ? 'figure' : undefined
  const shown = Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index)
  return (
    <div
      ref={box}
      class="grid scroll"
      // A few rows do not fill the screen. One more row leaves room for a scroll bar.
      style={{ height: `min(60vh, ${(count + 2) * ROW}px)` }}
      role="grid"
      aria-label={label}
      aria-rowcount={total === null ? -1 : total + 1}
      aria-colcount={names.length}
      onScroll={({ currentTarget }) => (top.value = currentTarget.scrollTop)}
      onKeyDown={onKey}
    >
      <div class="grid-row grid-head" role="row" aria-rowindex={1}>
        {names.map((name, column) => (
          <div
            key={name}
            class={classOf(name)}
            role="columnheader"
            aria-colindex={column + 1}
            aria-sort={sort?.column !== name ? undefined : sort.isDown ? 'descending' : 'ascending'}
          >
            {onSort ? (
              <button type="button" class="plain" onClick={() => onSort(name)}>
                {name}
              </button>
            ) : (
              name
            )}
          </div>
        ))}
      </div>
      <div class="grid-body" role="rowgroup" style={{ height: `${count * ROW}px` }}>
        {shown.map((row) => (
          <div
            key={row}
            class={row % 2 === 1 ? 'grid-row odd' : 'grid-row'}
            role="row"
            aria-rowindex={row + 2}
            style={{ transform: `translateY(${row * ROW}px)` }}
            onClick={onOpen && (() => onOpen(row))}
          >
            {names.map((name, column) => {
              const isActive = active.value.row === row && active.value.column === column
              const value = text(row, name)
              const image = picture?.(row, name) ?? null
              return (
                <div
                  key={name}
                  class={classOf(name)}
                  role="gridcell"
                  aria-colindex={column + 1}
                  tabIndex={
                    isActive ||
                    (row === first && !isIn(active.value.row, first, last) && column === 0)
                      ? 0
                      : -1
                  }
                  title={value.length > 30 ? value.slice(0, 2_000) : undefined}
                  onFocus={() => (active.value = { row, column })}
                >
                  {image !== null && <img src={image} alt="" loading="lazy" />}
                  <bdi>{value.slice(0, 300)}</bdi>
                </div>
              )
            })}
          </div>
        ))}
      </div>
    </div>
  )
}

const isIn = (row: number, first: number, last: number) => row >= first && row < last
