import { commandName } from '../command-name.ts'

/** Commands that a server performs for no caller, with the reason and the alternative. */
const ON_DATA = {
  backup: {
    why: 'a backup has the secrets of all accounts, which no server gives away',
    instead: (seine: string) =>
      `${seine} tasks export and ${seine} export copy the tasks of an account and the rows of a run`,
  },
  restore: {
    why: 'the data of a server is not replaced while it runs',
    instead: (seine: string) => `${seine} tasks import takes the tasks of an account`,
  },
} as const

/** The name of such a command. */
export type CommandOnData = keyof typeof ON_DATA

/** True for a command that no server performs. */
export function isOnData(command: string): command is CommandOnData {
  return Object.hasOwn(ON_DATA, command)
}

/**
 * Says that a command does not work on a server, and names the alternatives: run it on the machine
 * with the data, or use a command that the server performs.
 */
export function notOnServer(command: CommandOnData): string {
  const { why, instead } = ON_DATA[command]
  return (
    `seine ${command} works where the data is, and on no server: ${why}. Run it there, and name ` +
    `the data by --data, or --store and --blobs. On a server, ${instead(commandName())}`
  )
}
