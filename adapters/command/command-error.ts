/**
 * A failure with a message for the person at the terminal; anything else that is thrown is a
 * defect.
 */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: number

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
