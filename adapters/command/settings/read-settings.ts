import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ParseArgsConfig } from 'node:util'
import * as v from 'valibot'
import { isObject } from '../../../src/kernel/json.ts'
import { nameMeant, namesInstead } from '../../../src/kernel/names.ts'
import { CommandError, wrongUse } from '../command-error.ts'
import { parseFlags } from './parse-flags.ts'
import { jsonFrom, parseFile } from './read-json.ts'
import { SETTING_NAMES, keyOf, settingOf, variableOf } from './table.ts'
import type { SettingName, Settings } from './table.ts'

/** Variables of the process by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The origin of a setting's value. */
export interface SettingSource {
  readonly name: SettingName
  /** `--port`, `SEINE_PORT`, or `port in seine.config.json`. */
  readonly from: string
  readonly value: unknown
}

/** The values of the settings, and the source of each. */
export interface ReadSettings {
  readonly settings: Settings
  /** Only settings that are set, in the order of the table. */
  readonly sources: readonly SettingSource[]
}

/** Names of the files that are looked for in the current folder. */
const FILES = ['seine.config.ts', 'seine.config.mjs', 'seine.config.js', 'seine.config.json']
/** Variables of commands that call a server. They are not settings of the server. */
const OTHER_VARIABLES = new Set(['SEINE_CONFIG', 'SEINE_URL'])
/** Values that switch a setting off, even one with a structure. */
const OFF = new Set(['0', 'off', 'false'])
/** Maximum number of characters of a secret, which is one line. */
const LONGEST_SECRET = 10_000

/**
 * Reads the settings of a server: from flags, else from variables, else from a configuration file,
 * which is that of `--config` or `SEINE_CONFIG`, or `seine.config.{ts,mjs,js,json}` in `folder`.
 *
 * @throws {CommandError} that names each unknown and each wrong setting, and where it stands
 */
export async function readSettings(
  flags: Flags,
  env: Environment,
  folder = process.cwd(),
): Promise<ReadSettings> {
  const file = await readFile(flags.config ?? env['SEINE_CONFIG'], folder)
  const problems: string[] = [...file.problems, ...unknownVariables(env)]
  const sources: SettingSource[] = []
  const entries: [string, unknown][] = []
  for (const name of SETTING_NAMES) {
    const set =
      fromFlag(name, flags.values, folder) ?? fromVariable(name, env, folder) ?? file.find(name)
    if (set === null) continue
    const result = v.safeParse(settingOf(name).schema, set.value)
    if (result.success) {
      sources.push({ name, ...set })
      entries.push([keyOf(name), result.output])
    } else problems.push(...problemsOf(name, set, result.issues))
  }
  if (problems.length > 0) throw wrongUse(problems.join('\n'))
  return { settings: settingsOf(entries), sources }
}

/** Each setting's schema has returned these values. */
function settingsOf(entries: readonly [string, unknown][]): Settings {
  return Object.fromEntries(entries)
}

type Found = Omit<SettingSource, 'name'>

/** The settings of a command line. */
export interface Flags {
  readonly config?: string | undefined
  /** By name of the setting. */
  readonly values: { readonly [Name in SettingName]?: Flag | readonly Flag[] | undefined }
}

type Flag = string | boolean

/** A command line that takes all settings. */
interface CommandLine extends Flags {
  readonly help: boolean
  /** Flags that the command has beside the settings. */
  readonly own: { readonly [name: string]: Flag | readonly Flag[] | undefined }
  /** Words that are not flags. */
  readonly words: readonly string[]
}

/**
 * Reads a command line that accepts all settings. `command`: for messages. `own`: its own flags, if
 * it also accepts words.
 */
