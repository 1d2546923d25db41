import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import type { Execution } from 'seine/client'
import { chooseRecipe } from './detect/choose-recipe.ts'
import { asPart } from './detect/describe-detection.ts'
import { hasLittle, isWrittenByScripts } from './detect/written-by-scripts.ts'
import { commandName } from './command-name.ts'
import { CommandError, PRIVATE } from './command-error.ts'
import { amountOf } from './display-text.ts'
import { explainRefusal } from './explain-refusal.ts'
import { parseExtract } from './extract-flags.ts'
import type { ExtractRequest } from './extract-flags.ts'
import { endOf, warningsOf } from './extract-outcome.ts'
import { EXTRACT_HELP } from './help.ts'
import { listenForInterrupt } from './interrupt.ts'
import { writeOutput } from './output-file.ts'
import type { OutputFormat } from './output-file.ts'
import { runExecution } from './run-execution.ts'
import { formatTable } from './table.ts'
import { commandLine, connectionWords } from './api/connection.ts'
import { openWorkplace } from './api/workplace.ts'
import type { Workplace } from './api/workplace.ts'

const INTERRUPTED = 130
/** Maximum number of characters of a host in the name of a task. */
const LONGEST_HOST = 100

/**
 * `seine extract`: turns a site into a table, in this process. Progress and notes go to stderr, the
 * table to stdout.
 */
export async function extract(args: string[]): Promise<number> {
  const flagged = await parseExtract(args)
  if (!flagged) return (void process.stdout.write(EXTRACT_HELP), 0)
  const interrupt = listenForInterrupt()
  const workplace = await openWorkplace(flagged.where, flagged.browser ?? undefined, process.env)
  // A variable or the configuration may also allow it.
  const request = { ...flagged, allowPrivateNetwork: workplace.allowPrivateNetwork }
  try {
    const { id, ...begun } =
      request.resume === null
        ? await begin(workplace, request, interrupt.signal)
        : { id: await resume(workplace, request.resume), leftOut: [], recipe: null }
    const pages = request.flags.pages
    const execution = await runExecution({
      runner: workplace,
      id,
      interrupt: interrupt.signal,
      ...(pages !== undefined && { maxPages: pages }),
    })
    return await report(workplace, execution, { request, begun, signal: interrupt.signal })
  } catch (error) {
    if (!interrupt.signal.aborted || error !== interrupt.signal.reason) throw error
    say('Interrupted before anything was started.')
    return INTERRUPTED
  } finally {
    await workplace.close()
    interrupt.release()
  }
}

/** An execution, and the addresses that its recipe does not read. */
interface Begun {
  readonly id: string
  /** Addresses that it does not visit. */
  readonly leftOut: readonly string[]
  /** The recipe that it runs. `null`: it was started before. */
  readonly recipe: object | null
  /** True if scripts write its pages, and nothing runs them. Absent: no page was read before it. */
  readonly needsScripts?: boolean
  /** True if neither a list nor an article was found on them. */
  readonly isUnread?: boolean
}

interface Reported {
  readonly request: ExtractRequest
  readonly begun: Omit<Begun, 'id'>
  /** Ends the reading of pages after the run. */
  readonly signal: AbortSignal
}

/** @throws the signal's reason, if it aborts before there is a task */
async function begin(
  { client, scouting }: Workplace,
  request: ExtractRequest,
  signal: AbortSignal,
): Promise<Begun> {
  const isOnServer = scouting.server !== null
  const chosen = await chooseRecipe(request, scouting, signal).catch((error: unknown) => {
    throw isOnServer ? beforeServer(error) : error
  })
  const { recipe, flagOf, notes, needsScripts, kind } = chosen
  signal.throwIfAborted()
  for (const note of notes) say(note)
  if (request.saveRecipe !== null) saveRecipe(request.saveRecipe, recipe)
  try {
    const task = await client.tasks.create({
      recipe: JSON.parse(JSON.stringify(recipe)),
      name: taskName(recipe, new Date()),
      labels: ['extract'],
    })
    const { id } = await client.executions.start(task.id)
    const leftOut = request.recipe ? [] : leftOutOf(request.urls, recipe)
    const scripts = needsScripts === undefined ? {} : { needsScripts, isUnread: kind === 'page' }
    return { id, leftOut, recipe, ...scripts }
  } catch (error) {
    const { allowPrivateNetwork } = request
    throw explainRefusal(error, { flagOf, allowPrivateNetwork, isOfServer: isOnServer })
  }
}

/** Two machines visit the page, and each has its own setting for private addresses. */
function beforeServer(error: unknown): unknown {
  if (!(error instanceof CommandError && error.message.endsWith(PRIVATE))) return error
  const who = 'This machine has refused it, because it reads a page before the server visits it.'
  return new CommandError(`${error.message}\n${who}`, error.exitCode)
}

/** Two runs on a site have tasks with two names, because an import matches tasks by their names. */
function taskName(recipe: object, now: Date): string {
  const { urls } = asPart(asPart(recipe)['start'])
  const [url]: readonly unknown[] = Array.isArray(urls) ? urls : []
  const host = typeof url === 'string' && URL.canParse(url) ? new URL(url).host : 'extract'
  return `${host.slice(0, LONGEST_HOST)} ${now.toISOString()}`
}

function leftOutOf(urls: readonly string[], recipe: object): readonly string[] {
  const { urls: visited } = asPart(asPart(recipe)['start'])
  return Array.isArray(visited) ? urls.filter((url) => !visited.includes(url)) : []
}

