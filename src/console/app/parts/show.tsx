import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { isAway } from '../away.ts'
import { addressOf, go } from '../screen-address.ts'
import type { Scope } from '../../../kernel/scope.ts'
import { can } from '../session.ts'
import { words } from '../words.ts'
import type { Problem } from './problem.ts'

/** A link to a screen of the console. */
export function To({
  screen,
  query = {},
  children,
  current = false,
  class: name,
}: {
  readonly screen: string
  readonly query?: Readonly<Record<string, string>>
  readonly children: ComponentChildren
  /** True if the reader is on this screen. */
  readonly current?: boolean
  readonly class?: string
}) {
  return (
    <a
      class={name}
      href={addressOf(screen, query)}
      aria-current={current ? 'page' : undefined}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return
        event.preventDefault()
        go(screen, query)
      }}
    >
      {children}
    </a>
  )
}

/**
 * Shows an error, with each field that is wrong. The error of a button is scrolled into view,
 * because the button may be far from it. An unreachable server is already reported above all
 * screens.
 */
export function Wrong({ problem }: { readonly problem: Problem | string | null }) {
  const box = useRef<HTMLDivElement>(null)
  const text = typeof problem === 'string' ? problem : problem?.message
  useLayoutEffect(() => box.current?.scrollIntoView({ block: 'nearest' }), [text])
  if (problem === null) return null
  if (text === words.errors.offline && isAway.value) return null
  if (typeof problem === 'string') return <p role="alert">{text}</p>
  return (
    <div role="alert" ref={box}>
      <p>{text}</p>
      {problem.again && (
        <button type="button" class="quiet" onClick={problem.again}>
          {words.errors.again}
        </button>
      )}
      {problem.issues.length > 1 && (
        <ul>
          {problem.issues.map(({ path, message }) => (
            <li key={path}>
              <code>{path}</code> {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** Explains why something is disabled: the key lacks a scope. Empty if it has all of them. */
export function Lacking({ scopes }: { readonly scopes: readonly Scope[] }) {
  const lacking = scopes.filter((scope) => !can(scope))
  return lacking.length > 0 && <p class="bad">{words.errors.needs(lacking.join(', '))}</p>
}

/** A screen whose record is missing: it is loading, or there is a reason. */
export function Unread({
  title,
  problem,
}: {
  readonly title: string
  readonly problem: string | null
}) {
  return (
    <>
      <h1>{title}</h1>
      {problem === null ? <p role="status">{words.loading}</p> : <Wrong problem={problem} />}
    </>
  )
}

/** Tabs whose selection is in the address. */
export function Tabs<T extends string>({
  tabs,
  current,
  onTab,
  label,
  panel,
}: {
  readonly tabs: readonly (readonly [tab: T, name: string])[]
  readonly current: T
  readonly onTab: (tab: T) => void
  readonly label: string
  /** Id of the element that the tabs change. */
  readonly panel?: string
}) {
  return (
    <div class="tabs" role="tablist" aria-label={label}>
      {tabs.map(([tab, name]) => (
        <button
          key={tab}
          type="button"
          role="tab"
          class="quiet"
          id={`tab-${tab}`}
          aria-controls={panel}
          aria-selected={tab === current}
          tabIndex={tab === current ? 0 : -1}
          onClick={() => onTab(tab)}
          onKeyDown={({ key }) => {
            const to = tabBy(
              key,
              tabs.findIndex(([id]) => id === tab),
              tabs.length,
            )
            const next = to === null ? undefined : tabs[to]?.[0]
            if (next === undefined) return
            onTab(next)
            document.getElementById(`tab-${next}`)?.focus()
          }}
        >
          {name}
        </button>
      ))}
    </div>
  )
}

/** The tab that a key leads to. `null`: none. */
function tabBy(key: string, from: number, count: number): number | null {
  const to: Readonly<Record<string, number>> = {
    ArrowRight: (from + 1) % count,
    ArrowLeft: (from + count - 1) % count,
    Home: 0,
    End: count - 1,
  }
  return to[key] ?? null
}

/** Names with their values. */
export function Facts({
  facts,
}: {
  readonly facts: readonly (readonly [name: string, value: ComponentChildren])[]
}) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** A state as a word with a colour. The word alone is sufficient. */
export function State({ state }: { readonly state: string }) {
  return <span class={`state ${STATES[state] ?? ''}`}>{words.states[state] ?? state}</span>
}

const STATES: Readonly<Record<string, string>> = {
  succeeded: 'good',
  active: 'good',
  done: 'good',
  fetched: 'good',
  present: 'good',
  added: 'good',
  returned: 'good',
  failed: 'poor',
  timed_out: 'poor',
  blocked: 'poor',
  gone: 'poor',
  cancelled: 'dim',
  archived: 'dim',
  suspended: 'poor',
  closed: 'dim',
  skipped: 'dim',
  no_run: 'poor',
}

/** A time in the reader's language and zone, without line breaks inside it. */
export function timeOf(time: string | null): string {
  if (time === null) return '–'
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
  const text = format.format(new Date(time)).replaceAll(' ', '\u00a0')
  // If there is little room, the line breaks between day and time.
  return text.replace(/,\u00a0(?=[^,]*$)/, ', ')
}

/** A number in the reader's language. `digits`: number of decimals, by default up to three. */
export function figure(value: number, digits?: number): string {
  return value.toLocaleString(undefined, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
}

/** A size: 1,024 bytes are 1 KiB. */
export function sizeOf(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  const size = bytes / 1024 ** power
  return `${size.toLocaleString(undefined, { maximumFractionDigits: 1 })} ${units[power] ?? ''}`
}
