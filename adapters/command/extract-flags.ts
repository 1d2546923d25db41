import { text } from 'node:stream/consumers'
import { commandName } from './command-name.ts'
import { wrongUse, wholeNumber } from './command-error.ts'
import { CONNECTION_FLAGS } from './api/connection.ts'
import type { ConnectionFlags } from './api/connection.ts'
import { checkInPlace, checkOutput, formatNamed, outputFormat } from './output-file.ts'
import type { OutputFormat } from './output-file.ts'
import type { RecipeFlags } from './detect/recipe-from-flags.ts'
import { isObject } from '../../src/kernel/json.ts'
import { parseFlags } from './settings/parse-flags.ts'
import { readJsonFile } from './settings/read-json.ts'

/** Rows of the table if `--limit` is not set. */
const SHOWN_ROWS = 10

/** The parsed arguments of `seine extract`. */
export interface ExtractRequest {
  /** Start addresses. Empty if those of the recipe are visited. */
  readonly urls: readonly string[]
  readonly resume: string | null
  /** Contents of the file of `--recipe`. */
  readonly recipe: {
    readonly file: string
    readonly value: { readonly [key: string]: unknown }
  } | null
  readonly flags: RecipeFlags
  /** The fields from flags alone. */
  readonly noDetection: boolean
  /** The path; `-` is stdout. */
  readonly out: { readonly path: string; readonly format: OutputFormat } | null
  /** The file that gets the recipe. */
  readonly saveRecipe: string | null
  /** Rows as JSON lines on stdout, not as a table. */
  readonly json: boolean
  /** Rows of the table. */
  readonly limit: number
  /** A Chromium's path, its URL, or `auto`. */
  readonly browser: string | null
  /** The data here, or a server elsewhere. */
  readonly where: ConnectionFlags
  readonly allowPrivateNetwork: boolean
}

/**
 * Reads the arguments. `null`: help was requested. Nothing is fetched unless all of them are valid.
 *
 * @throws {CommandError}
 */
