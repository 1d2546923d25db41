import { eraseAccount } from 'seine/backup'
import { dropDeleted } from '../../common/sqlite/drop-deleted.ts'
import { commandName } from '../command-name.ts'
import { wrongUse } from '../command-error.ts'
import { ERASE_HELP } from '../help.ts'
import { DATA_FLAGS, openServices } from '../open-services.ts'
import { SERVER_FLAGS, eraseOnServer, serverNamed } from '../api/upkeep.ts'
import { readSettings } from '../settings/read-settings.ts'
import { closeAll, contentOf, deploymentOf, onlyOne } from './backup.ts'
import { assertThere, sqliteFileOf } from './data-settings.ts'
import { parseFlags } from '../settings/parse-flags.ts'

/** `seine erase`: deletes all of an account, also from the free pages of SQLite's files. */
export async function erase(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('erase', {
    args,
    allowPositionals: true,
    options: {
      yes: { type: 'boolean', default: false },
      reason: { type: 'string' },
      ...DATA_FLAGS,
      ...SERVER_FLAGS,
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) return (void process.stdout.write(ERASE_HELP), 0)
  const account = onlyOne('erase', 'an account', positionals)
  const server = await serverNamed(values, process.env)
  if (!values.yes)
    throw wrongUse(
      `This deletes all of ${account} and cannot be undone. To keep a copy, first run ` +
        `${commandName()} backup FILE.tar --account ${account}` +
        `${server ? ' on the host of the data' : ''}. Add --yes to go on`,
    )
  if (server) {
    if (values.reason === undefined || values.reason.trim() === '')
      throw wrongUse('--reason says why; it is kept in the log of the server: --reason "asked for"')
    print(account, await eraseOnServer(server, account, values.reason))
    return 0
  }
  if (values.reason !== undefined) throw wrongUse('--reason is for a server: name it with --url')
  const { config, data, store, blobs } = values
  const { settings } = await readSettings({ config, values: { data, store, blobs } }, process.env)
  assertThere(settings)
  const services = await openServices(settings, process.env)
  let report
  try {
    report = await eraseAccount({ ...deploymentOf(services), account })
  } finally {
    await closeAll(services)
  }
  const file = sqliteFileOf(settings)
  const isGone = file === null || dropDeleted(file)
  print(account, report)
  if (isGone) return 0
  process.stderr.write(
    'seine: Another process uses the file of the store, so pages of it may still hold what was deleted. ' +
      'Erase the account again when the server is stopped\n',
  )
  return 1
}

function print(
  account: string,
  report: { readonly records: number; readonly blobs: number },
): void {
  process.stdout.write(`${contentOf(report)} of ${account} are erased\n`)
  // An erasure may be repeated, so this is not a failure. But a name may also be misspelt.
  if (report.records + report.blobs === 0)
    process.stderr.write(
      `Nothing is stored of ${account}: ${commandName()} accounts list has all names\n`,
    )
}
