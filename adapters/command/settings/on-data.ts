/**
 * Commands that read records and files themselves, so that a server elsewhere cannot do it for
 * them, and what it can do instead.
 */
const ON_DATA = {
  verify: 'seine operator health says whether its parts answer',
  backup: 'seine tasks export and seine export copy the tasks of an account and the rows of a run',
  restore: 'seine tasks import takes the tasks of an account',
  erase: 'seine accounts close stops an account, at once',
} as const

/** The name of such a command. */
export type CommandOnData = keyof typeof ON_DATA

/** True for a command that reads records and files itself. */
export function isOnData(command: string): command is CommandOnData {
  return Object.hasOwn(ON_DATA, command)
}

/**
 * Says that a command does not work on a server, and the ways out: to go where the data is, or what
 * the server does for its callers.
 */
export function notOnServer(command: CommandOnData): string {
  return (
    `seine ${command} reads records and files themselves, which no server gives away: run it ` +
    'where they are, and name them by --data, or --store and --blobs. On a server, ' +
    ON_DATA[command]
  )
}
