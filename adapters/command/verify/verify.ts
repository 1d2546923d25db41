import { existsSync } from 'node:fs'
import { createPlatform } from 'seine'
import { commandName } from '../command-name.ts'
import { assertThere } from '../backup/data-settings.ts'
import { CommandError, wrongUse } from '../command-error.ts'
import { stderrLogger } from '../stderr-logger.ts'
import { DEFAULT_DATA, IN_MEMORY, storeFile } from '../data-directory.ts'
import { damageText, isLost, treatFile } from './damaged-file.ts'
import { displayText } from '../display-text.ts'
import { VERIFY_HELP } from '../help.ts'
import { DATA_FLAGS, openServices } from '../open-services.ts'
import { SERVER_FLAGS, serverNamed, verifyOnServer } from '../api/upkeep.ts'
import type { ServerReport } from '../api/upkeep.ts'
import type { ApiConnection } from '../api/connection.ts'
import { readSettings } from '../settings/read-settings.ts'
import { formatTable } from '../table.ts'
import { parseFlags } from '../settings/parse-flags.ts'

const WIDTH = 100
/** Maximum number of differences to list. A damaged store may have very many. */
const MOST_SHOWN = 100

/**
 * `seine verify`: prints a table of the checks, and each difference, to stdout. Exit code 1 if
 * there is a difference.
 */
export async function verify(args: string[]): Promise<number> {
  const { values } = parseFlags('verify', {
    args,
    options: {
      account: { type: 'string' },
      repair: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      ...DATA_FLAGS,
      ...SERVER_FLAGS,
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) return (void process.stdout.write(VERIFY_HELP), 0)
  const server = await serverNamed(values, process.env)
  if (server) return verifyThere(server, values)
  const { config, data, store, blobs } = values
  const { settings } = await readSettings({ config, values: { data, store, blobs } }, process.env)
  const { data: folder = DEFAULT_DATA } = settings
  if (settings.store === undefined && folder === IN_MEMORY)
    throw wrongUse('--data :memory: keeps nothing to verify; name a directory')
  // Opening would create an empty store, in which everything is correct.
  if (settings.store === undefined && !existsSync(storeFile(folder)))
    throw new CommandError(
      `There is no store in ${folder}: --data, --store or --url names where one is`,
    )
  if (settings.store !== undefined) assertThere(settings)
  const file = fileOf(settings.store, folder)
  const damage = file === null ? null : treatFile(file, values.repair)
  if (damage !== null && !values.json) process.stdout.write(damageText(damage))
  if (damage !== null && damage.aside === null) {
    // Any read could reach the damaged part.
    if (values.json)
      process.stdout.write(`${JSON.stringify({ ok: false, file: damage }, null, 2)}\n`)
    return 1
  }
  const services = await openServices(settings, process.env)
  const platform = createPlatform({ ...services.options, logger: stderrLogger() })
  try {
    const report = await platform.verify({
      repair: values.repair,
      ...(values.account !== undefined && { account: values.account }),
    })
    const isOk = report.ok && (damage === null || !isLost(damage))
    const all = damage === null ? report : { ...report, ok: isOk, file: damage }
    process.stdout.write(values.json ? `${JSON.stringify(all, null, 2)}\n` : reportText(report))
    return isOk ? 0 : 1
  } finally {
    await platform.close()
    await services.close()
  }
}

/** The file of a store. `null`: it is on a server. */
function fileOf(store: string | undefined, folder: string): string | null {
  if (store === undefined) return storeFile(folder)
  return store.startsWith('sqlite:') ? store.slice('sqlite:'.length) : null
}

/** Asks a server to verify its own data. */
async function verifyThere(
  server: ApiConnection,
  values: { readonly account?: string; readonly repair: boolean; readonly json: boolean },
): Promise<number> {
  if (values.repair)
    throw wrongUse(
      `No server repairs its data: run ${commandName()} verify --repair where the data is`,
    )
  const report = await verifyOnServer(server, values.account)
  const { more } = report
  process.stdout.write(values.json ? `${JSON.stringify(report, null, 2)}\n` : reportText(report))
  if (more > 0)
    process.stderr.write(
      `A server lists 100 differences of an account; ${commandName()} verify where the data is ` +
        `lists ${more} more\n`,
    )
  return report.ok ? 0 : 1
}

/** The report for people, about data here or on a server. A server may have other areas. */
export function reportText({
  ok,
  accounts,
  checks,
  differences,
}: Omit<ServerReport, 'more'>): string {
  const busy = checks.some(({ unsettled }) => unsettled > 0)
  const columns = ['area', 'checked', 'differences', ...(busy ? ['unsettled'] : [])]
  const table = formatTable({
    columns,
    rows: checks.map((check) => ({ ...check })),
    width: process.stdout.columns ?? WIDTH,
  })
  const listed = differences.slice(0, MOST_SHOWN).map(lineOf)
  if (differences.length > MOST_SHOWN)
    listed.push(`… and ${differences.length - MOST_SHOWN} more; --json lists them all`)
  const verdict = !ok
    ? 'There are differences.'
    : differences.length > 0
      ? 'Everything that differed was repaired.'
      : 'Everything agrees.'
  const note = busy
    ? ' Unsettled records changed at each read: verify again when there is less traffic.'
    : ''
  return [
    table,
    ...listed.map((line) => `${line}\n`),
    listed.length > 0 ? '\n' : '',
    `Accounts: ${accounts}. ${verdict}${note}\n`,
  ].join('')
}

function lineOf({
  area,
  account,
  subject,
  message,
  repaired,
}: ServerReport['differences'][number]): string {
  return displayText(
    `${area}, account ${account}, ${subject}: ${message}${repaired ? ' (repaired)' : ''}`,
  )
}
