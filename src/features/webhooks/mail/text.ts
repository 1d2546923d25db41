import { isObject } from '../../../kernel/json.ts'
import type { WebhookDeliveryRecord } from '../records.ts'
import { DAY_MS } from '../../../kernel/time.ts'
import { ASKING_PERIOD_MS, CODE_MS, MOST_ASKED } from './parts.ts'
import type { MailParts } from './parts.ts'

/** Subject and text of a message. */
export interface MailText {
  readonly subject: string
  readonly text: string
}

/** Maximum number of lines with facts, and of characters in a line. */
const MOST_FACTS = 30
const LONGEST_FACT = 300
const DEEPEST = 3

/** Addresses in a message. */
interface Links extends Pick<MailParts, 'base'> {
  /** The URL of the page that ends messages. `null`: no address of the platform is known. */
  readonly end: string | null
}

/** Subjects by the type of the event. An unknown type, of a later version, is its own subject. */
const SUBJECTS: Readonly<Record<string, string>> = {
  'execution.started': 'A run has started',
  'execution.succeeded': 'A run has ended',
  'execution.failed': 'A run has failed',
  'execution.cancelled': 'A run was cancelled',
  'dataset.changed': 'A dataset has changed',
  'task.drift': 'A column of a task is much emptier than before',
  'task.relocation': 'New sources were searched for columns of a task',
  'task.repaired': 'A task was repaired',
  'schedule.refused': 'A schedule may no longer start runs',
  'balance.low': 'The credits are running low',
  'webhook.disabled': 'A webhook was disabled',
  'webhook.test': 'A test',
}

/** Facts about a run that a person wants to know. A link leads to further facts. */
const RUN_FACTS: readonly string[] = [
  'id',
  'taskId',
  'status',
  'reason',
  'finishedAt',
  'counters.rows',
  'counters.fetched',
  'counters.failed',
  'counters.blocked',
  'cost.credits',
]

/**
 * The message that asks a person for consent. It contains no text from the account, so that nobody
 * can send their own text to strangers.
 */
export function askingText(
  code: string,
  { base, end, askedAt }: Links & { readonly askedAt: number },
): MailText {
  const [day, time] = new Date(askedAt + CODE_MS).toISOString().split(/[T.]/)
  return {
    subject: 'Seine: confirm this address',
    text: [
      `Somebody wants messages of ${base === null ? 'a Seine server' : base} to be sent to this address.`,
      '',
      'If you want them, confirm with this code:',
      '',
      `    ${code}`,
      '',
      `Give it to the person who added your address. It is valid until ${day} ${time} UTC.`,
      'If you do not want messages, do nothing: without the code none are sent. A message with a',
      `code comes at most ${MOST_ASKED} times in ${ASKING_PERIOD_MS / DAY_MS} days, whoever asks for it.`,
      ...(end === null ? [] : ['', 'On this page you can stop these requests for good:', end]),
      '',
    ].join('\n'),
  }
}

/** The message about an event: what has happened, facts, and a link. */
export function eventText(
  { webhook, type, body }: WebhookDeliveryRecord,
  account: string,
  links: Links & Pick<MailParts, 'consolePath'>,
): MailText {
  const event: unknown = JSON.parse(body)
  const data = isObject(event) && isObject(event['data']) ? event['data'] : {}
  const time = isObject(event) ? line(event['timestamp']) : ''
  const run = type.startsWith('execution.') ? data['execution'] : null
  const facts = isObject(run)
    ? RUN_FACTS.flatMap((name) => factOf(name, memberAt(run, name)))
    : factsIn(data, '', DEEPEST)
  const link = linkTo(type, data, links)
  const what = SUBJECTS[type] ?? line(type)
  return {
    subject: `Seine: ${what}`,
    text: [
      `${what}. (${line(type)}, ${time})`,
      '',
      ...facts.slice(0, MOST_FACTS),
      ...(link === null ? [] : ['', link]),
      '',
      '-- ',
      `You have confirmed that the account ${line(account)} may send you these messages.`,
      ...(links.end === null
        ? [`To stop them, ask the person with your code: they can delete the webhook ${webhook}.`]
        : ['On this page you can stop them:', links.end]),
      '',
    ].join('\n'),
  }
}

/** A member by its path of names. */
function memberAt(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((member, name) => (isObject(member) ? member[name] : undefined), value)
}

/** Every value in data that is neither a list nor an object, with its path. */
function factsIn(value: unknown, path: string, depth: number): string[] {
  if (!isObject(value) && !Array.isArray(value)) return factOf(path, value)
  if (depth === 0) return []
  return Object.entries(value).flatMap(([name, member]) =>
    factsIn(member, path === '' ? name : `${path}.${name}`, depth - 1),
  )
}

function factOf(name: string, value: unknown): string[] {
  return value === undefined || value === null || value === ''
    ? []
    : [`${line(name)}: ${line(value)}`]
}

/** A value as a part of one line, so that texts of sites and accounts cannot imitate further lines. */
function line(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text
    .slice(0, LONGEST_FACT)
    .toWellFormed()
    .replace(/[\0-\x1f\x7f-\x9f\u2028\u2029]+/g, ' ')
}

/** The link to all facts: in the console, or in the API for a platform without a console. */
function linkTo(
  type: string,
  data: Readonly<Record<string, unknown>>,
  { base, consolePath }: Pick<MailParts, 'base' | 'consolePath'>,
): string | null {
  if (base === null) return null
  const { execution, datasetId, taskId } = data
  const run = isObject(execution) ? execution['id'] : null
  const [screen, path, id] = type.startsWith('execution.')
    ? (['run', 'executions', run] as const)
    : type.startsWith('dataset.')
      ? (['dataset', 'datasets', datasetId] as const)
      : (['task', 'tasks', taskId] as const)
  const home = consolePath === null ? null : base + consolePath
  if (typeof id !== 'string') return home
  const encoded = encodeURIComponent(id)
  return home === null ? `${base}/api/v1/${path}/${encoded}` : `${home}/${screen}?id=${encoded}`
}
