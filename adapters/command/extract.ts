import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createPlatform } from 'seine'
import type { Execution, Platform } from 'seine'
import { chooseRecipe } from './choose-recipe.ts'
import { CommandError } from './command-error.ts'
import { stderrLogger } from './stderr-logger.ts'
import { DEFAULT_DATA, IN_MEMORY, LEASE_MS, openDataDirectory, OWNER } from './data-directory.ts'
import { explainRefusal } from './explain-refusal.ts'
import { parseExtract } from './extract-flags.ts'
import type { ExtractRequest } from './extract-flags.ts'
import { EXTRACT_HELP } from './help.ts'
import { listenForInterrupt } from './interrupt.ts'
import { writeOutput } from './output-file.ts'
import type { OutputFormat } from './output-file.ts'
import { browserOf } from './platform-options.ts'
import { runExecution } from './run-execution.ts'
import { formatTable } from './table.ts'

const INTERRUPTED = 130

/**
 * `seine extract`: a site to a table, in this process. Progress and notes on stderr, the table on
 * stdout.
 */
export async function extract(args: string[]): Promise<number> {
  const request = await parseExtract(args)
  if (!request) return (void process.stdout.write(EXTRACT_HELP), 0)
  const interrupt = listenForInterrupt()
  const browser =
    request.browser === null
      ? null
      : await browserOf({ browser: request.browser, browserSandbox: process.getuid?.() !== 0 })
  const platform = createPlatform({
    ...openDataDirectory(request.data),
    ...(browser && { browser }),
    allowPrivateNetwork: request.allowPrivateNetwork,
    worker: { leaseMs: LEASE_MS },
    logger: stderrLogger(),
  })
  try {
    const id =
      request.resume === null
        ? await begin(platform, request)
        : await resume(platform, request.resume)
    const pages = request.flags.pages
    const execution = await runExecution({
      platform,
      id,
      interrupt: interrupt.signal,
      ...(pages !== undefined && { maxPages: pages }),
    })
    return await report(platform, execution, request)
  } finally {
    await platform.close()
    interrupt.release()
  }
}

async function begin(platform: Platform, request: ExtractRequest): Promise<string> {
  const { recipe, flagOf, notes } = await chooseRecipe(request)
  for (const note of notes) say(note)
  if (request.saveRecipe !== null) saveRecipe(request.saveRecipe, recipe)
  try {
    const task = await platform.api.tasks.create(OWNER, {
      recipe: JSON.parse(JSON.stringify(recipe)),
      labels: ['extract'],
    })
    return (await platform.api.executions.start(OWNER, task.id)).id
  } catch (error) {
    throw explainRefusal(error, { flagOf, allowPrivateNetwork: request.allowPrivateNetwork })
  }
}

