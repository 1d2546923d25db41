import { isObject } from '../../../src/kernel/json.ts'
import { parseDuration, wrongUse } from '../command-error.ts'
import { readJsonFile } from '../settings/read-json.ts'
import type { Actions, ApiAction } from './action.ts'
import { OPERATOR_ACTIONS } from './operator-actions.ts'

const LIST = { limit: '<n>' }
const RUN_COLUMNS = [
  'id',
  'taskId',
  'status',
  'createdAt',
  'counters.visited',
  'counters.rows',
  'counters.failed',
  'cost.credits',
]
const EXPORT = { format: '<f>', fields: '<a,b>' }

const get = { method: 'GET' } as const
const post = { method: 'POST' } as const

/** Actions by command, with what the command is about. */
export const ACTIONS: Actions = {
  runs: {
    about: 'executions: list, follow, stop and repeat them',
    actions: [
      {
        ...get,
        verb: 'list',
        takes: [],
        help: 'the newest first',
        path: '/executions',
        query: { task: '<id>', status: '<s>', ...LIST },
        shows: RUN_COLUMNS,
      },
      {
        ...get,
        verb: 'show',
        takes: ['RUN'],
        help: 'all about one',
        path: '/executions/:0',
        shows: 'answer',
      },
      {
        ...post,
        verb: 'start',
        takes: ['TASK'],
        help: 'start a task; it is queued until a server works on it',
        path: '/tasks/:0/executions',
        flags: { param: '<name=value>' },
        body: (_, { param }) => (param === undefined ? undefined : { params: paramsOf(param) }),
        shows: RUN_COLUMNS,
      },
      ...['pause', 'resume', 'cancel'].map((verb) => ({
        ...post,
        verb,
        takes: ['RUN'],
        help: `${verb} it`,
        path: `/executions/:0/${verb}`,
        shows: RUN_COLUMNS,
      })),
      {
        ...post,
        verb: 'retry',
        takes: ['RUN'],
        help: 'run the same recipe again, also for its failed pages alone',
        path: '/executions/:0/retry',
        flags: { only: '<failed>' },
        body: (_, { only }) => (only === undefined ? undefined : { only }),
        shows: RUN_COLUMNS,
      },
      {
        method: 'DELETE',
        verb: 'delete',
        takes: ['RUN'],
        help: 'delete it with its rows',
        path: '/executions/:0',
        shows: 'answer',
      },
    ],
  },
  pages: {
    about: 'the page report of an execution: each URL and its outcome',
    actions: [
      {
        ...get,
        verb: 'list',
        takes: ['RUN'],
        help: 'each URL with its outcome and the reason',
        path: '/executions/:0/pages',
        query: { outcome: '<o>', reason: '<code>', host: '<host>', ...LIST },
        shows: ['outcome', 'reason.code', 'httpStatus', 'rows', 'credits', 'durationMs', 'url'],
      },
    ],
  },
  rows: {
    about: 'rows of an execution',
    actions: [
      {
        ...get,
        verb: 'list',
        takes: ['RUN'],
        help: 'its rows as a table',
        path: '/executions/:0/results',
        query: { fields: '<a,b>', ...LIST },
        shows: [],
      },
    ],
  },
  export: {
    about: 'write the rows of an execution to a file',
    actions: [
      {
        ...get,
        verb: 'rows',
        takes: ['RUN'],
        help: 'all rows: csv, json, jsonl, xlsx, parquet, xml or html, by the name of --out',
        path: '/executions/:0/results/export',
        query: EXPORT,
        shows: 'file',
      },
    ],
  },
  tasks: {
    about: 'saved recipes',
    actions: [
      {
        ...get,
        verb: 'list',
        takes: [],
        help: 'the newest first',
        path: '/tasks',
        query: { q: '<text>', label: '<text>', status: '<s>', ...LIST },
        shows: ['id', 'name', 'status', 'createdAt', 'schedule.cron', 'datasetId', 'labels'],
      },
      {
        ...get,
        verb: 'show',
        takes: ['TASK'],
        help: 'one with its recipe',
        path: '/tasks/:0',
        shows: 'answer',
      },
      {
        ...post,
        verb: 'create',
        takes: ['FILE'],
        help: 'save a recipe (.json)',
        path: '/tasks',
        flags: { name: '<text>' },
        body: ([file = ''], { name }) => ({
          recipe: readJsonFile(file, file),
          ...(name && { name }),
        }),
        shows: ['id', 'name', 'status', 'createdAt'],
      },
      {
        method: 'DELETE',
        verb: 'delete',
        takes: ['TASK'],
        help: 'delete one',
        path: '/tasks/:0',
        shows: 'answer',
      },
      {
        ...get,
        verb: 'export',
        takes: [],
        help: 'all of them as one JSON file',
        path: '/tasks/export',
        shows: 'file',
      },
      {
        ...post,
        verb: 'import',
        takes: ['FILE'],
        help: 'create or update the tasks of an exported file, by name or by id',
        path: '/tasks/import',
        query: { by: '<name|id>' },
        body: ([file = '']) => readJsonFile(file, file),
        shows: 'answer',
        isRefused: (task) => 'outcome' in task && task.outcome === 'refused',
      },
    ],
  },
  preview: {
    about: 'try a recipe on a few pages: rows, and why a source found nothing',
    actions: [
      {
        ...post,
        verb: 'recipe',
        takes: ['FILE'],
        help: 'nothing is stored or charged; a daily quota applies',
        path: '/tasks/preview',
        body: ([file = '']) => ({ recipe: readJsonFile(file, file) }),
        shows: 'answer',
      },
    ],
  },
  estimate: {
    about: 'what a recipe costs at most',
    actions: [
      {
        ...post,
        verb: 'recipe',
        takes: ['FILE'],
        help: 'pages and credits, before it runs',
        path: '/tasks/estimate',
        body: ([file = '']) => ({ recipe: readJsonFile(file, file) }),
        shows: 'answer',
      },
    ],
  },
  schedule: {
    about: 'when a task runs by itself',
    actions: [
      {
        ...get,
        verb: 'show',
        takes: ['TASK'],
        help: 'its schedule and the next times',
        path: '/tasks/:0/schedule',
        shows: 'answer',
      },
      {
        method: 'PATCH',
        verb: 'set',
        takes: ['TASK', 'CRON'],
        help: 'such as "0 6 * * 1-5", with --time-zone Europe/Berlin',
        path: '/tasks/:0',
        flags: { 'time-zone': '<zone>' },
        body: ([, cron = ''], { 'time-zone': timeZone }) => ({
          schedule: { cron, ...(timeZone && { timeZone }) },
        }),
        shows: ['id', 'name', 'schedule.cron', 'schedule.timeZone'],
      },
      {
        method: 'PATCH',
        verb: 'remove',
        takes: ['TASK'],
        help: 'it then runs only when it is started',
        path: '/tasks/:0',
        body: () => ({ schedule: null }),
        shows: ['id', 'name', 'schedule'],
      },
    ],
  },
  datasets: {
    about: 'items that several executions have found, and how they changed',
    actions: [
      {
        ...get,
        verb: 'list',
        takes: [],
        help: 'the newest first',
        path: '/datasets',
        query: LIST,
        shows: ['id', 'name', 'key', 'createdAt'],
      },
      {
        ...get,
        verb: 'show',
        takes: ['DATASET'],
        help: 'all about one',
        path: '/datasets/:0',
        shows: 'answer',
      },
      {
        ...get,
        verb: 'items',
        takes: ['DATASET'],
        help: 'its items as a table',
        path: '/datasets/:0/items',
        query: { state: '<s>', fields: '<a,b>', ...LIST },
        shows: [],
      },
      {
        ...get,
        verb: 'changes',
        takes: ['DATASET'],
        help: 'what is new, changed or gone',
        path: '/datasets/:0/changes',
        query: { kinds: '<a,b>', sort: '<at|-at>', ...LIST },
        shows: [],
      },
      {
        ...get,
        verb: 'export',
        takes: ['DATASET'],
        help: 'all items, in a format as for rows',
        path: '/datasets/:0/export',
        query: { state: '<s>', ...EXPORT },
        shows: 'file',
      },
    ],
  },
  templates: {
    about: 'ready-made recipes',
    actions: [
      {
        ...get,
        verb: 'list',
        takes: [],
        help: 'all, or those that match',
        path: '/templates',
        query: { q: '<text>', category: '<c>', ...LIST },
        shows: ['id', 'name', 'category', 'description'],
      },
      {
        ...get,
        verb: 'show',
        takes: ['TEMPLATE'],
        help: 'one with its parameters',
        path: '/templates/:0',
        shows: 'answer',
      },
      {
        ...post,
        verb: 'run',
        takes: ['TEMPLATE'],
        help: 'start it',
        path: '/templates/:0/executions',
        flags: { param: '<name=value>' },
        body: (_, { param }) => ({ params: param === undefined ? {} : paramsOf(param) }),
        shows: RUN_COLUMNS,
      },
    ],
  },
  keys: {
    about: 'API keys',
    actions: [
      {
        ...get,
        verb: 'list',
        takes: [],
        help: 'all, without their secrets',
        path: '/keys',
        query: LIST,
        shows: [
          'id',
          'name',
          'prefix',
          'scopes',
          'createdAt',
          'expiresAt',
          'lastUsedAt',
          'revokedAt',
        ],
      },
      {
        ...post,
        verb: 'create',
        takes: [],
        help: 'the key alone on stdout, once. --scopes tasks:*,executions:read; --expires 30d',
        path: '/keys',
        flags: { name: '<text>', scopes: '<a,b>', expires: '<time>' },
        body: (_, { name = 'command line', scopes = '*', expires }) => ({
          name,
          scopes: String(scopes)
            .split(',')
            .map((scope) => scope.trim()),
          ...(expires && { expiresAt: endOf(String(expires)) }),
        }),
        shows: 'secret',
      },
      {
        method: 'DELETE',
        verb: 'revoke',
        takes: ['KEY'],
        help: 'revoke one; with --descendants also those that it made',
        path: '/keys/:0',
        query: { descendants: '' },
        shows: 'answer',
      },
    ],
  },
  ...OPERATOR_ACTIONS,
  usage: {
    about: 'credits: balance and what they were spent on',
    actions: [
      {
        ...get,
        verb: 'balance',
        takes: [],
        help: 'what can be spent',
        path: '/billing/balance',
        shows: 'answer',
      },
      {
        ...get,
        verb: 'month',
        takes: [],
        help: 'what a month was spent on: by day, task and outcome',
        path: '/billing/usage',
        query: { period: '<month>' },
        shows: 'answer',
      },
      {
        ...get,
        verb: 'callers',
        takes: [],
        help: 'by key and user',
        path: '/billing/usage/callers',
        query: { period: '<month>', by: '<key|user>' },
        shows: 'answer',
      },
      {
        ...get,
        verb: 'ledger',
        takes: [],
        help: 'each movement, the newest first',
        path: '/billing/ledger',
        query: { from: '<day>', to: '<day>', ...LIST },
        shows: [],
      },
    ],
  },
}

