import { useSignal } from '@preact/signals'
import { useAction, useAnswer, useList } from '../parts/ask.ts'
import { CopyAs } from '../parts/copies.tsx'
import { listCall } from '../parts/copy-as.ts'
import type { CopiedCall } from '../parts/copy-as.ts'
import { OperatorRuns } from '../parts/operator-lists.tsx'
import { Listing, whole } from '../parts/listing.tsx'
import { Facts, figure, State, Tabs, timeOf, To, Wrong } from '../parts/show.tsx'
import { operatorWords } from '../operator-words.ts'
import { go, screenAddress } from '../screen-address.ts'
import { client } from '../session.ts'
import { words } from '../words.ts'
import { SearchBox } from '../parts/search-box.tsx'

const TABS = ['accounts', 'runs', 'stuck', 'platform', 'log'] as const
const STANDINGS = ['active', 'suspended', 'closed'] as const
const STATES = [
  'queued',
  'running',
  'paused',
  'succeeded',
  'failed',
  'cancelled',
  'timed_out',
] as const

/** The screen of all accounts, for operators of the server. */
export function Operator() {
  const { query } = screenAddress.value
  const tab = TABS.find((name) => name === query.get('tab')) ?? 'accounts'
  return (
    <>
      <h1>{operatorWords.title}</h1>
      <Tabs
        label={operatorWords.sections}
        tabs={TABS.map((name) => [name, operatorWords.tabs[name]])}
        current={tab}
        onTab={(name) => go('operator', name === 'accounts' ? {} : { tab: name }, true)}
      />
      {tab === 'accounts' && <Accounts />}
      {tab === 'runs' && <AllRuns />}
      {tab === 'stuck' && <StuckRuns />}
      {tab === 'platform' && <PlatformHealth />}
      {tab === 'log' && <Log />}
      <CopyAs call={callOf(tab, query)} />
    </>
  )
}

/** The call that returns the content of a tab. */
function callOf(tab: (typeof TABS)[number], query: URLSearchParams): CopiedCall {
  const list = { limit: 50 }
  const chosen = (...names: readonly string[]) =>
    Object.fromEntries(
      names.flatMap((name) => (query.has(name) ? [[name, query.get(name) ?? '']] : [])),
    )
  const lists = {
    accounts: {
      path: 'operator/accounts',
      operation: 'operator.accounts',
      query: { ...chosen('q', 'state'), ...list },
      command: 'accounts list',
    },
    runs: {
      path: 'operator/runs',
      operation: 'operator.runs',
      query: { ...chosen('account', 'status'), ...list },
      // The command has no flag for an account.
      ...(!query.has('account') && { command: 'operator runs' }),
    },
    stuck: {
      path: 'operator/stuck',
      operation: 'operator.stuck',
      query: list,
      command: 'operator stuck',
    },
    platform: {
      path: 'operator/health',
      operation: 'operator.health',
      query: {},
      command: 'operator health',
    },
    log: { path: 'operator/log', operation: 'operator.log', query: list, command: 'operator log' },
  }
  return listCall(lists[tab])
}

function Accounts() {
  const { query } = screenAddress.value
  const q = query.get('q') ?? ''
  const state = STANDINGS.find((name) => name === query.get('state'))
  const list = useList(
    (cursor) =>
      client.value.operator.accounts({
        limit: 50,
        ...(q !== '' && { q }),
        ...(state && { state }),
        ...(cursor !== undefined && { cursor }),
      }),
    [q, state],
  )
  return (
    <>
      <Filters
        query={{ q, state: state ?? '' }}
        search={['q', operatorWords.search]}
        choice={['state', operatorWords.state, STANDINGS.map((name) => [name, name])]}
      />
      <Listing
        caption={operatorWords.tabs.accounts}
        list={list}
        empty={<p>{operatorWords.noAccounts}</p>}
        columns={[
          {
            name: operatorWords.account,
            cell: ({ id }) => (
              <To screen="operator-account" query={{ id }}>
                {id}
              </To>
            ),
          },
          { name: operatorWords.state, cell: (account) => <State state={account.state} /> },
          { name: operatorWords.plan, cell: ({ plan }) => plan.name },
          { name: operatorWords.wallet, isNumber: true, cell: ({ wallet }) => figure(wallet) },
          { name: operatorWords.held, isNumber: true, cell: ({ held }) => figure(held) },
          {
            name: operatorWords.unfinished,
            cell: ({ runs }) => operatorWords.runs(runs.running, runs.queued, runs.paused),
          },
          { name: operatorWords.reason, cell: ({ reason }) => reason ?? '' },
        ]}
      />
    </>
  )
}

function AllRuns() {
  const { query } = screenAddress.value
  const account = query.get('account') ?? ''
  const status = STATES.find((name) => name === query.get('status'))
  const list = useList(
    (cursor) =>
      client.value.operator.runs({
        limit: 50,
        ...(account !== '' && { account }),
        ...(status && { status }),
        ...(cursor !== undefined && { cursor }),
      }),
    [account, status],
  )
  return (
    <>
      <Filters
        query={{ account, status: status ?? '', tab: 'runs' }}
        search={['account', operatorWords.account]}
        choice={['status', operatorWords.status, STATES.map((name) => [name, words.states[name]])]}
      />
      <ListedRuns caption={operatorWords.tabs.runs} list={list} empty={operatorWords.noRuns} />
    </>
  )
}

