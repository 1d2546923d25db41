import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const SIMULATOR = fileURLToPath(new URL('./run.ts', import.meta.url))

/**
 * Plays worlds in a process of their own, with the options of the command, and returns what it
 * prints. A broken promise is not an error.
 *
 * @throws {Error} if no world was played to its end
 */
export function simulate(...options: readonly string[]): Promise<string> {
  const script = ['--disable-warning=ExperimentalWarning', SIMULATOR, ...options]
  return new Promise((resolve, reject) => {
    execFile(process.execPath, script, { maxBuffer: 64 * 1024 * 1024 }, (cause, stdout, stderr) => {
      // The exit code is 1 if a promise was broken, so the last line tells.
      if (/^[1-9]\d* worlds, /m.test(stdout)) resolve(stdout)
      else
        reject(
          new Error(`No world was played: ${options.join(' ')}: ${stdout}${stderr}`, { cause }),
        )
    })
  })
}
