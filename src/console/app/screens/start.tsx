import { useSignal } from '@preact/signals'
import type { Preview } from '../../../client.ts'
import { take } from '../builder/draft.ts'
import { problemOf } from '../parts/problem.ts'
import { Rows } from '../parts/rows.tsx'
import { useList } from '../parts/ask.ts'
import { RunList } from '../parts/run-list.tsx'
import { figure } from '../parts/show.tsx'
import { go } from '../screen-address.ts'
import { can, client, me } from '../session.ts'
import { words } from '../words.ts'

/** One box for an address, the table of its page, and the other ways to read it. */
export function Start() {
  const typed = useSignal('')
  const address = useSignal('')
  const preview = useSignal<Preview | null>(null)
  const problem = useSignal<string | null>(null)
  const isWorking = useSignal(false)

  async function show(): Promise<void> {
    isWorking.value = true
    problem.value = null
    preview.value = null
    try {
      address.value = withScheme(typed.value.trim())
      preview.value = await client.value.previews.recipe({
        recipe: { start: { urls: [address.value] }, extract: 'auto' },
        keep: true,
      })
    } catch (error) {
      problem.value = problemOf(error).message
    } finally {
      isWorking.value = false
    }
  }
  function build(recipe?: Preview['proposals'][number]['recipe']): void {
    if (preview.value === null) return
    take(address.value, preview.value, recipe)
    go('build', { url: address.value })
  }

  const rows = preview.value?.rows ?? []
  const others = preview.value?.proposals.slice(1) ?? []
  const reason = preview.value?.pages[0]?.reason
  return (
    <>
      <h1>{words.start.title}</h1>
      <p>{words.start.about}</p>
      <form
        class="line"
        onSubmit={(event) => {
          event.preventDefault()
          void show()
        }}
      >
        <label for="address">{words.start.address}</label>
        <input
          id="address"
          inputMode="url"
          autocomplete="url"
          placeholder="https://…"
          required
          value={typed}
          onInput={(event) => (typed.value = event.currentTarget.value)}
        />
        <button type="submit" disabled={isWorking}>
          {words.start.submit}
        </button>
      </form>
      <div role="status">{isWorking.value && words.start.working}</div>
      {problem.value !== null && <p role="alert">{problem}</p>}
      {reason && <p role="alert">{reason.message}</p>}
      {preview.value !== null && rows.length === 0 && !reason && <p>{words.start.nothing}</p>}
      {preview.value?.pages[0]?.outcome === 'fetched' && (
        <div class="choices">
          <button type="button" onClick={() => build()}>
            {words.start.build}
          </button>
        </div>
      )}
      {rows.length > 0 && (
        <Rows rows={rows} caption={words.start.rows(preview.value?.totals.rows ?? rows.length)} />
      )}
      {others.length > 0 && (
        <section aria-labelledby="others">
          <h2 id="others">{words.start.others}</h2>
          <ul class="proposals">
            {others.map((proposal, index) => (
              <li key={index}>
                <h3>
                  {words.kinds[proposal.kind]} · {words.start.rows(proposal.count)}
                </h3>
                <p>{proposal.columns.map(({ name }) => name).join(', ')}</p>
                <p class="quote">{JSON.stringify(proposal.rows[0] ?? {}).slice(0, 160)}</p>
                <button type="button" class="quiet" onClick={() => build(proposal.recipe)}>
                  {words.start.take}
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      {preview.value === null && !isWorking.value && can('executions:read') && <Recent />}
    </>
  )
}

/** People type addresses without a scheme. */
function withScheme(address: string): string {
  return /^[a-z][a-z\d+.-]*:\/\//i.test(address) ? address : `https://${address}`
}

/** Runs that are shown below the box. */
const RECENT = 5

/** The latest runs, and what can be spent. */
function Recent() {
  const list = useList(() => client.value.executions.list({ limit: RECENT }), [])
  const spendable = me.value?.credits?.spendable ?? null
  if (list.items.length === 0) return null
  return (
    <section aria-labelledby="recent">
      <h2 id="recent">{words.recent.title}</h2>
      {spendable !== null && <p>{words.recent.credits(figure(spendable))}</p>}
      <RunList list={{ ...list, hasMore: false }} empty="" />
    </section>
  )
}
