import type { Execution, PageReceipt } from '../../../client.ts'
import { useList } from '../parts/ask.ts'
import { CopyAs } from '../parts/copies.tsx'
import { listCall } from '../parts/copy-as.ts'
import { Grid } from '../parts/grid.tsx'
import { figure, Wrong } from '../parts/show.tsx'
import { SoughtNote, useSought } from '../parts/sought.tsx'
import { changeQuery, screenAddress } from '../screen-address.ts'
import { client } from '../session.ts'
import { words } from '../words.ts'
import { PageDrawer } from './page-drawer.tsx'
import { versionOf } from './rows.tsx'
import { SearchBox } from '../parts/search-box.tsx'

const OUTCOMES = [
  'pending',
  'fetched',
  'unchanged',
  'duplicate',
  'skipped_robots',
  'skipped_scope',
  'skipped_depth',
  'skipped_limit',
  'blocked',
  'failed',
] as const

/** The outcome of each URL. One of them can be opened in a drawer. */
export function PagesOf({ run }: { readonly run: Execution }) {
  const { id, counters, errors } = run
  const { query } = screenAddress.value
  const outcome = OUTCOMES.find((name) => name === query.get('outcome'))
  const reason = query.get('reason') ?? ''
  const host = query.get('host') ?? ''
  const filter = {
    ...(outcome && { outcome }),
    ...(reason !== '' && { reason }),
    ...(host !== '' && { host }),
  }
  const list = useList(
    (cursor) =>
      client.value.executions.pages(id, {
        limit: 100,
        ...filter,
        ...(cursor !== undefined && { cursor }),
      }),
    [id, filter],
    versionOf(run, counters.visited),
  )
  const pageUrl = query.get('page')
  const open = useSought(
    list,
    pageUrl,
    list.items.find(({ url }) => url === pageUrl),
  )
  const show = (page: PageReceipt | null) => changeQuery({ page: page?.url ?? '' }, page === null)
  const names: readonly string[] = [
    words.run.outcome,
    words.run.url,
    words.run.rows,
    words.run.credits,
    words.run.status,
    words.run.reason,
  ]
  const cells = (page: PageReceipt): string[] => [
    words.states[page.outcome] ?? page.outcome,
    page.url,
    figure(page.rows),
    figure(page.credits),
    page.httpStatus === null ? '' : String(page.httpStatus),
    page.reason?.message ?? '',
  ]
  const reasons = Object.entries(errors)
  // The open page may not be in another list.
  const choose = (change: Readonly<Record<string, string>>) => changeQuery({ ...change, page: '' })
  return (
    <>
      <div class="filters">
        <label>
          <span>{words.run.outcome}</span>
          <select
            value={outcome ?? ''}
            onChange={({ currentTarget: { value } }) => choose({ outcome: value })}
          >
            <option value="">{words.tasks.all}</option>
            {OUTCOMES.map((name) => (
              <option key={name} value={name}>
                {words.states[name]} ({figure(counters[name])})
              </option>
            ))}
          </select>
        </label>
        {(reasons.length > 0 || reason !== '') && (
          <label>
            <span>{words.run.errors}</span>
            <select
              value={reason}
              onChange={({ currentTarget: { value } }) => choose({ reason: value })}
            >
              <option value="">{words.tasks.all}</option>
              {reasons.map(([code, count]) => (
                <option key={code} value={code}>
                  {code} ({figure(count)})
                </option>
              ))}
              {/* A link may name a reason that no failed page has, such as a rule of robots.txt. */}
              {reason !== '' && !Object.hasOwn(errors, reason) && <option>{reason}</option>}
            </select>
          </label>
        )}
        <SearchBox
          label={words.run.host}
          text={host}
          placeholder="www.example.com"
          onSearch={(text) => choose({ host: text })}
        />
      </div>
      <Wrong problem={list.problem} />
      <SoughtNote sought={open} />
      {list.hasMore === false && list.items.length === 0 ? (
        <p>{words.run.noPages}</p>
      ) : (
        <Grid
          key={JSON.stringify(filter)}
          label={words.run.tabs.pages}
          total={
            reason !== '' || host !== ''
              ? null
              : outcome === undefined
                ? counters.discovered
                : counters[outcome]
          }
          onMore={list.more}
          onOpen={(row) => show(list.items[row] ?? null)}
          rows={{
            names,
            wide: words.run.url,
            figures: new Set([words.run.rows, words.run.credits, words.run.status]),
            count: list.items.length,
            text: (row, name) => {
              const page = list.items[row]
              return page ? (cells(page)[names.indexOf(name)] ?? '') : ''
            },
          }}
        />
      )}
      {open.item && (
        <PageDrawer key={pageUrl} run={id} page={open.item} onClose={() => show(null)} />
      )}
      <CopyAs
        call={listCall({
          path: `executions/${encodeURIComponent(id)}/pages`,
          operation: 'executions.pages',
          ids: [id],
          query: { ...filter, limit: 100 },
          command: 'pages',
        })}
      />
    </>
  )
}
