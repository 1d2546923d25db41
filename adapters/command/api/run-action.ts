import { isObject } from '../../../src/kernel/json.ts'
import { nameMeant, namesInstead } from '../../../src/kernel/names.ts'
import { displayText } from '../display-text.ts'
import { commandName } from '../command-name.ts'
import {
  CommandError,
  PRIVATE,
  noOperator,
  tryAgain,
  WRONG_KEY,
  wrongUse,
} from '../command-error.ts'
import { checkOutput, formatNamed, outputFormat, writeOutput } from '../output-file.ts'
import { parseFlags } from '../settings/parse-flags.ts'
import { formatTable } from '../table.ts'
import type { TableRow } from '../table.ts'
import { ACTIONS, actionHelp, usageOf } from './actions.ts'
import type { ApiAction, ActionFlags } from './action.ts'
import { CONNECTION_FLAGS, commandLine, connect, connectionWords, serverOf } from './connection.ts'
import type { ApiConnection, ConnectionFlags } from './connection.ts'

const WIDTH = 100
/** Number of items of a list that are shown without `--limit`, and maximum number in one answer. */
const SHOWN = 20
const MOST_AT_ONCE = 100
/** Commands whose user may wait for runs. */
const QUEUES = new Set(['runs', 'tasks'])

/** Runs a command of {@link ACTIONS}. Results go to stdout, everything else to stderr. */
export async function runAction(command: string, args: string[]): Promise<number> {
  const actions = ACTIONS[command]?.actions ?? []
  const verbs = actions.map(({ verb }) => verb)
  const [first = '', ...rest] = args
  if (args.includes('--help') || args.includes('-h'))
    return (void process.stdout.write(actionHelp(command)), 0)
  const named = actions.find(({ verb }) => verb === first)
  const action = named ?? actions[0]
  // Only a command with several actions has verbs, so only then a word can be a misspelt verb.
  if (!action || (!named && actions.length > 1 && first !== '' && !first.startsWith('-')))
    throw wrongUse(`seine ${command} has no ${first}${namesInstead(first, verbs)}`)
  const { names, flags, where } = readArgs(command, action, named ? rest : args)
  const { out } = flags
  if (action.shows === 'file' && typeof out === 'string' && out !== '-') checkOutput(out)
  // Templates exist without data.
  const reads = action.method === 'GET' && command !== 'templates'
  const connection = await connect(where, process.env, { reads })
  try {
    const refused = await perform(connection, action, names, flags)
    if (refused > 0) process.stderr.write(`seine: ${refused} of them refused\n`)
    const isTold = QUEUES.has(command) && flags['json'] !== true
    if (isTold && serverOf(where, process.env) === null) await tellOfIdleQueue(connection, where)
    return refused > 0 ? 1 : 0
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const hint = command === 'templates' ? await templateMeant(connection, error, names) : ''
    throw withWayOut(error, `${error.message}${hint}`, command, where)
  } finally {
    await connection.close()
  }
}

function readArgs(command: string, action: ApiAction, args: string[]) {
  const actionFlags = { ...action.query, ...action.flags }
  const { values, positionals } = parseFlags(command, {
    args,
    allowPositionals: true,
    options: {
      ...Object.fromEntries(
        Object.entries(actionFlags).map(
          ([name, takes]) =>
            [name, { type: takes === '' ? ('boolean' as const) : ('string' as const) }] as const,
        ),
      ),
      ...CONNECTION_FLAGS,
      json: { type: 'boolean' },
      out: { type: 'string' },
    },
  })
  if (positionals.length !== action.takes.length)
    throw wrongUse(
      `Usage: ${usageOf(command, action).join(' ')} (${commandName()} ${command} --help)`,
    )
  const { url, key, account, user, data, store, blobs, config, ...others } = values
  const { 'allow-private-network': isOpen, ...rest } = others
  const flags: ActionFlags = Object.fromEntries(
    Object.entries(rest).flatMap(([name, value]) =>
      typeof value === 'string' || value === true ? [[name, value]] : [],
    ),
  )
  return {
    names: positionals,
    flags,
    where: { url, key, account, user, data, store, blobs, config, 'allow-private-network': isOpen },
  }
}

