import { parseArgs } from 'node:util'
import { createPlatform } from 'seine'
import { wrongUse, parseDuration } from './command-error.ts'
import { consoleLogger } from './console-logger.ts'
import { DEFAULT_DATA, openDataDirectory, OWNER } from './data-directory.ts'
import { KEYS_HELP } from './help.ts'

/** `seine keys create`: the key alone on stdout, so that it can be captured; the rest on stderr. */
export async function keys(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      name: { type: 'string', default: 'command line' },
      scopes: { type: 'string', default: '*' },
      expires: { type: 'string' },
      data: { type: 'string', default: DEFAULT_DATA },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) return (void process.stdout.write(KEYS_HELP), 0)
  if (positionals.join(' ') !== 'create') throw wrongUse(`seine keys has one command: create`)
  if (values.data === ':memory:') throw wrongUse('--data :memory: keeps no keys; name a directory')
  const scopes = values.scopes.split(',').map((scope) => scope.trim())
  const expiresAt =
    values.expires === undefined
      ? undefined
      : new Date(Date.now() + parseDuration('--expires', values.expires)).toISOString()
  const platform = createPlatform({ ...openDataDirectory(values.data), logger: consoleLogger })
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
  }
}
