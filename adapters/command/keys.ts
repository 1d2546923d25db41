import { parseArgs } from 'node:util'
import { createPlatform } from 'seine'
import { wrongUse, parseDuration } from './command-error.ts'
import { stderrLogger } from './stderr-logger.ts'
import { IN_MEMORY, OWNER } from './data-directory.ts'
import { KEYS_HELP } from './help.ts'
import { DATA_FLAGS, openServices } from './open-services.ts'
import { readSettings } from './settings/read-settings.ts'

/** `seine keys create`: the key alone on stdout, so that it can be captured; the rest on stderr. */
export async function keys(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      name: { type: 'string', default: 'command line' },
      scopes: { type: 'string', default: '*' },
      expires: { type: 'string' },
      ...DATA_FLAGS,
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) return (void process.stdout.write(KEYS_HELP), 0)
  if (positionals.join(' ') !== 'create') throw wrongUse(`seine keys has one command: create`)
  const scopes = values.scopes.split(',').map((scope) => scope.trim())
  const expiresAt =
    values.expires === undefined
      ? undefined
      : new Date(Date.now() + parseDuration('--expires', values.expires)).toISOString()
  const { config, data, store, blobs } = values
  const { settings } = await readSettings({ config, values: { data, store, blobs } }, process.env)
  if (settings.data === IN_MEMORY && settings.store === undefined)
    throw wrongUse('--data :memory: keeps no keys; name a directory')
  const services = await openServices(settings, process.env)
  const platform = createPlatform({ ...services.options, logger: stderrLogger() })
  try {
    const key = await platform.api.keys.create(OWNER, {
      name: values.name,
      scopes,
      ...(expiresAt && { expiresAt }),
    })
    process.stdout.write(`${key.secret}\n`)
    const end = key.expiresAt ? ` until ${key.expiresAt}` : ''
    process.stderr.write(
      `Key "${key.name}" with ${key.scopes.join(', ')}${end}. It is not shown again.\n`,
    )
    return 0
  } finally {
    await platform.close()
    await services.close()
  }
}
