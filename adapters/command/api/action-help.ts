import { ACTIONS } from './actions.ts'

/** The help of a command. */
export function actionHelp(command: string): string {
  const { about, actions } = ACTIONS[command] ?? { about: '', actions: [] }
  const lines = actions.map((action) => {
    const flags = Object.entries({ ...action.query, ...action.flags }).map(([name, takes]) =>
      takes === '' ? `[--${name}]` : `[--${name} ${takes}]`,
    )
    const verb = actions.length === 1 ? [] : [action.verb]
    const usage = ['seine', command, ...verb, ...action.takes, ...flags].join(' ')
    return `  ${usage}\n      ${action.help}\n`
  })
  return `seine ${command} – ${about}

${lines.join('')}
  --json                  the answer as JSON, for programs
  --out <file>            where a file goes; - is stdout
  --url <url>             a server, with its key in SEINE_KEY; SEINE_URL is the same
  --data, --store, --blobs, --config   data here, as for seine serve; --account <id> and --user <id> whose
`
}