/** Performs an action, and returns how many parts of it were refused. */
async function perform(
  connection: ApiConnection,
  action: ApiAction,
  names: readonly string[],
  flags: ActionFlags,
): Promise<number> {
  const { shows, isRefused } = action
  if (shows === 'file') return download(connection, action, names, flags)
  const limit = shows === 'answer' ? 1 : limitOf(flags)
  const answers: unknown[] = []
  let cursor: string | null = null
  let isList = false
  do {
    const response: Response = await call(connection, action, names, flags, {
      ...(action.query &&
        'limit' in action.query && {
          limit: String(Math.min(limit - answers.length, MOST_AT_ONCE)),
        }),
      ...(cursor !== null && { cursor }),
    })
    const body: unknown = await response.json()
    const data = isObject(body) ? body['data'] : null
    isList = isObject(data) && Array.isArray(data['items'])
    answers.push(...(isObject(data) && Array.isArray(data['items']) ? data['items'] : [data]))
    // A feed has a cursor even at its end, for later changes.
    const isOver = !isObject(data) || data['hasMore'] === false
    cursor = !isOver && typeof data['nextCursor'] === 'string' ? data['nextCursor'] : null
  } while (cursor !== null && answers.length < limit)
  print(action, answers, { isList, hasMore: cursor !== null, asJson: flags['json'] === true })
  return isRefused ? answers.filter((answer) => isObject(answer) && isRefused(answer)).length : 0
}

function print(
  action: ApiAction,
  answers: readonly unknown[],
  { isList, hasMore, asJson }: { isList: boolean; hasMore: boolean; asJson: boolean },
): void {
  const { shows } = action
  const [first] = answers
  if (asJson || shows === 'answer') {
    const lines = isList ? answers : [first]
    for (const answer of lines)
      process.stdout.write(`${JSON.stringify(answer, null, asJson ? 0 : 2)}\n`)
  } else if (shows === 'secret' && isObject(first)) {
    process.stdout.write(`${String(first['secret'])}\n`)
    const until = first['expiresAt'] ? ` until ${String(first['expiresAt'])}` : ''
    const scopes = Array.isArray(first['scopes']) ? first['scopes'].join(', ') : ''
    process.stderr.write(
      `Key "${String(first['name'])}" with ${scopes}${until}. It is not shown again.\n`,
    )
  } else if (Array.isArray(shows)) {
    const rows = answers.filter(isObject)
    const columns: readonly string[] =
      shows.length > 0 ? shows : [...new Set(rows.flatMap((row) => Object.keys(row)))]
    process.stdout.write(
      formatTable({
        columns: columns.map(nameOf),
        rows: rows.map((row) => rowOf(row, columns)),
        width: process.stdout.columns ?? WIDTH,
        whole: ['id'],
      }),
    )
    process.stdout.write(textsBelow(action, rows))
    if (rows.length === 0) process.stderr.write('There are none.\n')
  }
  if (hasMore) process.stderr.write('… and more: --limit 1000\n')
}

/** A line for each row with its id and the text of {@link ApiAction.tells}, which a table would cut. */
export function textsBelow(
  { tells }: Pick<ApiAction, 'tells'>,
  rows: readonly { readonly [name: string]: unknown }[],
): string {
  if (tells === undefined || rows.length === 0) return ''
  const lines = rows.map((row) => `${String(row['id'])}: ${String(valueAt(row, tells))}\n`)
  return `\n${lines.join('')}`
}

/** `counters.rows` becomes the column `rows`, and a reason is shown by its code. */
function nameOf(column: string): string {
  return column === 'reason.code' ? 'reason' : (column.split('.').at(-1) ?? column)
}

function rowOf(item: object, columns: readonly string[]): TableRow {
  return Object.fromEntries(
    columns.map((column) => [nameOf(column), cellOf(valueAt(item, column))]),
  )
}

/** A list of texts is easier to read without brackets. */
function cellOf(value: unknown): unknown {
  return Array.isArray(value) && value.every((part) => typeof part === 'string')
    ? value.join(', ')
    : value
}

function valueAt(item: object, path: string): unknown {
  const whole: unknown = Reflect.get(item, path)
  if (whole !== undefined) return whole
  return path
    .split('.')
    .reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), item)
}

