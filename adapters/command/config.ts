import { toJsonSchema } from '@valibot/to-json-schema'
import { createConsoleLogger } from 'seine'
import { namesInstead } from '../../src/kernel/names.ts'
import { wrongUse } from './command-error.ts'
import { CONFIG_HELP } from './help.ts'
import { openBucket } from './open-services.ts'
import { checkSettings, createOrExplain, platformOptions } from './platform-options.ts'
import { settingsHelp } from './settings/help.ts'
import { usingSettings } from './settings/in-terms-of.ts'
import { readFlags, readSettings } from './settings/read-settings.ts'
import { SETTING_NAMES, keyOf, settingOf } from './settings/table.ts'
import type { SettingName } from './settings/table.ts'
import { formatTable } from './table.ts'

const WIDTH = 100
const VERBS = ['check', 'settings', 'schema']
/** A platform in memory warns that nothing is kept. A check does not need this warning. */
const SILENT = createConsoleLogger({ level: 'silent' })

/** `seine config check|settings|schema`: the current settings, all settings, and their JSON Schema. */
export async function config(args: string[]): Promise<number> {
  const [command, ...rest] = args
  if (command === undefined || command === '--help' || command === '-h')
    return (void process.stdout.write(CONFIG_HELP), 0)
  if (command === 'check') return check(rest)
  if (rest.length > 0) throw wrongUse(`seine config ${command} takes no ${rest[0]}`)
  if (command === 'settings') return (void process.stdout.write(settingsHelp()), 0)
  if (command === 'schema')
    return (void process.stdout.write(`${JSON.stringify(configSchema(), null, 2)}\n`), 0)
  throw wrongUse(`seine config has no ${command}${namesInstead(command, VERBS)}`)
}

/** Checks all settings as `serve` would, without opening a store. */
async function check(args: string[]): Promise<number> {
  const flags = readFlags('config check', args)
  if (flags.help) return (void process.stdout.write(CONFIG_HELP), 0)
  const read = await readSettings(flags, process.env)
  const { sources } = read
  await usingSettings(read, async (settings) => {
    await checkSettings(settings)
    if (settings.blobs?.startsWith('s3:'))
      await (await openBucket(settings.blobs, process.env)).close()
    await createOrExplain({ ...(await platformOptions(settings)), logger: SILENT }).close()
  })
  const rows = SETTING_NAMES.map((name) => {
    const source = sources.find((candidate) => candidate.name === name)
    return {
      setting: keyOf(name),
      value: source ? shown(name, source.value) : settingOf(name).fallback,
      from: source?.from ?? 'default',
    }
  })
  process.stdout.write(
    formatTable({
      columns: ['setting', 'value', 'from'],
      rows,
      width: process.stdout.columns ?? WIDTH,
    }),
  )
  return 0
}

/** Services on this machine, without a password. */
const HERE = /^(?:memory|store|sqlite:.*)$/
const SERVICES: ReadonlySet<SettingName> = new Set(['store', 'queue', 'limiter'])

/** The value of a setting in the form in which people may see it. */
export function shown(name: SettingName, value: unknown): string {
  if (!settingOf(name).isSecret) return typeof value === 'string' ? value : JSON.stringify(value)
  const text = String(value)
  if (SERVICES.has(name) && HERE.test(text)) return text
  // The server of a URL, without its password.
  const url = /^[a-z]+:\/\//.test(text) ? URL.parse(text) : null
  return url === null ? '(secret)' : `${url.protocol}//${url.host}${url.pathname}`
}

/** The JSON Schema (draft 2020-12) of a configuration file. */
export function configSchema(): object {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'seine.config.json',
    type: 'object',
    additionalProperties: false,
    properties: {
      $schema: { type: 'string' },
      ...Object.fromEntries(SETTING_NAMES.map((name) => [keyOf(name), schemaOf(name)])),
    },
  }
}

function schemaOf(name: SettingName): object {
  const { schema, help, fallback } = settingOf(name)
  const { $schema: _, ...converted } = toJsonSchema(schema, { errorMode: 'ignore' })
  return { description: `${help}. Default: ${fallback}`, ...converted }
}
