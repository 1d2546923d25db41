import { eraseAccount } from 'seine/backup'
import { dropDeleted } from '../../common/sqlite/drop-deleted.ts'
import { wrongUse } from '../command-error.ts'
import { ERASE_HELP } from '../help.ts'
import { DATA_FLAGS, openServices } from '../open-services.ts'
import { closeAll, deploymentOf, onlyOne } from './backup.ts'
import { assertThere, dataSettings, sqliteFileOf } from './data-settings.ts'
import { parseFlags } from '../settings/parse-flags.ts'

/** `seine erase`: deletes all of an account, also from the free pages of SQLite's files. */
export async function erase(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('erase', {
    args,
    allowPositionals: true,
    options: {
      yes: { type: 'boolean', default: false },
      ...DATA_FLAGS,
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) return (void process.stdout.write(ERASE_HELP), 0)
  const account = onlyOne('erase', 'an account', positionals)
  if (!values.yes)
    throw wrongUse(
      `This deletes all of ${account} and cannot be undone: seine backup FILE.tar --account ${account} ` +
        'keeps it. Add --yes to go on',
    )
  const settings = await dataSettings('erase', values)
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
  process.stdout.write(
    `${report.records} records and ${report.blobs} blobs of ${account} are erased\n`,
  )
  // An erasure may be repeated, so it is no failure. A name may also be misspelt.
  if (report.records + report.blobs === 0)
    process.stderr.write(`Nothing is stored of ${account}: seine accounts list has all names\n`)
  if (isGone) return 0
  process.stderr.write(
    'seine: Another process uses the file of the store, so pages of it may still hold what was deleted. ' +
      'Erase the account again when the server is stopped\n',
  )
  return 1
}