function limitOf({ limit }: ActionFlags): number {
  if (limit === undefined) return SHOWN
  const count = /^[1-9]\d{0,6}$/.test(String(limit)) ? Number(limit) : null
  if (count === null)
    throw wrongUse(`--limit must be a whole number from 1, not "${String(limit)}"`)
  return count
}

async function download(
  connection: ApiConnection,
  action: ApiAction,
  names: readonly string[],
  flags: ActionFlags,
): Promise<number> {
  const { out } = flags
  if (typeof out !== 'string') throw wrongUse('--out says where the file goes; - is stdout')
  const hasFormats = action.query !== undefined && 'format' in action.query
  const { format: named } = flags
  const format = !hasFormats
    ? null
    : typeof named === 'string'
      ? formatNamed(named)
      : out === '-'
        ? null
        : outputFormat(out)
  const response = await call(connection, action, names, flags, { ...(format && { format }) })
  if (!response.body) throw new CommandError('The answer has no content')
  if (out !== '-') {
    await writeOutput(out, response.body)
    process.stderr.write(`Written to ${out}\n`)
    return 0
  }
  for await (const chunk of response.body)
    if (!process.stdout.write(chunk))
      await new Promise<void>((resolve) => void process.stdout.once('drain', resolve))
  return 0
}

async function call(
  connection: ApiConnection,
  action: ApiAction,
  names: readonly string[],
  flags: ActionFlags,
  more: Readonly<Record<string, string>>,
): Promise<Response> {
  const query = new URLSearchParams()
  for (const name of Object.keys(action.query ?? {})) {
    const value = flags[name]
    if (value !== undefined && name !== 'limit')
      query.set(name === 'task' ? 'taskId' : name, String(value))
  }
  for (const [name, value] of Object.entries(more)) query.set(name, value)
  const path = action.path.replaceAll(/:(\d)/g, (_, index: string) =>
    encodeURIComponent(names[Number(index)] ?? ''),
  )
  const body = action.body?.(names, flags)
  const response = await connection.send(query.size === 0 ? path : `${path}?${query}`, {
    method: action.method,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  })
  if (!response.ok) throw await refusal(response, action, body)
  return response
}

/** A refusal of the API. The advice depends on its status. */
class Refusal extends CommandError {
  readonly status: number

  constructor(status: number, message: string) {
    // A request that is wrong for every caller is a mistake in the typed command.
    super(message, status === 400 ? 2 : 1)
    this.status = status
  }
}

/** The API's message, with each wrong field. If a flag sets the field, the flag is named. */
async function refusal(
  response: Response,
  action: ApiAction,
  sent: unknown,
): Promise<CommandError> {
  const { status } = response
  const text = await response.text()
  try {
    const body: unknown = JSON.parse(text)
    const error = isObject(body) ? body['error'] : null
    if (isObject(error) && typeof error['message'] === 'string') {
      const issues = Array.isArray(error['issues']) ? error['issues'].filter(isObject) : []
      // The first issue is already in the message.
      const lines = issues
        .slice(1)
        .map(({ path, message }) => `  ${issueText(String(path), String(message), action, sent)}`)
      const [first] = issues
      const path = String(first?.['path'])
      const summary =
        first && wordOf(path, action) !== path
          ? issueText(path, String(first['message']), action, sent)
          : error['message']
      const wait = response.headers.get('retry-after') ?? ''
      const again = tryAgain(/^\d{1,9}$/.test(wait) ? Number(wait) : null)
      return new Refusal(status, asFlags([summary, ...lines].join('\n'), action) + again)
    }
  } catch {
    // The answer does not come from the API.
  }
  return new CommandError(`The server answered ${status}; is it Seine's address?`)
}

/** `by=id` is a parameter of the API. Its flag is `--by id`. */
export function asFlags(
  text: string,
  { query, flags }: Pick<ApiAction, 'query' | 'flags'>,
): string {
  return text.replace(
    /`?(?<![\w?&/.-])([a-z]{1,40})=([\w-]{1,40})`?/gi,
    (whole, name: string, value: string) => {
      const flag = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
      if (!Object.hasOwn({ ...query, ...flags }, flag)) return whole
      return value === 'true' ? `--${flag}` : `--${flag} ${value}`
    },
  )
}

