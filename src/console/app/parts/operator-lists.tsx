import type { OperatorRun, StuckRun } from '../../../client.ts'
import { operatorWords } from '../operator-words.ts'
import { Listing } from './listing.tsx'
import type { ListColumn } from './listing.tsx'
import { figure, State, timeOf, To } from './show.tsx'
import type { PendingWork, LongList } from './ask.ts'
import { words } from '../words.ts'

const COLUMNS: readonly ListColumn<OperatorRun>[] = [
  {
    name: operatorWords.account,
    cell: ({ account }) => (
      <To screen="operator-account" query={{ id: account }}>
        {account}
      </To>
    ),
  },
  { name: operatorWords.run, cell: ({ id }) => <code title={id}>…{id.slice(-8)}</code> },
  { name: operatorWords.status, cell: ({ status }) => <State state={status} /> },
  { name: operatorWords.changed, cell: ({ updatedAt }) => timeOf(updatedAt) },
  { name: operatorWords.pages, isNumber: true, cell: ({ pages }) => figure(pages) },
  { name: operatorWords.rows, isNumber: true, cell: ({ rows }) => figure(rows) },
  { name: operatorWords.credits, isNumber: true, cell: ({ credits }) => figure(credits) },
]

/** Acts on a run from its line. */
function doTo(
  verb: 'cancel' | 'release',
  { id, account }: OperatorRun,
  action: PendingWork,
  onDone: (message: string) => void,
): void {
  const reason = prompt(operatorWords.reasonFor(operatorWords[verb]))?.trim()
  if (!reason) return
  action.run(async (api) => {
    await api.operator[verb](account, id, { reason })
    onDone(verb === 'cancel' ? operatorWords.cancelled(id) : operatorWords.released(id))
  })
}

/** Runs of any account in a table, with the acts of an operator on them. */
export function OperatorRuns<T extends OperatorRun | StuckRun>({
  caption,
  list,
  empty,
  action,
  onDone,
}: {
  readonly caption: string
  readonly list: LongList<T>
  readonly empty: string
  readonly action: PendingWork
  readonly onDone: (message: string) => void
}) {
  const isUnfinished = ({ status }: OperatorRun) =>
    status === 'queued' || status === 'running' || status === 'paused'
  const why: ListColumn<T> = {
    name: operatorWords.why,
    cell: (run) => ('stuck' in run ? run.stuck.message : (run.reason?.message ?? '')),
  }
  const buttons: ListColumn<T> = {
    name: words.actions,
    isPlain: true,
    cell: (run) =>
      isUnfinished(run) && (
        <span class="choices">
          {'stuck' in run && (
            <button
              type="button"
              class="quiet"
              disabled={action.isBusy}
              onClick={() => doTo('release', run, action, onDone)}
            >
              {operatorWords.release}
            </button>
          )}
          <button
            type="button"
            class="quiet"
            disabled={action.isBusy}
            onClick={() => doTo('cancel', run, action, onDone)}
          >
            {operatorWords.cancel}
          </button>
        </span>
      ),
  }
  return (
    <Listing
      caption={caption}
      list={list}
      empty={<p>{empty}</p>}
      columns={[...COLUMNS, why, buttons]}
    />
  )
}