export async function parseExtract(args: string[]): Promise<ExtractRequest | null> {
  const { values, positionals } = parseFlags('extract', {
    args,
    allowPositionals: true,
    options: {
      recipe: { type: 'string' },
      follow: { type: 'string', multiple: true },
      next: { type: 'string', multiple: true },
      items: { type: 'string' },
      field: { type: 'string', multiple: true },
      'no-detect': { type: 'boolean', default: false },
      pages: { type: 'string' },
      concurrency: { type: 'string' },
      'ignore-robots': { type: 'boolean' },
      delay: { type: 'string' },
      depth: { type: 'string' },
      scope: { type: 'string' },
      unique: { type: 'string' },
      header: { type: 'string', multiple: true },
      cookie: { type: 'string', multiple: true },
      render: { type: 'boolean' },
      browser: { type: 'string' },
      limit: { type: 'string' },
      json: { type: 'boolean', default: false },
      format: { type: 'string' },
      'save-recipe': { type: 'string' },
      out: { type: 'string' },
      resume: { type: 'string' },
      ...CONNECTION_FLAGS,
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) return null
  const urls = (await addressesOf(positionals)).map(addressOf)
  const pages = wholeNumber('--pages', values.pages, 1, 1_000_000)
  const concurrency = wholeNumber('--concurrency', values.concurrency, 1, 256)
  const depth = wholeNumber('--depth', values.depth, 0, 1_000)
  const delay = delayOf(values.delay)
  const flags: RecipeFlags = {
    ...(values.follow && { follow: values.follow }),
    ...(values.next && { next: values.next }),
    ...(values.items !== undefined && { items: values.items }),
    ...(values.field && { field: values.field }),
    ...(pages !== undefined && { pages }),
    ...(concurrency !== undefined && { concurrency }),
    ...(values['ignore-robots'] && { ignoreRobots: true }),
    ...(delay !== undefined && { delay }),
    ...(depth !== undefined && { depth }),
    ...(values.scope !== undefined && { scope: values.scope }),
    ...(values.unique !== undefined && {
      unique: values.unique.split(',').map((name) => name.trim()),
    }),
    ...(values.header && { header: values.header }),
    ...(values.cookie && { cookie: values.cookie }),
    ...((values.render || values.browser !== undefined) && { render: true }),
  }
  const shaping = Object.keys(flags).length > 0
  if (values.resume !== undefined && (urls.length > 0 || values.recipe !== undefined || shaping))
    throw wrongUse(
      '--resume continues with the saved recipe: only --out, --allow-private-network and what ' +
        'names the data (--data, --store, --url) can go with it',
    )
  if (values.resume !== undefined && values.data === ':memory:')
    throw wrongUse('--data :memory: keeps nothing to resume')
  if (values.recipe !== undefined && (values.follow ?? values.next ?? values.items ?? values.field))
    throw wrongUse(
      '--recipe already says what to visit and take; drop --follow, --next, --items and --field',
    )
  if (values.resume === undefined && values.recipe === undefined && urls.length === 0)
    throw wrongUse(
      `seine extract needs a <url>, such as: ${commandName()} extract https://example.com/`,
    )
  if (values.items !== undefined && !values.field)
    throw wrongUse('--items needs --field: which columns each item has')
  if (values['no-detect'] && !values.field)
    throw wrongUse('--no-detect needs --field: which columns a row has')
  if (values['save-recipe'] !== undefined) checkInPlace('--save-recipe', values['save-recipe'])
  return {
    urls,
    resume: values.resume ?? null,
    recipe:
      values.recipe === undefined
        ? null
        : { file: values.recipe, value: readRecipe(values.recipe) },
    flags,
    noDetection: values['no-detect'],
    out: outOf(values.out, values.format),
    saveRecipe: values['save-recipe'] ?? null,
    json: values.json,
    limit: wholeNumber('--limit', values.limit, 1, 1_000) ?? SHOWN_ROWS,
    browser: flags.render ? (values.browser ?? 'auto') : null,
    where: whereOf(values),
    allowPrivateNetwork: values['allow-private-network'] === true,
  }
}

function whereOf(values: ConnectionFlags): ConnectionFlags {
  const { url, key, account, user, data, store, blobs, config } = values
  const { 'allow-private-network': isOpen } = values
  return { url, key, account, user, data, store, blobs, config, 'allow-private-network': isOpen }
}

/** Addresses on the command line; `-` stands for those on stdin, one a line. */
async function addressesOf(texts: readonly string[]): Promise<string[]> {
  if (!texts.includes('-')) return [...texts]
  const lines = (await text(process.stdin)).split('\n').map((line) => line.trim())
  const addresses = lines.filter((line) => line !== '' && !line.startsWith('#'))
  if (addresses.length === 0) throw wrongUse('stdin has no address: one a line')
  return texts.flatMap((address) => (address === '-' ? addresses : [address]))
}

/** `500ms`, `2s` or `1m`, in ms. */
function delayOf(time: string | undefined): number | undefined {
  if (time === undefined) return undefined
  const [, count = '', unit = ''] = /^(\d{1,6})(ms|s|m)$/.exec(time) ?? []
  const factor = { ms: 1, s: 1_000, m: 60_000 }[unit]
  if (factor === undefined)
    throw wrongUse(`--delay must be a time such as 500ms, 2s or 1m, not "${time}"`)
  return Number(count) * factor
}

/** Checked before anything is fetched. */
function outOf(path: string | undefined, format: string | undefined): ExtractRequest['out'] {
  if (path === undefined) {
    if (format !== undefined) throw wrongUse('--format needs --out: - is stdout')
    return null
  }
  if (path === '-' && format === undefined)
    throw wrongUse('--out - needs --format, such as --format csv')
  const outputKind = format === undefined ? outputFormat(path) : formatNamed(format)
  if (path !== '-') checkOutput(path)
  return { path, format: outputKind }
}

/**
 * People type `example.com/list`, so a scheme is put before it. For this machine it is that of
 * development servers.
 */
function addressOf(address: string): string {
  const scheme = /^[a-z][a-z\d+.-]*:\/\//i.test(address)
    ? ''
    : /^(?:localhost|[\d.]+)(?::\d+)?(?:\/|$)/i.test(address)
      ? 'http://'
      : 'https://'
  const url = scheme + address
  const hasHost = scheme !== 'https://' || /^[^/?#]*\./.test(address)
  if (!hasHost || !URL.canParse(url.replaceAll(/[{}]/g, '')))
    throw wrongUse(`"${address}" is not a URL; quote selectors that contain spaces`)
  return url
}

function readRecipe(file: string): { readonly [key: string]: unknown } {
  const value = readJsonFile(`--recipe ${file}`, file)
  if (!isObject(value)) throw wrongUse(`--recipe ${file} does not hold a JSON object`)
  return value
}
