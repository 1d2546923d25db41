import * as v from 'valibot'
import type { Rates } from 'seine'
import { wrongUse } from '../command-error.ts'
import type { LoggedRequests } from '../log-requests.ts'

/**
 * The forms of one setting: `schema` in a configuration file; `fromText` on the command line and in
 * the environment, which returns the value that the file would have.
 */
export interface Kind<Schema extends v.GenericSchema = v.GenericSchema> {
  readonly schema: Schema
  readonly fromText: (text: string) => unknown
  /** The value after the flag in its help. `null`: the flag is a switch without a value. */
  readonly takes: string | null
  /** The allowed words, alone or before a colon. They are used to recognise misspelt ones. */
  readonly words?: readonly string[]
  /** True if the text is JSON, or the name of a JSON file. */
  readonly isJson?: true
}

/**
 * Reads the value of a flag.
 *
 * @throws {CommandError} that names the flag
 */
export function valueOf<Schema extends v.GenericSchema>(
  flag: string,
  { schema, fromText }: Kind<Schema>,
  content: string,
): v.InferOutput<Schema> {
  const result = v.safeParse(schema, fromText(content))
  if (result.success) return result.output
  throw wrongUse(`${flag} ${result.issues[0].message}`)
}

const asIs = (text: string): unknown => text
const SWITCH: Readonly<Record<string, boolean>> = { 1: true, true: true, 0: false, false: false }

const TEXT = 'must be a text that is not empty'

/** A text that is not empty. */
export const text = (takes: string) => ({
  schema: v.pipe(v.string(TEXT), v.nonEmpty(TEXT)),
  fromText: asIs,
  takes,
})

/** One of some words. */
export const word = <const Words extends readonly string[]>(takes: string, words: Words) => ({
  schema: v.picklist(words, `must be ${listed(words)}`),
  fromText: asIs,
  takes,
  words,
})

const REQUESTS = 'must be off, errors, all, or a share such as 1/100'

/** Which requests are logged. */
export const loggedRequests = (takes: string) => ({
  schema: v.custom<LoggedRequests>(
    (value) => typeof value === 'string' && /^(?:off|errors|all|1\/[1-9]\d{0,5})$/.test(value),
    REQUESTS,
  ),
  fromText: asIs,
  takes,
  words: ['off', 'errors', 'all'],
})

/** A whole number. */
export const whole = (takes: string, least: number, most: number) => ({
  schema: v.custom<number>(
    (value) =>
      typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most,
    `must be a whole number from ${least} to ${most}`,
  ),
  fromText: (value: string): unknown => (/^\d{1,12}$/.test(value) ? Number(value) : value),
  takes,
})

/** On or off. */
export const onOff = {
  schema: v.boolean('must be true or false'),
  fromText: (value: string): unknown => SWITCH[value.toLowerCase()] ?? value,
  takes: null,
}

