import { useSignal } from '@preact/signals'
import type { Dataset, Preview, RecipeInput } from '../../../client.ts'
import { isObject } from '../../../kernel/json.ts'
import { take } from '../builder/draft.ts'
import { CopyAs } from '../parts/copies.tsx'
import { unreadProblem } from '../parts/problem.ts'
import type { Problem } from '../parts/problem.ts'
import { Rows } from '../parts/rows.tsx'
import { useList } from '../parts/ask.ts'
import { RunList, useTaskNames } from '../parts/run-list.tsx'
import type { TaskNames } from '../parts/run-list.tsx'
import { figure, Lacking, timeOf, To, Wrong } from '../parts/show.tsx'
import { isAddress, withoutCredentials, withScheme } from '../parts/typed-address.ts'
import { changeQuery, go, screenAddress } from '../screen-address.ts'
import { can, client, me } from '../session.ts'
import { words } from '../words.ts'

/** A page that a search engine has found. */
interface Hit {
  readonly title: string
  readonly url: string
  readonly text: string
}

/** One field for an address, the table of its page, and the other ways to read the page. */
export function Start() {
  const typed = useSignal(screenAddress.value.query.get('q') ?? '')
  const address = useSignal('')
  const preview = useSignal<Preview | null>(null)
  const problem = useSignal<Problem | null>(null)
  const hits = useSignal<readonly Hit[] | null>(null)
  const isWorking = useSignal(false)
  const canSearch = me.value?.abilities.search === true && can('mcp:search')

  /** Puts the typed text into the address when it is submitted or left, so that a reload keeps it. */
  function keep(): void {
    // A field that is removed with its screen also counts as left.
    if (screenAddress.value.screen === '') changeQuery({ q: withoutCredentials(typed.value) })
  }
  async function show(): Promise<void> {
    keep()
    isWorking.value = true
    problem.value = null
    preview.value = null
    hits.value = null
    try {
      const text = typed.value.trim()
      if (canSearch && !isAddress(text)) {
        hits.value = await search(text)
        return
      }
      address.value = withScheme(text)
      preview.value = await client.value.previews.recipe({
        recipe: detection(address.value),
        keep: true,
      })
    } catch (error) {
      problem.value = unreadProblem(error, () => void show())
    } finally {
      isWorking.value = false
    }
  }
  function build(recipe?: Preview['proposals'][number]['recipe']): void {
    if (preview.value === null) return
    take(address.value, preview.value, recipe && { recipe })
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
        <label for="address">{canSearch ? words.start.addressOrWords : words.start.address}</label>
        <input
          id="address"
          inputMode="url"
          autocomplete="url"
          placeholder="https://…"
          required
          value={typed}
          onInput={(event) => (typed.value = event.currentTarget.value)}
          onBlur={keep}
        />
        <button type="submit" disabled={isWorking.value || !(canSearch || can('tasks:write'))}>
          {words.start.submit}
        </button>
      </form>
      {!canSearch && <Lacking scopes={['tasks:write']} />}
      <div role="status">{isWorking.value && words.start.working}</div>
      <Wrong problem={problem.value} />
      {reason && <p role="alert">{reason.message}</p>}
      {preview.value !== null && rows.length === 0 && !reason && <p>{words.start.nothing}</p>}
      {hits.value?.length === 0 && <p>{words.start.noHits}</p>}
      {hits.value !== null && hits.value.length > 0 && (
        <ul class="proposals">
          {hits.value.map(({ title, url, text }) => (
            <li key={url}>
              <h2>{title}</h2>
              <p class="quote">{text.slice(0, 200)}</p>
              <p class="address">{url}</p>
              <button
                type="button"
                class="quiet"
                onClick={() => {
                  typed.value = url
                  void show()
                }}
              >
                {words.start.submit}
              </button>
            </li>
          ))}
        </ul>
      )}
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
      {preview.value === null && hits.value === null && !isWorking.value && <Latest />}
      {preview.value !== null && (
        <CopyAs
          call={{
            method: 'POST',
            path: '/api/v1/tasks/preview',
            body: { recipe: detection(address.value) },
            operation: 'previews.recipe',
            args: [{ recipe: detection(address.value) }],
          }}
        />
      )}
    </>
  )
}

/** A recipe that detects the content of a page. */
function detection(url: string): RecipeInput {
  return { start: { urls: [url] }, extract: 'auto' }
}

/** Uses the search engine of the server, as agents do. */
async function search(query: string): Promise<readonly Hit[]> {
  // If the recursive type of JSON is written out here, it is too deep for the compiler.
  const { result } = await client.value.mcp.call({
    tool: 'search',
    arguments: JSON.parse(JSON.stringify({ query })),
  })
  const { results } = result
  return Array.isArray(results) ? results.flatMap(hitOf) : []
}

function hitOf(value: unknown): Hit[] {
  if (!isObject(value)) return []
  const { title, url, text } = value
  return typeof url === 'string' && /^https?:/.test(url)
    ? [
        {
          url,
          title: typeof title === 'string' && title !== '' ? title : url,
          text: typeof text === 'string' ? text : '',
        },
      ]
    : []
}

/** Number of runs and datasets that are shown below the field. */
const RECENT = 5

/** The available credits, the latest runs, failed runs, and the latest changes. */
function Latest() {
  const spendable = me.value?.credits?.spendable ?? null
  const names = useTaskNames(can('executions:read'))
  return (
    <>
      {spendable !== null && <p>{words.recent.credits(figure(spendable))}</p>}
      {can('executions:read') && (
        <>
          <RunsBelow title={words.recent.title} names={names} />
          <RunsBelow title={words.recent.failed} names={names} status="failed" />
        </>
      )}
      {can('datasets:read') && <ChangedDatasets />}
    </>
  )
}

function RunsBelow({
  title,
  names,
  status,
}: {
  readonly title: string
  readonly names: TaskNames
  readonly status?: 'failed'
}) {
  const list = useList(
    () => client.value.executions.list({ limit: RECENT, ...(status && { status }) }),
    [status],
  )
  // Shown once for both lists.
  if (list.items.length === 0) return status ? null : <Wrong problem={list.problem} />
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <RunList caption={title} list={{ ...list, hasMore: false }} names={names} empty="" />
    </section>
  )
}

/** The datasets that a run has changed last. */
function ChangedDatasets() {
  const list = useList(() => client.value.datasets.list({ limit: 100 }), [])
  const merged = list.items
    .flatMap(({ id, name, lastMerge }) =>
      lastMerge === null || changesIn(lastMerge) === '' ? [] : [{ id, name, lastMerge }],
    )
    .toSorted((left, right) => right.lastMerge.at.localeCompare(left.lastMerge.at))
    .slice(0, RECENT)
  if (merged.length === 0) return null
  return (
    <section aria-label={words.recent.changed}>
      <h2>{words.recent.changed}</h2>
      <ul>
        {merged.map(({ id, name, lastMerge }) => (
          <li key={id}>
            <To screen="dataset" query={{ id, tab: 'changes' }}>
              {name}
            </To>{' '}
            {timeOf(lastMerge.at)}: {changesIn(lastMerge)}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Empty: a merge without changes. */
function changesIn(merge: NonNullable<Dataset['lastMerge']>): string {
  return (['added', 'changed', 'gone', 'returned'] as const)
    .filter((kind) => merge[kind] > 0)
    .map((kind) => `${figure(merge[kind])} ${words.states[kind] ?? kind}`)
    .join(', ')
}
