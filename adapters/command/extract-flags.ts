import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { wrongUse, wholeNumber } from './command-error.ts'
import { DEFAULT_DATA } from './data-directory.ts'
import { outputFormat } from './output-file.ts'
import type { OutputFormat } from './output-file.ts'
import type { RecipeFlags } from './recipe-from-flags.ts'

/** The parsed arguments of `seine extract`. */
export interface ExtractRequest {
  readonly url: string | null
  readonly resume: string | null
  /** Contents of the file of `--recipe`. */
  readonly recipe: {
    readonly file: string
    readonly value: { readonly [key: string]: unknown }
  } | null
  readonly flags: RecipeFlags
  readonly out: { readonly path: string; readonly format: OutputFormat } | null
  readonly data: string
  readonly allowPrivateNetwork: boolean
}

/**
 * Reads the arguments; `null`: help was asked for. Nothing is fetched before all of them are right.
 *
 * @throws {CommandError}
 */
export function parseExtract(args: string[]): ExtractRequest | null {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      recipe: { type: 'string' },
      follow: { type: 'string', multiple: true },
      next: { type: 'string', multiple: true },
      items: { type: 'string' },
      field: { type: 'string', multiple: true },
      pages: { type: 'string' },
      concurrency: { type: 'string' },
      'ignore-robots': { type: 'boolean' },
      out: { type: 'string' },
      data: { type: 'string', default: DEFAULT_DATA },
      resume: { type: 'string' },
      'allow-private-network': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) return null
  const [pageUrl, ...more] = positionals
  if (more.length > 0)
    throw wrongUse(
      `seine extract takes one <url>, not ${positionals.length}; quote selectors that contain spaces`,
    )
  const pages = wholeNumber('--pages', values.pages, 1, 1_000_000)
  const concurrency = wholeNumber('--concurrency', values.concurrency, 1, 256)
  const flags: RecipeFlags = {
    ...(values.follow && { follow: values.follow }),
    ...(values.next && { next: values.next }),
    ...(values.items !== undefined && { items: values.items }),
    ...(values.field && { field: values.field }),
    ...(pages !== undefined && { pages }),
    ...(concurrency !== undefined && { concurrency }),
    ...(values['ignore-robots'] && { ignoreRobots: true }),
  }
  const shaping = Object.keys(flags).length > 0
  if (
    values.resume !== undefined &&
    (pageUrl !== undefined || values.recipe !== undefined || shaping)
  )
    throw wrongUse(
      '--resume continues with the saved recipe: only --out, --data and ' +
        '--allow-private-network can go with it',
    )
  if (values.resume !== undefined && values.data === ':memory:')
    throw wrongUse('--data :memory: keeps nothing to resume')
  if (values.recipe !== undefined && (values.follow ?? values.next ?? values.items ?? values.field))
    throw wrongUse(
      '--recipe already says what to visit and take; drop --follow, --next, --items and --field',
    )
  if (values.resume === undefined && values.recipe === undefined && pageUrl === undefined)
    throw wrongUse('seine extract needs a <url>, such as: seine extract https://example.com/')
  if (values.items !== undefined && !values.field)
    throw wrongUse('--items needs --field: which columns each item has')
  return {
    url: pageUrl === undefined ? null : addressOf(pageUrl),
    resume: values.resume ?? null,
    recipe:
      values.recipe === undefined
        ? null
        : { file: values.recipe, value: readRecipe(values.recipe) },
    flags,
    out: values.out === undefined ? null : { path: values.out, format: outputFormat(values.out) },
    data: values.data,
    allowPrivateNetwork: values['allow-private-network'],
  }
}

/**
 * `example.com/list` is what people type; a scheme is put before it, that of development servers
 * for this machine.
 */
function addressOf(text: string): string {
  const scheme = /^[a-z][a-z\d+.-]*:\/\//i.test(text)
    ? ''
    : /^(?:localhost|[\d.]+)(?::\d+)?(?:\/|$)/i.test(text)
      ? 'http://'
      : 'https://'
  const url = scheme + text
  if (!URL.canParse(url.replaceAll(/[{}]/g, ''))) throw wrongUse(`"${text}" is not a URL`)
  return url
}

function readRecipe(file: string): { readonly [key: string]: unknown } {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new Error('it does not hold a JSON object')
    return { ...value }
  } catch (error) {
    throw wrongUse(`--recipe ${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
