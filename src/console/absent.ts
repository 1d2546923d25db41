import type { Console, ConsoleOptions } from './options.ts'

/**
 * What `console: true` means where code is bundled: a bundle has no console that nobody imported.
 *
 * @throws {TypeError} always; it says what to import
 */
export function createConsole(_options?: ConsoleOptions): Console {
  throw new TypeError(
    'On this runtime, give createPlatform { console: createConsole() }, with createConsole of ' +
      'seine/console',
  )
}
