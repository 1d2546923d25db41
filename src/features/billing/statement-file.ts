import { csvFormat } from '../../engine/export/formats.ts'
import { TEXT_PART } from '../../engine/export/format.ts'
import { assembleText, textParts } from '../../engine/export/write-text.ts'
import { writeRows } from '../../engine/export/row-source.ts'
import { xmlText } from '../../engine/export/xml-text.ts'
import type { Row } from '../../kernel/json.ts'
import type { LedgerEntry } from '../ledger/records.ts'
import { CREDIT_ACCOUNTS } from '../ledger/credits.ts'
import { isoTime } from '../common/time.ts'
import type { Statement } from './statements.ts'

/** File formats of a statement. */
export const STATEMENT_TYPES = {
  csv: 'text/csv; charset=utf-8; header=present',
  html: 'text/html; charset=utf-8',
} as const

/** Name of a file format. */
export type StatementFormat = keyof typeof STATEMENT_TYPES

/**
 * A statement as a file, generated while it is read: one line for each ledger entry. `balance` is
 * the wallet after the entry.
 */
export function writeStatement(
  format: StatementFormat,
  statement: Statement,
  entries: AsyncIterable<LedgerEntry>,
): AsyncIterable<Uint8Array<ArrayBuffer>> {
  const rows = batches(rowsOf(statement, entries))
  return writeRows(
    format === 'csv' ? csvFormat : pageFormat(htmlOf(statement)),
    rows,
    COLUMNS.map((name) => ({ name, type: null })),
  )
}

/** A page of a statement, as an export format writes it. */
function pageFormat({
  head,
  row,
  tail,
}: ReturnType<typeof htmlOf>): Parameters<typeof writeRows>[0] {
  return {
    partSize: TEXT_PART,
    open: async () => ({ part: textParts(row) }),
    assemble: (_, parts) => assembleText(head, parts, tail),
  }
}

const COLUMNS = [
  'at',
  'id',
  'kind',
  'cause',
  'execution',
  'task',
  ...CREDIT_ACCOUNTS,
  'balance',
  'pages',
  'note',
]
const BATCH = 200

async function* rowsOf(
  { opening }: Statement,
  entries: AsyncIterable<LedgerEntry>,
): AsyncGenerator<Row> {
  let balance = opening.wallet
  for await (const {
    at,
    id,
    kind,
    cause,
    execution,
    task,
    moves,
    pages = [],
    note = null,
  } of entries) {
    balance += moves.wallet ?? 0
    const amounts = Object.fromEntries(
      CREDIT_ACCOUNTS.map((account) => [account, moves[account] ?? 0]),
    )
    const paid = pages.map(([seq, outcome, credits]) => `${seq} ${outcome} ${credits}`).join('; ')
    yield {
      at: isoTime(at),
      id,
      kind,
      cause,
      execution,
      task,
      ...amounts,
      balance,
      pages: paid === '' ? null : paid,
      note,
    }
  }
}

async function* batches(rows: AsyncIterable<Row>): AsyncGenerator<readonly Row[]> {
  let batch: Row[] = []
  for await (const row of rows) {
    batch.push(row)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

const STYLE =
  'body{font:14px/1.4 system-ui,sans-serif;margin:2rem;color:#111}' +
  'h1{font-size:1.4rem}' +
  'table{border-collapse:collapse;margin:1rem 0;width:100%}' +
  'th,td{padding:.25rem .5rem;text-align:left;border-bottom:1px solid #ccc;' +
  'vertical-align:top;overflow-wrap:anywhere}' +
  'th{white-space:nowrap}' +
  '.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}' +
  '@media print{body{margin:0;font-size:10px}thead{display:table-header-group}' +
  'tr{break-inside:avoid}}'

const SHOWN = ['at', 'kind', 'cause', 'pages', 'note'] as const
const AMOUNTS = ['wallet', 'held', 'revenue', 'balance'] as const

/** A self-contained HTML page, for reading or printing. */
function htmlOf(statement: Statement) {
  const { id, status, from, to, plan, opening, closing, totals, entries } = statement
  const cell = (value: unknown, kind: 'td' | 'th' = 'td'): string =>
    `<${kind}>${xmlText(value === null || value === undefined ? '' : String(value))}</${kind}>`
  const amount = (value: unknown): string => `<td class="n">${xmlText(String(value ?? ''))}</td>`
  const heads = (names: readonly string[], numbers: readonly string[]): string =>
    [
      '<tr>',
      ...names.map((name) => `<th scope="col">${xmlText(name)}</th>`),
      ...numbers.map((name) => `<th class="n" scope="col">${xmlText(name)}</th>`),
      '</tr>',
    ].join('')
  const accounts = CREDIT_ACCOUNTS.map(
    (account) =>
      `<tr>${cell(account)}${amount(opening[account])}` +
      `${amount(closing[account] - opening[account])}${amount(closing[account])}</tr>`,
  )
  const kinds = totals.map(
    (total) => `<tr>${cell(total.kind)}${amount(total.entries)}${amount(total.wallet)}</tr>`,
  )
  const title = `Statement ${id}`
  return {
    head:
      '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">' +
      `<title>${xmlText(title)}</title><style>${STYLE}</style></head>` +
      `<body><h1>${xmlText(title)}</h1>` +
      `<p>${status === 'open' ? 'The month is not over: figures may change.' : 'Closed.'} ` +
      `From ${xmlText(from)} to ${xmlText(to)}, in UTC. Plan: ${xmlText(plan)}. ` +
      'Amounts are credits.</p>' +
      `<table><thead>${heads(['account'], ['opening', 'change', 'closing'])}</thead>` +
      `<tbody>${accounts.join('')}</tbody></table>` +
      `<table><thead>${heads(['kind'], ['entries', 'wallet'])}</thead>` +
      `<tbody>${kinds.join('')}</tbody></table>` +
      `<table><thead>${heads(SHOWN, AMOUNTS)}</thead><tbody>`,
    row: (row: Row) =>
      `<tr>${SHOWN.map((name) => cell(row[name])).join('')}${AMOUNTS.map((name) => amount(row[name])).join('')}</tr>\n`,
    tail: () => `</tbody></table><p>${entries} entries.</p></body></html>\n`,
  }
}
