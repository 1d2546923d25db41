import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { root } from './sources/sources.ts'

/** How a process ended. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** A running `seine`. */
export interface RunningCommand {
  readonly child: ChildProcessByStdio<null, Readable, Readable>
  readonly ended: Promise<Ended>
  /**
   * Resolves with the match as soon as the output so far has it; rejects if the process ends
   * without.
   */
  until(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<RegExpExecArray>
}

/**
 * Starts the built command as a process of its own, with pipes for its output. `input`: the file
 * that is its stdin.
 */
export function startCommand(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
  input?: string,
): RunningCommand {
  return startScript([join(root, 'dist/command/main.js'), ...args], cwd, env, input)
}

/** Starts a script with this Node. */
export function startScript(
  args: readonly string[],
  cwd: string,
  more: Readonly<Record<string, string>> = {},
  input?: string,
): RunningCommand {
  // Not as a child of npm, whatever runs the tests: the command says how it was called.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')),
  )
  const [program, ...before] =
    input === undefined
      ? [process.execPath]
      : ['sh', '-c', 'input=$1; shift; exec "$@" <"$input"', 'sh', input, process.execPath]
  const child = spawn(program, [...before, ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...env, ...more, COLUMNS: '100' },
  })
  const output = { stdout: '', stderr: '' }
  const seen = new EventTarget()
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
      seen.dispatchEvent(new Event('text'))
    })
  }
  const ended = once(child, 'close').then(([code, signal]): Ended => ({ code, signal, ...output }))
  return {
    child,
    ended,
    async until(stream, pattern) {
      let over = false
      void ended.then(() => {
        over = true
        seen.dispatchEvent(new Event('text'))
      })
      for (;;) {
        const match = pattern.exec(output[stream])
        if (match) return match
        if (over)
          throw new Error(
            `The process ended without ${String(pattern)} on ${stream}:\n${output.stdout}\n${output.stderr}`,
          )
        await new Promise((resolve) => seen.addEventListener('text', resolve, { once: true }))
      }
    },
  }
}

/** Runs the command to its end. */
export function runCommand(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return startCommand(args, cwd, env).ended
}

/** An empty folder, and what removes it. */
export function temporaryFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'seine-test-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }) }
}