export function readFlags(
  command: string,
  args: string[],
  own?: NonNullable<ParseArgsConfig['options']>,
): CommandLine {
  const options = SETTING_NAMES.map((name) => {
    const { takes, isRepeated = false } = settingOf(name)
    const type = takes === null ? ('boolean' as const) : ('string' as const)
    return [name, { type, multiple: isRepeated }] as const
  })
  // The parser supports negation only for switches.
  const negated = SETTING_NAMES.filter(takesFalse).map(
    (name) => [`no-${name}`, { type: 'boolean' as const }] as const,
  )
  const { values, positionals } = parseFlags(command, {
    args,
    allowNegative: true,
    allowPositionals: own !== undefined,
    options: {
      ...Object.fromEntries(options),
      ...Object.fromEntries(negated),
      ...own,
      config: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  const { config, help } = values
  return {
    help: help === true,
    config: typeof config === 'string' ? config : undefined,
    values: Object.fromEntries(Object.entries(values)),
    own: values,
    words: positionals,
  }
}

function fromFlag(name: SettingName, values: Flags['values'], folder: string): Found | null {
  const flag = values[name]
  if (flag === undefined) return null
  if (typeof flag === 'boolean') return { from: `--${name}`, value: flag }
  return fromText(name, `--${name}`, typeof flag === 'string' ? flag : flag.join(','), folder)
}

function fromVariable(name: SettingName, env: Environment, folder: string): Found | null {
  const variable = variableOf(name)
  const text = env[variable]
  const path = settingOf(name).isSecret ? env[`${variable}_FILE`] : undefined
  if (text && path) throw wrongUse(`${variable} and ${variable}_FILE are both set; choose one`)
  if (path)
    return fromText(name, `${variable}_FILE`, secretIn(`${variable}_FILE`, path, folder), folder)
  return text ? fromText(name, variable, text, folder) : null
}

/** True for a setting with a structure that may be `false`. */
function takesFalse(name: SettingName): boolean {
  const { isJson = false, schema } = settingOf(name)
  return isJson && v.is(schema, false)
}

function fromText(name: SettingName, from: string, text: string, folder: string): Found {
  const { isJson, fromText: read } = settingOf(name)
  if (!isJson) return { from, value: read(text) }
  return takesFalse(name) && OFF.has(text.trim().toLowerCase())
    ? { from, value: false }
    : jsonFrom(from, text, folder)
}

/** The secret in a variable, or in the file that its `_FILE` variable names. */
export function secretOf(
  name: SettingName,
  env: Environment,
  folder = process.cwd(),
): string | undefined {
  const secret = fromVariable(name, env, folder)?.value
  return typeof secret === 'string' ? secret : undefined
}

function secretIn(variable: string, path: string, folder: string): string {
  try {
    const text = readFileSync(resolve(folder, path), 'utf8').trim()
    if (text === '' || text.length > LONGEST_SECRET || text.includes('\n'))
      throw wrongUse(`${variable}: ${path} must hold one line with the secret`)
    return text
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    throw wrongUse(`${variable}: ${path} cannot be read (${String(error.code)})`)
  }
}

/** Unknown variables are refused, because a misspelt one could be a limit that has no effect. */
function unknownVariables(env: Environment): string[] {
  const names = SETTING_NAMES.flatMap((name) =>
    settingOf(name).isSecret ? [variableOf(name), `${variableOf(name)}_FILE`] : [variableOf(name)],
  )
  return Object.keys(env)
    .filter((name) => name.startsWith('SEINE_') && env[name] !== '')
    .filter((name) => !names.includes(name) && !OTHER_VARIABLES.has(name))
    .map((name) => `There is no setting ${name}${namesInstead(name, names)}`)
}

interface ConfigFile {
  readonly problems: readonly string[]
  readonly find: (name: SettingName) => Found | null
}

async function readFile(named: string | undefined, folder: string): Promise<ConfigFile> {
  const name = named ?? FILES.find((candidate) => existsSync(resolve(folder, candidate)))
  if (name === undefined) return { problems: [], find: () => null }
  const config = await load(name, resolve(folder, name))
  if (!isObject(config)) throw wrongUse(`${name} must hold an object of settings`)
  const keys = SETTING_NAMES.map(keyOf)
  return {
    // `$schema` names the schema for editors.
    problems: Object.keys(config)
      .filter((key) => key !== '$schema' && !keys.includes(key))
      .map((key) => `${name}: there is no setting ${key}${namesInstead(key, keys)}`),
    find: (setting) => {
      const value = config[keyOf(setting)]
      const from = `${keyOf(setting)} in ${name}`
      if (value === undefined) return null
      // The path of a file is relative to the configuration file that names it, wherever the server
      // is started.
      return settingOf(setting).isJson && typeof value === 'string'
        ? fromText(setting, from, value, dirname(resolve(folder, name)))
        : { from, value }
    },
  }
}

async function load(name: string, path: string): Promise<unknown> {
  try {
    if (name.endsWith('.json')) return parseFile(name, readFileSync(path, 'utf8'))
    const loaded: unknown = await import(pathToFileURL(path).href)
    return isObject(loaded) ? loaded['default'] : loaded
  } catch (error) {
    if (error instanceof CommandError) throw error
    const code = error instanceof Error && 'code' in error ? error.code : null
    if (code === 'ENOENT' || code === 'ERR_MODULE_NOT_FOUND')
      throw wrongUse(`${name} does not exist, or imports what does not`)
    if (code === 'ERR_UNKNOWN_FILE_EXTENSION')
      throw wrongUse(`${name} needs Node 22.18 or later; with an older one write seine.config.json`)
    throw wrongUse(
      `${name} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

/** One line for each problem. Values are not repeated, because they may be secrets. */
function problemsOf(
  name: SettingName,
  { from, value }: Found,
  issues: readonly v.BaseIssue<unknown>[],
): string[] {
  const { isSecret, isJson, words = [] } = settingOf(name)
  return issues.map((issue) => {
    // The text of the issue names the wrong part of a list.
    const path = v.getDotPath(issue)?.replace(/(^|\.)\d+$/, '') || null
    const wrong = issue.path ? issue.input : value
    // A text is not shown, because it may come from a wrong file.
    const isHidden = isSecret || typeof wrong === 'object' || (isJson && typeof wrong === 'string')
    const shown = isHidden ? '' : `, not ${JSON.stringify(wrong)}`
    const suggestion = typeof wrong === 'string' ? nameMeant(wrong.split(':')[0] ?? '', words) : ''
    return `${from}${path === null ? '' : `, ${path}`} ${issue.message}${shown}${suggestion}`
  })
}
