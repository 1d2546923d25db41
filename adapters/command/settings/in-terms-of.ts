import { CommandError } from '../command-error.ts'
import type { ReadSettings, SettingSource } from './read-settings.ts'
import { SETTING_NAMES, keyOf, settingOf, variableOf } from './table.ts'
import type { SettingName, Settings } from './table.ts'

/**
 * Runs `work` with settings, and rewrites its errors to name the places where the settings are.
 *
 * @throws the errors of `work`
 */
export async function usingSettings<T>(
  { settings, sources }: ReadSettings,
  work: (settings: Settings) => Promise<T>,
): Promise<T> {
  try {
    return await work(settings)
  } catch (error) {
    if (!(error instanceof AggregateError)) throw inTermsOf(sources, error)
    const refusals = error.errors.map((refusal: unknown) => inTermsOf(sources, refusal))
    throw new CommandError(refusals.map(messageOf).join('\n'), refusals.some(isWrongUse) ? 2 : 1)
  }
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

const isWrongUse = (error: unknown): boolean =>
  error instanceof CommandError && error.exitCode === 2

/**
 * Returns a refusal that names the places of its settings: `--key` becomes `SEINE_KEY` if that
 * variable is set, or `key in seine.config.json` if the setting is in a file. A missing setting is
 * named in the same way as the settings that need it. Any other error is returned unchanged.
 */
function inTermsOf(sources: readonly SettingSource[], error: unknown): unknown {
  if (!(error instanceof CommandError)) return error
  const { message, exitCode } = error
  const fileOf = ({ name, from }: SettingSource): string | null =>
    from.startsWith(`${keyOf(name)} in `) ? from.slice(keyOf(name).length + 4) : null
  const named = [...message.matchAll(FLAG)].flatMap(({ 1: flag = '' }) => settingNamed(flag) ?? [])
  const beside = sources.find(({ name, from }) => named.includes(name) && !from.startsWith('--'))
  const text = message.replace(FLAG, (flag: string, word: string) => {
    const name = settingNamed(word)
    if (name === null) return flag
    const source = sources.find((candidate) => candidate.name === name) ?? beside
    if (source === undefined || source.from.startsWith('--')) return flag
    const file = fileOf(source)
    const isOff = word !== name
    if (file !== null) return `${keyOf(name)}${isOff ? ': false' : ''} in ${file}`
    return source.name === name && !isOff ? source.from : `${variableOf(name)}${isOff ? '=0' : ''}`
  })
  // A setting with a structure is named by its path in it.
  const [, key = ''] = /^(\w+)\b/.exec(text) ?? []
  const own = sources.find(({ name }) => settingOf(name).isJson && keyOf(name) === key)
  const source = own === undefined ? null : (fileOf(own) ?? own.from)
  return new CommandError(source === null ? text : `${source}: ${text}`, exitCode)
}

const FLAG = /(?<![\w-])--([a-z][a-z-]*[a-z])/g

/** The setting that a flag sets, or switches off. `null`: it is not a setting. */
function settingNamed(flag: string): SettingName | null {
  const positive = flag.replace(/^no-/, '')
  return (
    SETTING_NAMES.find((name) => name === flag) ??
    SETTING_NAMES.find((name) => name === positive) ??
    null
  )
}