/** An http or https URL, without a query. */
export const httpUrl = (takes: string, example: string) => {
  const message = `must be a URL such as ${example}`
  return {
    schema: v.pipe(
      v.string(message),
      v.check((value) => URL.canParse(value) && /^https?:\/\/[^?#]+$/i.test(value), message),
    ),
    fromText: asIs,
    takes,
  }
}

const ISSUER =
  'must be a URL such as https://login.example.com, as it is in `iss`, or NAME=URL with a name of ' +
  'small letters, digits and -'
const issuer = v.pipe(
  v.string(ISSUER),
  v.check((value) => readIssuer(value) !== null, ISSUER),
)

/** Issuers of tokens: one URL, or several, each with a name that separates its accounts. */
export const issuers = (takes: string) => ({
  schema: v.union([issuer, v.pipe(v.array(issuer), v.minLength(1, 'must not be empty'))], ISSUER),
  fromText: parts,
  takes,
})

/** An issuer in the settings. `name`: `null` if it has no name. */
export interface NamedIssuer {
  readonly name: string | null
  readonly url: string
}

/** Reads `URL` or `NAME=URL`. `null`: it is neither. */
export function readIssuer(value: string): NamedIssuer | null {
  const [, name = null, url = ''] =
    /^(?:([a-z][a-z\d-]{0,31})=)?(https?:\/\/[^?#]+)$/i.exec(value) ?? []
  return URL.canParse(url) && name === (name?.toLowerCase() ?? null) ? { name, url } : null
}

/** The URL of a service of the deployment, with one of the allowed schemes. */
export const serviceUrl = (takes: string, schemes: readonly string[], words: readonly string[]) => {
  const message = `must be ${listed([...words, ...schemes.map((scheme) => `${scheme}:…`)])}`
  return {
    schema: v.pipe(
      v.string(message),
      v.check(
        (value) =>
          words.includes(value) ||
          schemes.some(
            (scheme) => value.startsWith(`${scheme}:`) && value.length > scheme.length + 1,
          ),
        message,
      ),
    ),
    fromText: asIs,
    takes,
    words: [...words, ...schemes],
  }
}

const TEXTS = 'must be a list of texts, such as ["one"]'

/** Texts. On the command line they are separated by commas. */
export const list = (takes: string) => ({
  schema: v.pipe(
    v.array(v.pipe(v.string(TEXTS), v.nonEmpty(TEXT)), TEXTS),
    v.minLength(1, 'must not be empty'),
  ),
  fromText: parts,
  takes,
})

const TOOLS = 'must be extended, or names of tools such as fetch,extract'

/** Tools for agents. The platform checks their names. */
export const tools = (takes: string) => ({
  schema: v.union(
    [v.literal('extended'), v.pipe(v.array(v.string(TOOLS), TOOLS), v.minLength(1, TOOLS))],
    TOOLS,
  ),
  fromText: (value: string): unknown => (value.trim() === 'extended' ? 'extended' : parts(value)),
  takes,
})

const PROXIES = 'must be addresses and networks, or a whole number from 0 to 100'

/** Addresses and networks of proxies, or their number. */
export const proxies = (takes: string) => ({
  schema: v.union(
    [
      v.pipe(
        v.number(PROXIES),
        v.integer(PROXIES),
        v.minValue(0, PROXIES),
        v.maxValue(100, PROXIES),
      ),
      v.array(v.string(PROXIES), PROXIES),
    ],
    PROXIES,
  ),
  fromText: (value: string): unknown => (/^\d+$/.test(value) ? Number(value) : parts(value)),
  takes,
})

const ORIGINS = 'must be * or origins such as https://app.example.com'

/** Origins whose pages may read answers. */
export const origins = (takes: string) => ({
  schema: v.union(
    [
      v.literal('*'),
      v.pipe(
        v.array(
          v.pipe(
            v.string(ORIGINS),
            v.check((origin) => URL.parse(origin)?.origin === origin, ORIGINS),
          ),
        ),
        v.minLength(1, ORIGINS),
      ),
    ],
    ORIGINS,
  ),
  fromText: (value: string): unknown => (value.trim() === '*' ? '*' : parts(value)),
  takes,
})

const SERVICES = ['tasks', 'analytics', 'billing', 'mcp', 'authentication'] as const
const RATE = /^([1-9]\d{0,8})\/([1-9]\d{0,5})(s|m|h)$/
const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 }
const A_RATE = 'must be a rate such as 120/60s, or off'
const rate = v.optional(
  v.union([v.literal('off'), v.pipe(v.string(A_RATE), v.regex(RATE, A_RATE))], A_RATE),
)

/** Rates by service: `{ "tasks": "120/60s", "mcp": "off" }`; as a text `tasks=120/60s,mcp=off`. */
export const rates = (takes: string) => ({
  schema: v.strictObject(
    { tasks: rate, analytics: rate, billing: rate, mcp: rate, authentication: rate },
    (issue) =>
      issue.expected === 'never'
        ? `is not a service; the services are ${SERVICES.join(', ')}`
        : 'must be rates such as tasks=120/60s or mcp=off',
  ),
  fromText: (value: string): unknown => {
    const pairs = parts(value).map((part) => part.split('='))
    return pairs.every((pair) => pair.length === 2) ? Object.fromEntries(pairs) : value
  },
  takes,
  words: SERVICES,
})

/** `120/60s`: 120 calls in 60 seconds, which may come at once. */
export function ratesOf(texts: v.InferOutput<ReturnType<typeof rates>['schema']>): Rates {
  return Object.fromEntries(
    Object.entries(texts).map(([service, value]) => {
      const [, limit, count, unit = ''] = RATE.exec(value ?? 'off') ?? []
      if (limit === undefined) return [service, false]
      const periodMs = Number(count) * (UNITS[unit] ?? 0)
      return [service, { limit: Number(limit), periodMs, burst: Number(limit) - 1 }]
    }),
  )
}

/** A value with a structure, as JSON or in a file of JSON. The platform checks its content. */
export const structure = <Value>(
  takes: string,
  expected: string,
  accepts: (value: unknown) => boolean,
) => ({
  schema: v.custom<Value>(accepts, `must be ${expected}`),
  fromText: asIs,
  takes,
  isJson: true as const,
})

function parts(value: string): string[] {
  return value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

function listed(words: readonly string[]): string {
  return words.length === 1
    ? (words[0] ?? '')
    : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}
