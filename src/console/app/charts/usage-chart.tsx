import type { BillingUsage } from '../../../client.ts'
import { words } from '../words.ts'
import { Bars } from './bars.tsx'
import { Listing, whole } from '../parts/listing.tsx'
import { figure, State } from '../parts/show.tsx'

/** The costs of a month, by day. */
export function UsageBars({ usage: { period, byDay } }: { readonly usage: BillingUsage }) {
  if (byDay.length === 0) return null
  return (
    <Bars
      caption={words.usage.byDay(monthName(period))}
      first={words.usage.day}
      series={[{ name: words.usage.spent, look: 'accent' }]}
      bars={daysOf(period).map((day) => ({
        name: dayName(day),
        values: [byDay.find((line) => line.day === day)?.spent ?? 0],
      }))}
    />
  )
}

/** The costs of a month, by the outcomes of the pages. */
export function UsageByOutcome({ usage: { byOutcome } }: { readonly usage: BillingUsage }) {
  if (byOutcome.length === 0) return null
  return (
    <section aria-labelledby="outcomes">
      <h2 id="outcomes">{words.usage.byOutcome}</h2>
      <Listing
        caption={words.usage.byOutcome}
        list={whole(byOutcome.map((line) => ({ ...line, id: line.outcome })))}
        empty={null}
        columns={[
          { name: words.usage.outcome, cell: ({ outcome }) => <State state={outcome} /> },
          { name: words.usage.pages, isNumber: true, cell: ({ pages }) => figure(pages) },
          { name: words.usage.credits, isNumber: true, cell: ({ credits }) => figure(credits) },
        ]}
      />
    </section>
  )
}

/** A month of UTC, `2026-11`, in the reader's language. */
export function monthName(month: string): string {
  return new Intl.DateTimeFormat(undefined, {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  }).format(new Date(`${month}-01T00:00:00Z`))
}

function dayName(day: string): string {
  return new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' }).format(
    new Date(day),
  )
}

/** The days of a month of UTC, `2026-11`. */
function daysOf(month: string): string[] {
  const [year = 0, number = 1] = month.split('-').map(Number)
  const count = new Date(Date.UTC(year, number, 0)).getUTCDate()
  return Array.from(
    { length: count },
    (_, index) => `${month}-${String(index + 1).padStart(2, '0')}`,
  )
}
