import type * as v from 'valibot'
import type { PreviewLimits, PriceTable, Tariff } from 'seine'
import { isObject } from '../../../src/kernel/json.ts'
import {
  httpUrl,
  issuers,
  list,
  loggedRequests,
  onOff,
  origins,
  proxies,
  rates,
  serviceUrl,
  structure,
  text,
  tools,
  whole,
  word,
} from './kinds.ts'
import type { Kind } from './kinds.ts'

/** One setting of `seine serve`. Its name is that of the flag. */
export interface Setting extends Kind {
  /** The heading of its group. */
  readonly group: 'server' | 'data' | 'callers' | 'limits' | 'pages' | 'worker' | 'mail' | 'logs'
  readonly help: string
  /** The default as a text for people. */
  readonly fallback: string
  /** True if the value is never shown, and may be read from a file: `SEINE_KEY_FILE`. */
  readonly isSecret?: true
  /** True if its flag may be given several times. */
  readonly isRepeated?: true
}

/**
 * All settings. Flags, variables, the file's schema, the help and the documentation are made from
 * this table.
 */
export const SETTINGS = {
  port: {
    ...whole('<n>', 0, 65_535),
    group: 'server',
    help: 'port of HTTP; 0 picks a free one',
    fallback: '3000',
  },
  host: {
    ...text('<h>'),
    group: 'server',
    help: 'address to listen on; 0.0.0.0 for all of the machine',
    fallback: '127.0.0.1',
  },
  'public-url': {
    ...httpUrl('<url>', 'https://data.example.com'),
    group: 'server',
    help: 'URL at which clients reach it; links in answers begin with it',
    fallback: 'that of the request',
  },
  'trust-proxy': {
    ...proxies('<list>'),
    group: 'server',
    help: 'trusted proxies in front of it: their addresses and networks, or their number',
    fallback: 'none',
  },
  'proxy-header': {
    ...word('<name>', ['x-forwarded-for', 'forwarded']),
    group: 'server',
    help: 'x-forwarded-for (with X-Forwarded-Proto, -Host, -Prefix), or forwarded',
    fallback: 'x-forwarded-for',
  },
  cors: {
    ...origins('<origins>'),
    group: 'server',
    help: 'origins whose pages may read answers, or *',
    fallback: 'none',
  },
  console: {
    ...onOff,
    group: 'server',
    help: 'the console for people, at /console',
    fallback: 'on',
  },
  operator: {
    ...onOff,
    group: 'server',
    help: "the operator's API, for keys with the scope operator",
    fallback: 'on',
  },
  'metrics-port': {
    ...whole('<n>', 0, 65_535),
    group: 'server',
    help: 'also serve /metrics for Prometheus, on a port of its own; 0 picks a free one',
    fallback: 'no metrics',
  },
  data: {
    ...text('<dir>'),
    group: 'data',
    help: 'data directory; :memory: keeps nothing',
    fallback: '.seine',
  },
  durability: {
    ...word('<d>', ['normal', 'full']),
    group: 'data',
    help:
      'full: commits and files are on the disk before they are confirmed, slower; normal: a power ' +
      'loss may lose the last ones',
    fallback: 'normal',
  },
  store: {
    ...serviceUrl('<url>', ['sqlite', 'postgres', 'postgresql', 'redis', 'rediss'], ['memory']),
    group: 'data',
    help: 'where records are: sqlite:FILE, postgres://…, redis://… or memory',
    fallback: 'SQLite in the data directory',
    isSecret: true,
  },
  blobs: {
    ...serviceUrl('<url>', ['file', 's3'], ['memory']),
    group: 'data',
    help:
      'where rows and files are: file:DIR, s3://BUCKET?endpoint=URL&region=R (with the variables ' +
      'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY) or memory',
    fallback: 'a folder in the data directory',
  },
  queue: {
    ...serviceUrl('<url>', ['redis', 'rediss', 'postgres', 'postgresql'], ['store']),
    group: 'data',
    help: 'job queue: store, or BullMQ on redis://… or postgres://…',
    fallback: 'store',
    isSecret: true,
  },
  limiter: {
    ...serviceUrl('<url>', ['redis', 'rediss'], ['memory', 'store']),
    group: 'data',
    help: 'where calls are counted for rates: memory (of one process), store or redis://…',
    fallback: 'memory; store if records are not in SQLite',
    isSecret: true,
  },
  key: {
    ...text('<svc_sk_…>'),
    group: 'callers',
    help: 'also accept this key, with scope * on the account "default"',
    fallback: 'none',
    isSecret: true,
  },
  'jwt-issuer': {
    ...issuers('<url>'),
    group: 'callers',
    help:
      'also accept tokens of this OpenID Connect issuer, as it is in "iss"; each user, or ' +
      'organisation (org_id), has an account. Several, repeated or with commas, need names: ' +
      'NAME=URL, whose accounts are NAME:ACCOUNT',
    fallback: 'none',
    isRepeated: true,
  },
  'jwt-audience': {
    ...list('<aud>'),
    group: 'callers',
    help: 'the "aud" that tokens must have: one of several, with commas',
    fallback: 'none',
    isRepeated: true,
  },
  'mcp-tools': {
    ...tools('<names>'),
    group: 'callers',
    help:
      'tools that agents may use at /mcp: extended for all, or names with commas; a client takes ' +
      'a part of them with /mcp?tools=',
    fallback: 'the six',
  },
  'mcp-confirm-above': {
    ...whole('<credits>', 0, 999_999_999_999),
    group: 'callers',
    help:
      'ask the user of an agent before a call that may cost more credits than this, if its client ' +
      'can ask',
    fallback: 'nothing is asked',
  },
  rate: {
    ...rates('<service=rate>'),
    group: 'limits',
    help:
      'calls of a user, such as tasks=120/60s or mcp=off; repeat it. Services: tasks, analytics, ' +
      'billing, mcp, authentication',
    fallback: '120/60s each',
    isRepeated: true,
  },
  'rate-limit': {
    ...onOff,
    group: 'limits',
    help: 'rate limits',
    fallback: 'on',
  },
  previews: {
    ...structure<PreviewLimits | false>(
      '<file|json>',
      'an object, or false',
      (value) => value === false || isObject(value),
    ),
    group: 'limits',
    help:
      'previews of a user a day, as JSON or the path of a file of JSON: ' +
      '{"perDay":200,"perScope":50,"urls":10}, or false',
    fallback: 'see docs/limits.md',
  },
  plans: {
    ...structure<Tariff['plans']>(
      '<file|json>',
      'a list of plans',
      (value) => Array.isArray(value) && value.length > 0,
    ),
    group: 'limits',
    help:
      'plans of accounts, as in billing.plans of createPlatform: the path of a file of JSON, or the ' +
      'JSON itself',
    fallback: 'one plan without limits',
  },
  prices: {
    ...structure<PriceTable>('<file|json>', 'an object', isObject),
    group: 'limits',
    help:
      'credits of a page by its outcome, as in billing.prices: {"fetched":1}, or the path of a file ' +
      'with such an object',
    fallback: '1 for a fetched page',
  },
  'allow-private-network': {
    ...onOff,
    group: 'pages',
    help: 'allow tasks to fetch localhost and private addresses',
    fallback: 'off',
  },
  'user-agent': {
    ...text('<text>'),
    group: 'pages',
    help: 'User-Agent of requests to sites',
    fallback: 'that of Seine',
  },
  browser: {
    ...text('<path|url>'),
    group: 'pages',
    help:
      'renders pages: the path of a Chromium, ws://… or http://… of one that runs (CDP), or auto; ' +
      'needs playwright-core',
    fallback: 'none',
  },
  'browser-sandbox': {
    ...onOff,
    group: 'pages',
    help: "Chromium's sandbox; it cannot be on for root",
    fallback: 'on',
  },
  'search-url': {
    ...httpUrl('<url>', 'https://search.example.com'),
    group: 'pages',
    help: 'SearXNG instance for web searches of agents. Without one they search fetched pages',
    fallback: 'none',
  },
  'search-on-private-network': {
    ...onOff,
    group: 'pages',
    help: 'the instance may be on localhost or a private address, over http',
    fallback: 'off',
  },
  'brave-key': {
    ...text('<key>'),
    group: 'pages',
    help: 'key of Brave Search, instead of a SearXNG instance',
    fallback: 'none',
    isSecret: true,
  },
  'model-url': {
    ...httpUrl('<url>', 'https://api.openai.com/v1'),
    group: 'pages',
    help: 'OpenAI-compatible endpoint for fields that a model reads',
    fallback: 'none',
  },
  model: {
    ...text('<name>'),
    group: 'pages',
    help: "the endpoint's name of the model",
    fallback: 'none',
  },
  'model-key': {
    ...text('<key>'),
    group: 'pages',
    help: 'its key',
    fallback: 'none',
    isSecret: true,
  },
  'model-on-private-network': {
    ...onOff,
    group: 'pages',
    help: 'the endpoint may be on localhost or a private address, over http',
    fallback: 'off',
  },
  worker: {
    ...onOff,
    group: 'worker',
    help: 'a worker for jobs; other processes on the same store may run them',
    fallback: 'on',
  },
  'worker-concurrency': {
    ...whole('<n>', 1, 1_000),
    group: 'worker',
    help: 'executions at the same time in this process',
    fallback: '4',
  },
  'worker-share': {
    ...whole('<n>', 1, 1_000),
    group: 'worker',
    help: 'processes that visit the pages of one execution together',
    fallback: '1',
  },
  mail: {
    ...serviceUrl('<url>', ['smtp', 'smtps'], []),
    group: 'mail',
    help:
      'server that sends events to confirmed addresses: smtp://USER:PASSWORD@HOST:587, which starts ' +
      'TLS, or smtps://…',
    fallback: 'none',
    isSecret: true,
  },
  'mail-from': {
    ...text('<address>'),
    group: 'mail',
    help: 'sender of messages: seine@example.com, or "Seine <seine@example.com>"',
    fallback: 'none',
  },
  'mail-on-private-network': {
    ...onOff,
    group: 'mail',
    help: 'the server may go without TLS, as it is in your own network',
    fallback: 'off',
  },
  'log-format': {
    ...word('<f>', ['text', 'json']),
    group: 'logs',
    help: 'lines on stderr for people, or one JSON object a line',
    fallback: 'text',
  },
  'log-level': {
    ...word('<l>', ['debug', 'info', 'warn', 'error']),
    group: 'logs',
    help: 'lowest level that is written; info has a line for each run that ends',
    fallback: 'warn; info if the format is json',
  },
  'log-requests': {
    ...loggedRequests('<r>'),
    group: 'logs',
    help:
      'a line for each HTTP request: off, errors (a status of 500 and above), all, or 1/100 for ' +
      'errors and one in a hundred of the others',
    fallback: 'off',
  },
} as const satisfies Readonly<Record<string, Setting>>

/** The name of a setting, which is also the name of its flag. */
export type SettingName = keyof typeof SETTINGS

/** `public-url` as `publicUrl`. */
export type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name

/** Values of settings by their names in a configuration file. Absent: not set. */
export type Settings = {
  readonly [Name in SettingName as CamelCase<Name>]?: v.InferOutput<
    (typeof SETTINGS)[Name]['schema']
  >
}

/** {@link Settings} in a configuration file. A structure may also be the path of its file. */
export type ConfigSettings = {
  readonly [Key in keyof Settings]:
    | Settings[Key]
    | (Key extends 'plans' | 'prices' | 'previews' ? string : never)
}

/** All names, in the order of the table. */
export const SETTING_NAMES = Object.keys(SETTINGS).filter(isSettingName)

/** True if a setting has this name. */
export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name)
}

/** `public-url` as the key of a configuration file: `publicUrl`. */
export function keyOf(name: SettingName): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** `public-url` as a variable: `SEINE_PUBLIC_URL`. */
export function variableOf(name: SettingName): string {
  return `SEINE_${name.toUpperCase().replaceAll('-', '_')}`
}

/** A setting of the table, with the members that only some settings have. */
export function settingOf(name: SettingName): Setting {
  return SETTINGS[name]
}