function saveRecipe(path: string, recipe: object): void {
  try {
    writeFileSync(path, `${JSON.stringify(recipe, null, 2)}\n`)
  } catch (error) {
    throw new CommandError(
      `--save-recipe ${path}: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
  say(`The recipe is in ${path}: ${commandName()} ${commandLine(['extract', '--recipe', path])}`)
}

/** A paused execution is resumed, a crashed one resumes by itself, and a finished one is only shown. */
async function resume({ client }: Workplace, id: string): Promise<string> {
  const { status } = await client.executions.get(id)
  if (status === 'paused') await client.executions.resume(id)
  return id
}

async function report(
  workplace: Workplace,
  execution: Execution,
  { request, begun, signal }: Reported,
): Promise<number> {
  const { id, status, counters } = execution
  const shown = await showRows(workplace, execution, request)
  if (status === 'paused') {
    const done = `${amountOf(counters.visited, 'page')} with ${amountOf(counters.rows, 'row')}`
    say(`Paused after ${done}. ${resumeHint(workplace, id, request)}`)
    return INTERRUPTED
  }
  if (request.out && request.out.path !== '-') {
    await writeOutput(request.out.path, await rowsOf(workplace, id, request.out.format))
    say(`${amountOf(counters.rows, 'row')} written to ${request.out.path}`)
  }
  say(`${summary(execution)}`)
  for (const warning of warningsOf(execution, request, begun.leftOut)) say(warning)
  if (begun.leftOut.length > 0) say(notInTable(begun.leftOut))
  if (workplace.isKept) say(laterWith(execution, request))
  const needsScripts = await isForScripts(workplace, execution, { request, begun, signal })
  if (needsScripts)
    say(
      counters.rows === 0
        ? 'Scripts write the page: --render runs them.'
        : 'Only values that every page has were found: scripts write the rest, and --render runs them.',
    )
  if (status !== 'succeeded') throw new CommandError(endOf(execution, request))
  if (needsScripts) return 1
  if (counters.rows === 0) return 1
  if (!request.out && !request.json && counters.rows > shown)
    say(
      'All rows: add --out rows.csv, .jsonl, .xlsx or another format ' +
        `(${commandName()} extract --help)`,
    )
  return 0
}

/** True if there are few values because scripts write the pages and nothing runs them. */
async function isForScripts(
  workplace: Workplace,
  execution: Execution,
  { request, begun, signal }: Reported,
): Promise<boolean> {
  const { recipe, needsScripts, isUnread = false } = begun
  const { status, reason } = execution
  const isRead = status === 'succeeded' || reason?.code === 'nothing_matched'
  if (!isRead || request.flags.render || recipe === null) return false
  if (needsScripts !== undefined) return needsScripts && hasLittle(execution, isUnread)
  return isWrittenByScripts(workplace, execution, recipe, signal)
}

/** Shows rows on stdout: a table of the first ones, or all of them for programs. */
async function showRows(
  workplace: Workplace,
  { id, counters }: Execution,
  { out, json, limit }: ExtractRequest,
): Promise<number> {
  if (json || out?.path === '-') {
    const body = await rowsOf(workplace, id, out?.path === '-' ? out.format : 'jsonl')
    for await (const chunk of body)
      if (!process.stdout.write(chunk)) await once(process.stdout, 'drain')
    return counters.rows
  }
  const { items, columns } = await workplace.client.results.list(id, {
    limit: Math.min(limit, 100),
  })
  process.stdout.write(
    formatTable({ columns: items.length > 0 ? columns : [], rows: items, width: terminalWidth() }),
  )
  if (counters.rows > items.length)
    process.stdout.write(`… and ${counters.rows - items.length} more rows\n`)
  return items.length
}

async function rowsOf({ client }: Workplace, id: string, format: OutputFormat) {
  return (await client.results.export(id, { format })).body
}

/** This is repeated at the end, because the message before the run has scrolled away. */
function notInTable([first = '', ...more]: readonly string[]): string {
  return more.length === 0
    ? `Not in this table, as it is a page of another kind: ${first}. Extract it separately.`
    : `Not in this table, as they are pages of other kinds: ${first} and ${more.length} more. ` +
        'Extract them separately.'
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
  const totals = `${amountOf(counters.rows, 'row')} from ${amountOf(counters.visited, 'page')}`
  return totals + seconds + failures + skipped
}

/** Tells how to find the execution again: its rows, or why there are no rows. */
function laterWith({ id, counters }: Execution, request: ExtractRequest): string {
  const flags = connectionWords(request.where)
  const pages = `${commandName()} ${commandLine(['pages', id, ...flags])}`
  if (counters.rows === 0) return `There are no rows. The outcome of each page: ${pages}`
  if (counters.failed + counters.blocked > 0) return `Which pages failed: ${pages}`
  return `Kept: ${commandName()} ${commandLine(['rows', id, ...flags])}`
}

function resumeHint({ isKept }: Workplace, id: string, request: ExtractRequest): string {
  if (!isKept) return 'Nothing is kept: the data is in memory.'
  const { out, where } = request
  const words = ['extract', '--resume', id, ...connectionWords(where)]
  if (out) words.push('--out', out.path)
  if (out?.path === '-') words.push('--format', out.format)
  if (where['allow-private-network']) words.push('--allow-private-network')
  return `Resume with:\n  ${commandName()} ${commandLine(words)}`
}

function terminalWidth(): number {
  return process.stdout.columns ?? (Number(process.env['COLUMNS']) || 100)
}

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}