/** A search field and a list to choose from. The address has both values. */
function Filters({
  query,
  search: [searchName, searchLabel],
  choice: [choiceName, choiceLabel, options],
}: {
  readonly query: Readonly<Record<string, string>>
  readonly search: readonly [name: string, label: string]
  readonly choice: readonly [
    name: string,
    label: string,
    options: readonly (readonly [value: string, text: string | undefined])[],
  ]
}) {
  const choose = (name: string, value: string) =>
    go(
      'operator',
      Object.fromEntries(
        Object.entries({ ...query, [name]: value }).filter(([, text]) => text !== ''),
      ),
      true,
    )
  return (
    <div class="filters">
      <SearchBox
        label={searchLabel}
        text={query[searchName] ?? ''}
        onSearch={(text) => choose(searchName, text)}
      />
      <label>
        <span>{choiceLabel}</span>
        <select
          value={query[choiceName]}
          onChange={({ currentTarget: { value } }) => choose(choiceName, value)}
        >
          <option value="">{operatorWords.all}</option>
          {options.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </label>
    </div>
  )
}

function StuckRuns() {
  const list = useList(
    (cursor) => client.value.operator.stuck({ limit: 50, ...(cursor !== undefined && { cursor }) }),
    [],
  )
  return <ListedRuns caption={operatorWords.tabs.stuck} list={list} empty={operatorWords.noStuck} />
}

/** Runs of all accounts, with the acts of an operator and their results. */
function ListedRuns({
  caption,
  list,
  empty,
}: Omit<Parameters<typeof OperatorRuns>[0], 'action' | 'onDone'>) {
  const message = useSignal('')
  const action = useAction()
  return (
    <>
      <Wrong problem={action.problem} />
      <p role="status">{message.value}</p>
      <OperatorRuns
        caption={caption}
        list={list}
        empty={empty}
        action={action}
        onDone={(text) => {
          message.value = text
          list.again()
        }}
      />
    </>
  )
}

function PlatformHealth() {
  const health = useAnswer(() => client.value.operator.health(), [])
  const workers = useAnswer(() => client.value.operator.workers(), [])
  const now = health.value
  const partOf = ({ ok, ms, error }: { ok: boolean; ms: number; error: string | null }) =>
    ok ? operatorWords.answers(ms) : operatorWords.away(error ?? '')
  return (
    <>
      <Wrong problem={health.problem ?? workers.problem} />
      {now && (
        <>
          <section aria-labelledby="health">
            <h2 id="health">{operatorWords.health}</h2>
            <Facts
              facts={[
                [operatorWords.store, partOf(now.store)],
                [operatorWords.blobs, partOf(now.blobs)],
                [operatorWords.version, now.version],
                [operatorWords.runtime, now.runtime],
              ]}
            />
          </section>
          <section aria-labelledby="queue">
            <h2 id="queue">{operatorWords.queue}</h2>
            {now.queue === null ? (
              <p>{operatorWords.noQueue}</p>
            ) : (
              <Listing
                caption={operatorWords.queue}
                list={whole(now.queue.map((line) => ({ ...line, id: line.lane })))}
                empty={null}
                columns={[
                  { name: operatorWords.lane, cell: ({ lane }) => operatorWords.lanes[lane] },
                  { name: operatorWords.depth, isNumber: true, cell: ({ depth }) => figure(depth) },
                  {
                    name: operatorWords.age,
                    isNumber: true,
                    cell: ({ depth, ageMs }) => (depth === 0 ? '–' : operatorWords.seconds(ageMs)),
                  },
                ]}
              />
            )}
          </section>
        </>
      )}
      {workers.value && (
        <section aria-labelledby="workers">
          <h2 id="workers">{operatorWords.workers}</h2>
          <Listing
            caption={operatorWords.workers}
            list={whole(workers.value.workers)}
            empty={<p>{operatorWords.noWorkers}</p>}
            columns={[
              {
                name: operatorWords.worker,
                cell: ({ id }) => <code title={id}>…{id.slice(-8)}</code>,
              },
              { name: operatorWords.started, cell: ({ startedAt }) => timeOf(startedAt) },
              { name: operatorWords.alive, cell: ({ aliveAt }) => timeOf(aliveAt) },
              {
                name: operatorWords.holds,
                cell: ({ jobs }) =>
                  jobs.length === 0
                    ? operatorWords.nothing
                    : jobs.map(({ kind, account }) => `${kind} ${account ?? ''}`.trim()).join(', '),
              },
            ]}
          />
        </section>
      )}
      <button
        type="button"
        class="quiet"
        onClick={() => {
          health.again()
          workers.again()
        }}
      >
        {operatorWords.again}
      </button>
    </>
  )
}

function Log() {
  const list = useList(
    (cursor) => client.value.operator.log({ limit: 50, ...(cursor !== undefined && { cursor }) }),
    [],
  )
  return (
    <>
      <Listing
        caption={operatorWords.tabs.log}
        list={list}
        empty={<p>{operatorWords.noActs}</p>}
        columns={[
          { name: operatorWords.when, cell: ({ at }) => timeOf(at) },
          { name: operatorWords.who, cell: ({ by }) => `${by.user} (${by.account})` },
          {
            name: operatorWords.what,
            cell: ({ operation, changed, detail }) => (
              <>
                <code>{operation.replace('operator.', '')}</code>{' '}
                {Object.entries(detail)
                  .filter(([, value]) => value !== null)
                  .map(([name, value]) => `${name} ${value}`)
                  .join(', ')}{' '}
                {!changed && <span class="state dim">{operatorWords.unchanged}</span>}
              </>
            ),
          },
          {
            name: operatorWords.about,
            cell: ({ account }) => (
              <To screen="operator-account" query={{ id: account }}>
                {account}
              </To>
            ),
          },
          { name: operatorWords.reason, cell: ({ reason }) => reason },
        ]}
      />
    </>
  )
}
