import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Execution, PageReceipt } from '../../../client.ts'
import { whenBack } from '../away.ts'
import { Bars } from '../charts/bars.tsx'
import { OUTCOME_PARTS } from '../parts/outcomes.tsx'
import { isOffline, readProblemOf } from '../parts/problem.ts'
import { figure, Wrong } from '../parts/show.tsx'
import { client } from '../session.ts'
import { words } from '../words.ts'
import { barsOf } from './over-time.ts'
import type { Seconds } from './over-time.ts'

/** Maximum number of pages that are read from the events. Later ones are not shown. */
const MOST_PAGES = 50_000
/** Number of pages between two renderings of the bars, while past events arrive all at once. */
const AT_ONCE = 500
/** Maximum number of pages that are read from the list, if the events are no longer stored. */
const MOST_LISTED = 2_000

/** The outcomes of the pages over time, live, from the events of the run. */
export function TimesOf({ run: { id } }: { readonly run: Execution }) {
  const seconds = useSignal<Seconds>(new Map())
  const count = useSignal(0)
  const isPart = useSignal(false)
  const problem = useSignal<string | null>(null)
  const turn = useSignal(0)
  useEffect(() => {
    const left = new AbortController()
    const { executions } = client.value
    const read = new Map<number, Record<string, number>>()
    let pages = 0
    const show = () => {
      seconds.value = new Map(read)
      count.value = pages
    }
    const add = ({ at, outcome }: PageReceipt) => {
      if (at === null) return
      const second = Math.floor(Date.parse(at) / 1_000)
      const counts = read.get(second) ?? {}
      counts[outcome] = (counts[outcome] ?? 0) + 1
      read.set(second, counts)
      pages += 1
    }
    const follow = async () => {
      const { signal } = left
      let hasGap = false
      for await (const { event, data } of executions.events(id, { lastEventId: '0', signal })) {
        if (event === 'gap') hasGap = true
        if (event === 'page') add(data)
        if (event !== 'page' || pages % AT_ONCE === 0) show()
        if (pages >= MOST_PAGES) break
      }
      if (hasGap) {
        read.clear()
        pages = 0
        for await (const page of executions.iteratePages(id, { limit: 100 }, { signal })) {
          add(page)
          if (pages >= MOST_LISTED) break
        }
      }
      show()
      isPart.value = pages >= (hasGap ? MOST_LISTED : MOST_PAGES)
    }
    follow().catch((error: unknown) => {
      if (left.signal.aborted) return
      problem.value = readProblemOf(error)
      if (isOffline(error)) whenBack(() => (turn.value += 1), left.signal)
    })
    return () => left.abort()
  }, [id, turn.value])
  const bars = barsOf(seconds.value)
  const parts = OUTCOME_PARTS.filter(([name]) => bars.some(({ counts }) => counts[name]))
  const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'medium' })
  const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })
  return (
    <>
      <Wrong problem={problem.value} />
      {bars.length === 0 ? (
        problem.value === null && <p role="status">{words.run.noTimes}</p>
      ) : (
        <Bars
          caption={words.run.overTime}
          first={words.run.at}
          series={parts.map(([name, look]) => ({ name: words.states[name] ?? name, look }))}
          bars={bars.map(({ at, counts }) => ({
            name: whole.format(at),
            mark: time.format(at),
            values: parts.map(([name]) => counts[name] ?? 0),
          }))}
        />
      )}
      {isPart.value && <p>{words.run.someTimes(figure(count.value))}</p>}
    </>
  )
}
