import { commandName } from './command-name.ts'

/** A failure with a message for the person at the terminal. Any other thrown error is a defect. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: 1 | 2

  /** `exitCode`: 1, or 2 where the command was called wrongly. */
  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

/** The command was called wrongly. */
export function wrongUse(message: string): CommandError {
  return new CommandError(message, 2)
}

/** Advice if a server refuses the key. */
export const WRONG_KEY = 'The server does not take this key. Set SEINE_KEY to one of its keys'
/** Advice if a server refuses an operation of operators to a key. */
export const noOperator = (): string =>
  `On the data of the server, ${commandName()} keys create --scopes operator makes such a key`
/** Advice for an address that is not fetched. */
export const PRIVATE =
  'If this is a site of your own, on this machine or network: --allow-private-network'

/** The time after which a service accepts another try. Empty if the service named none. */
export const tryAgain = (seconds: number | null): string =>
  seconds === null ? '' : `\nTry again in ${seconds} s`

const UNITS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/** `45m`, `12h`, `30d`, `2w` in milliseconds. */
export function parseDuration(flag: string, text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,5})([mhdw])$/.exec(text) ?? []
  const ms = Number(count) * (UNITS[unit] ?? 0)
  if (ms <= 0) throw wrongUse(`${flag} must be a time such as 45m, 12h, 30d or 2w, not "${text}"`)
  return ms
}

/** The whole number of a flag, within bounds; `undefined` if the flag was not given. */
export function wholeNumber(
  flag: string,
  text: string | undefined,
  min: number,
  max: number,
): number | undefined {
  if (text === undefined) return undefined
  const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= min && value <= max))
    throw wrongUse(`${flag} must be a whole number from ${min} to ${max}, not "${text}"`)
  return value
}
