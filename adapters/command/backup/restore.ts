import { createPlatform } from 'seine'
import { restoreBackup } from 'seine/backup'
import { RESTORE_HELP } from '../help.ts'
import { DATA_FLAGS, openServices } from '../open-services.ts'
import { stderrLogger } from '../stderr-logger.ts'
import { reportText } from '../verify/verify.ts'
import { closeAll, contentOf, deploymentOf, onlyOne } from './backup.ts'
import { dataSettings } from './data-settings.ts'
import { openSource } from './target.ts'
import { parseFlags } from '../settings/parse-flags.ts'

/**
 * `seine restore`: restores a backup into an empty deployment, or an account into any deployment,
 * and verifies it. Exit code 1 if there are differences.
 */
export async function restore(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('restore', {
    args,
    allowPositionals: true,
    options: {
      'no-verify': { type: 'boolean', default: false },
      ...DATA_FLAGS,
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) return (void process.stdout.write(RESTORE_HELP), 0)
  const source = onlyOne('restore', 'a backup: its folder or file', positionals)
  const settings = await dataSettings('restore', values)
  const from = await openSource(source, process.env)
  try {
    const services = await openServices(settings, process.env)
    try {
      const report = await restoreBackup({ ...deploymentOf(services), from })
      const what = report.account === null ? 'The deployment' : `The account ${report.account}`
      process.stdout.write(`${what} of ${report.createdAt} is here: ${contentOf(report)}\n`)
      if (values['no-verify']) return 0
      const platform = createPlatform({ ...services.options, logger: stderrLogger() })
      try {
        const verified = await platform.verify(
          report.account === null ? {} : { account: report.account },
        )
        process.stdout.write(reportText(verified))
        return verified.ok ? 0 : 1
      } finally {
        await platform.close()
      }
    } finally {
      await closeAll(services)
    }
  } finally {
    await from.close()
  }
}