/** Number of characters of a refused part of a list that are shown. */
const LONGEST_PART = 100

/** An issue with its position. A wrong part of a list is shown in the form that it has in the flag. */
function issueText(path: string, message: string, action: ApiAction, sent: unknown): string {
  const word = wordOf(path, action)
  const flag = word.replace(/, part \d+$/, '')
  const part = path
    .split('.')
    .reduce<unknown>(
      (value, name) => (typeof value === 'object' && value ? Reflect.get(value, name) : undefined),
      sent,
    )
  return flag !== word && typeof part === 'string' && /^(?:is|must)\b/.test(message)
    ? `${flag}: ${displayText(part).slice(0, LONGEST_PART)} ${message}`
    : `${word}: ${message}`
}

/**
 * The flag, or the name in the usage, that sets a field of the request: `scopes.0` is part 1 of
 * `--scopes`.
 */
function wordOf(path: string, { query, flags, takes }: ApiAction): string {
  const names = path.split('.').map((part) => part.replaceAll(/[A-Z]/g, (letter) => `-${letter}`))
  const index = names.findIndex((name) => /^\d+$/.test(name))
  const part = index === -1 ? '' : `, part ${Number(names[index]) + 1}`
  for (const name of [names[0], names.at(-1)].map((text = '') => text.toLowerCase())) {
    if (Object.hasOwn({ ...query, ...flags }, name)) return `--${name}${part}`
    if (takes.includes(name.toUpperCase())) return name.toUpperCase()
  }
  return path
}

/**
 * Reports that runs wait on the data of this machine if no worker gives a sign of life. A worker
 * without the operator's API does not give one.
 */
async function tellOfIdleQueue(connection: ApiConnection, where: ConnectionFlags): Promise<void> {
  const response = await connection.send('/operator/health', { method: 'GET' })
  const body: unknown = response.ok ? await response.json() : null
  const data = isObject(body) ? body['data'] : null
  if (!isObject(data) || data['workers'] !== 0 || !Array.isArray(data['queue'])) return
  const runs = data['queue'].find((lane) => isObject(lane) && lane['lane'] === 'long')
  if (!isObject(runs) || runs['depth'] === 0) return
  const words = connectionWords({ ...where, account: undefined, user: undefined })
  process.stderr.write(
    `A run waits. If no worker runs, ${commandName()} ${commandLine(['serve', ...words])} works on it\n`,
  )
}

/** A refusal, with the command to type next. */
function withWayOut(
  { status, exitCode }: Refusal,
  message: string,
  command: string,
  where: ConnectionFlags,
): CommandError {
  const way = wayOut(status, message, command, where)
  return new CommandError(way === null ? message : `${message}\n${way}`, exitCode)
}

/**
 * Ids of templates are words, which may be misspelt. Empty: no id is similar, or the ids are not
 * known.
 */
async function templateMeant(
  connection: ApiConnection,
  { status }: Refusal,
  [id = '']: readonly string[],
): Promise<string> {
  if (status !== 404) return ''
  try {
    const response = await connection.send(`/templates?limit=${MOST_AT_ONCE}`, { method: 'GET' })
    const body: unknown = await response.json()
    const data = isObject(body) ? body['data'] : null
    const items = isObject(data) && Array.isArray(data['items']) ? data['items'] : []
    return nameMeant(
      id,
      items.filter(isObject).map((template) => String(template['id'])),
    )
  } catch {
    return ''
  }
}

function wayOut(
  status: number,
  message: string,
  command: string,
  where: ConnectionFlags,
): string | null {
  if (status === 401) return WRONG_KEY
  if (status === 403 && /scope operator/.test(message)) return noOperator()
  if (/public internet/.test(message)) return isHere(where) ? PRIVATE : null
  if (status !== 404) return null
  const hasList = ACTIONS[command]?.actions.some(
    ({ verb, takes }) => verb === 'list' && takes.length === 0,
  )
  const lister = hasList ? command : command === 'schedule' ? 'tasks' : 'runs'
  return `${commandName()} ${command === 'operator' ? 'operator runs' : `${lister} list`} shows all`
}

function isHere(where: ConnectionFlags): boolean {
  return !where['allow-private-network'] && serverOf(where, process.env) === null
}
