import type { ComponentChildren } from 'preact'
import { words } from '../words.ts'
import type { LongList } from './ask.ts'
import { Wrong } from './show.tsx'

/** A column of a {@link Listing}. */
export interface ListColumn<T> {
  readonly name: string
  readonly cell: (item: T) => ComponentChildren
  /** True if it has figures, which are aligned right. */
  readonly isNumber?: boolean
  /** True if its name is only for screen readers. */
  readonly isPlain?: boolean
}

/**
 * A button that reads more. While it reads, its text says so. It is not disabled, because it would
 * then lose the focus.
 */
export function ReadOn({
  isBusy,
  onMore,
  children,
}: {
  readonly isBusy: boolean
  readonly onMore: () => void
  readonly children: string
}) {
  return (
    <button
      type="button"
      class="quiet"
      aria-busy={isBusy}
      onClick={() => {
        if (!isBusy) onMore()
      }}
    >
      {isBusy ? words.searching : children}
    </button>
  )
}

/** A list that is shown. */
export type ShownList<T> = Omit<LongList<T>, 'again'>

/** A list that is complete. */
export function whole<T>(items: readonly T[]): ShownList<T> {
  return { items, hasMore: false, isBusy: false, problem: null, more: () => undefined }
}

interface ListingProps<T> {
  readonly caption: string
  readonly columns: readonly ListColumn<T>[]
  readonly list: ShownList<T>
  /** Shown in place of an empty list, as advice on the next step. */
  readonly empty: ComponentChildren
}

/** Records in a table with a button for more of them, or the reason why they cannot be read. */
export function Listing<T extends { readonly id: string }>(props: ListingProps<T>) {
  const { hasMore, problem } = props.list
  return (
    <>
      <Wrong problem={problem} />
      {hasMore !== null ? (
        <Listed {...props} />
      ) : (
        problem === null && <p role="status">{words.loading}</p>
      )}
    </>
  )
}

function Listed<T extends { readonly id: string }>({
  caption,
  columns,
  list: { items, hasMore, isBusy, more },
  empty,
}: ListingProps<T>) {
  if (items.length === 0)
    return (
      <div class="empty">
        {hasMore ? (
          <>
            <p role="status">{isBusy ? words.searching : words.noneYet}</p>
            <ReadOn isBusy={isBusy} onMore={more}>
              {words.searchOn}
            </ReadOn>
          </>
        ) : (
          empty
        )}
      </div>
    )
  return (
    <>
      <div class="scroll cards" tabIndex={0} role="group" aria-label={caption}>
        <table>
          <caption class="hidden">{caption}</caption>
          <thead>
            <tr>
              {columns.map(({ name, isNumber, isPlain }) => (
                <th key={name} scope="col" class={isNumber ? 'figure' : undefined}>
                  {isPlain ? <span class="hidden">{name}</span> : name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {items.map((item) => (
              <tr key={item.id}>
                {columns.map(({ name, cell, isNumber, isPlain }) => (
                  <td
                    key={name}
                    class={isNumber ? 'figure' : undefined}
                    data-name={isPlain ? undefined : name}
                  >
                    {cell(item)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {hasMore && (
        <ReadOn isBusy={isBusy} onMore={more}>
          {words.more}
        </ReadOn>
      )}
    </>
  )
}