function saveRecipe(path: string, recipe: object): void {
  try {
    writeFileSync(path, `${JSON.stringify(recipe, null, 2)}\n`)
  } catch (error) {
    throw new CommandError(
      `--save-recipe ${path}: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
  say(`The recipe is in ${path}: seine extract --recipe ${path}`)
}

/** A paused execution goes on; one that crashed goes on by itself; a finished one is only shown. */
async function resume(platform: Platform, id: string): Promise<string> {
  const { status } = await platform.api.executions.get(OWNER, id)
  if (status === 'paused') await platform.api.executions.resume(OWNER, id)
  return id
}

async function report(
  platform: Platform,
  execution: Execution,
  request: ExtractRequest,
): Promise<number> {
  const { id, status, reason, counters } = execution
  const shown = await showRows(platform, execution, request)
  if (status === 'paused') {
    say(
      `Paused after ${count(counters.visited, 'page')} with ${count(counters.rows, 'row')}. ${resumeHint(id, request)}`,
    )
    return INTERRUPTED
  }
  if (request.out && request.out.path !== '-') {
    await writeOutput(request.out.path, await rowsOf(platform, id, request.out.format))
    say(`${count(counters.rows, 'row')} written to ${request.out.path}`)
  }
  say(`${summary(execution)}`)
  for (const warning of warningsOf(execution)) say(warning)
  if (counters.rows === 0 && request.data !== IN_MEMORY)
    say(`Nothing came. The outcome of each page: ${commandName()} pages ${id}`)
  if (status !== 'succeeded') {
    throw new CommandError(`The execution ${endOf(status)}${reason ? `: ${reason.message}` : ''}`)
  }
  if (counters.rows === 0) return 1
  if (!request.out && !request.json && counters.rows > shown)
    say('All rows: add --out rows.csv, .jsonl, .xlsx or another format (seine extract --help)')
  return 0
}

/** Shows rows on stdout: a table of the first ones, or all of them for programs. */
async function showRows(
  platform: Platform,
  { id, counters }: Execution,
  { out, json, limit }: ExtractRequest,
): Promise<number> {
  if (json || out?.path === '-') {
    const body = await rowsOf(platform, id, out?.path === '-' ? out.format : 'jsonl')
    for await (const chunk of body)
      if (!process.stdout.write(chunk)) await once(process.stdout, 'drain')
    return counters.rows
  }
  const { items, columns } = await platform.api.results.list(OWNER, id, {
    limit: Math.min(limit, 100),
  })
  process.stdout.write(
    formatTable({ columns: items.length > 0 ? columns : [], rows: items, width: terminalWidth() }),
  )
  if (counters.rows > items.length)
    process.stdout.write(`… and ${counters.rows - items.length} more rows\n`)
  return items.length
}

async function rowsOf(platform: Platform, id: string, format: OutputFormat) {
  return (await platform.api.results.export(OWNER, id, { format })).body
}

/** Describes what is probably wrong with a table. */
function warningsOf({ counters, filled }: Execution): string[] {
  const { rows } = counters
  const empty = Object.entries(filled).filter(([, values]) => values === 0 && rows > 0)
  const names = empty.map(([name]) => name).join(', ')
  return [
    ...(empty.length > 0
      ? [`${empty.length === 1 ? 'A column has' : 'Columns have'} no value in any row: ${names}`]
      : []),
    ...(counters.skipped_limit > 0
      ? [
          `A limit was reached: ${count(counters.skipped_limit, 'page')} more were found. See --pages.`,
        ]
      : []),
  ]
}

function endOf(status: Execution['status']): string {
  if (status === 'timed_out') return 'ran out of time'
  return status === 'failed' ? 'failed' : `is ${status}`
}

function summary({ counters, startedAt, finishedAt }: Execution): string {
  const seconds =
    startedAt && finishedAt
      ? ` in ${((Date.parse(finishedAt) - Date.parse(startedAt)) / 1000).toFixed(1)} s`
      : ''
  const failed = counters.failed + counters.blocked
  const skipped =
    counters.skipped_robots > 0 ? `, ${counters.skipped_robots} forbidden by robots.txt` : ''
  const failures = failed > 0 ? `, ${failed} failed` : ''
  const totals = `${count(counters.rows, 'row')} from ${count(counters.visited, 'page')}`
  return totals + seconds + failures + skipped
}

function resumeHint(id: string, { data, out, allowPrivateNetwork }: ExtractRequest): string {
  if (data === ':memory:') return 'Nothing is stored, because --data is :memory:.'
  const words = ['extract', '--resume', id]
  if (data !== DEFAULT_DATA) words.push('--data', data)
  if (out) words.push('--out', out.path)
  if (allowPrivateNetwork) words.push('--allow-private-network')
  return `Resume with:\n  ${commandName()} ${words.map(shellWord).join(' ')}`
}

function shellWord(word: string): string {
  if (/^[\w./:=@-]+$/.test(word)) return word
  return `'${word.replaceAll("'", String.raw`'\''`)}'`
}

/** As the command was called: by npm's script of this checkout, by npx, or by its own name. */
function commandName(): string {
  if (process.env['npm_lifecycle_event'] === 'seine') return 'npm run -s seine --'
  return process.env['npm_command'] === 'exec' ? 'npx seine' : 'seine'
}

function terminalWidth(): number {
  return process.stdout.columns ?? (Number(process.env['COLUMNS']) || 100)
}

function count(amount: number, what: string): string {
  return `${amount} ${what}${amount === 1 ? '' : 's'}`
}

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}