/** Reads `a=1` as `{ a: 1 }`. A value that is not JSON is a text. */
function paramsOf(param: string | true): Record<string, unknown> {
  const [name, ...rest] = String(param).split('=')
  const text = rest.join('=')
  if (!name || rest.length === 0)
    throw wrongUse('--param must be a name and a value: --param q=lamp')
  try {
    const value: unknown = JSON.parse(text)
    return { [name]: isObject(value) ? text : value }
  } catch {
    return { [name]: text }
  }
}

function endOf(expires: string): string {
  return new Date(Date.now() + parseDuration('--expires', expires)).toISOString()
}

/** The words of an action without its flags. Only a command with several actions has verbs. */
export function usageOf(command: string, { verb, takes }: ApiAction): string[] {
  const isOne = ACTIONS[command]?.actions.length === 1
  return ['seine', command, ...(isOne ? [] : [verb]), ...takes]
}

/** The help of a command. */
export function actionHelp(command: string): string {
  const { about, actions } = ACTIONS[command] ?? { about: '', actions: [] }
  const lines = actions.map((action) => {
    const flags = Object.entries({ ...action.query, ...action.flags }).map(([name, takes]) =>
      takes === '' ? `[--${name}]` : `[--${name} ${takes}]`,
    )
    const usage = [...usageOf(command, action), ...flags].join(' ')
    return `  ${usage}\n      ${action.help}\n`
  })
  return `seine ${command} – ${about}

${lines.join('')}
  --json                  the answer as JSON, for programs
  --out <file>            where a file goes; - is stdout
  --url <url>             a server, with its key in SEINE_KEY; SEINE_URL is the same
  --data, --store, --blobs, --config   data here, as for seine serve; --account <id> and --user <id> whose
  --allow-private-network localhost and private addresses in recipes, on data here
`
}
