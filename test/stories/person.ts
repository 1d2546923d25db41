import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { inject } from 'vitest'

/** A process that a person has started and left running. */
export interface Running {
  /** Waits until its output has the pattern, and returns the match. */
  sees(pattern: RegExp): Promise<RegExpExecArray>
  /** Sends Ctrl-C, and waits until it has ended. */
  ends(): Promise<void>
}

/**
 * The registry and its settings are those of the user who runs the stories. Packages are downloaded
 * once only.
 */
export const NPM: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value = '']) =>
      /^(?:npm_config_(?:registry|cafile|userconfig)|\w+_proxy|NODE_EXTRA_CA_CERTS)$/i.test(name)
        ? [[name, value]]
        : [],
    ),
  ),
  npm_config_cache: process.env['npm_config_cache'] ?? join(homedir(), '.npm'),
  npm_config_userconfig: process.env['npm_config_userconfig'] ?? join(homedir(), '.npmrc'),
  npm_config_prefer_offline: 'true',
}

/** How long a command may take before it counts as hanging, in ms. */
const MOST_MS = 600_000

/** A person with a terminal in an empty folder. */
export class Person {
  readonly home = mkdtempSync(join(tmpdir(), 'seine-story-'))
  readonly #began = performance.now()
  readonly #env: Record<string, string>
  readonly #running: Running[] = []

  constructor(env: Readonly<Record<string, string>> = {}) {
    this.#env = {
      PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      HOME: this.home,
      COLUMNS: '100',
      TZ: 'UTC',
      ...NPM,
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      npm_config_update_notifier: 'false',
      ...env,
    }
  }

  /** Types a command that must succeed, and returns its output. */
  async types(command: string): Promise<string> {
    const { code, screen } = await this.#run(command)
    if (code !== 0) throw new Error(`${command}\nended with ${code}:\n${screen}`)
    return screen
  }

  /** Types a command that must fail, and returns its output. */
  async fails(command: string): Promise<string> {
    const { code, screen } = await this.#run(command)
    if (code === 0) throw new Error(`${command}\ndid not fail:\n${screen}`)
    return screen
  }

  /** Types a command that runs on. */
  starts(command: string): Running {
    // Without npx, which does not pass every signal on.
    const child = this.#spawn(`exec ${command.replace(/^npx /, 'node_modules/.bin/')}`)
    let screen = ''
    const events = new EventTarget()
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        screen += text
        events.dispatchEvent(new Event('text'))
      })
    const ended = once(child, 'close').then(() => events.dispatchEvent(new Event('text')))
    const running: Running = {
      async sees(pattern) {
        for (;;) {
          const match = pattern.exec(screen)
          if (match) return match
          if (child.exitCode !== null) throw new Error(`${command}\nended:\n${screen}`)
          await new Promise((resolve) => events.addEventListener('text', resolve, { once: true }))
        }
      },
      async ends() {
        child.kill('SIGTERM')
        await ended
      },
    }
    this.#running.push(running)
    return running
  }

  writes(name: string, text: string): void {
    writeFileSync(join(this.home, name), text)
  }

  reads(name: string): string {
    return readFileSync(join(this.home, name), 'utf8')
  }

  has(name: string): boolean {
    return existsSync(join(this.home, name))
  }

  /** Prints the time from the empty folder to here. The figures are in docs/comparison.md. */
  tells(what: string): void {
    const seconds = (performance.now() - this.#began) / 1_000
    process.stdout.write(`story: ${what} after ${seconds.toFixed(1)} s\n`)
  }

  async leaves(): Promise<void> {
    await Promise.all(this.#running.map((running) => running.ends()))
    rmSync(this.home, { recursive: true, force: true, maxRetries: 3 })
  }

  async #run(command: string): Promise<{ code: number | null; screen: string }> {
    const child = this.#spawn(command)
    let screen = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (screen += text))
    const tooLong = setTimeout(() => child.kill('SIGKILL'), MOST_MS)
    await once(child, 'close')
    clearTimeout(tooLong)
    return { code: child.exitCode, screen }
  }

  #spawn(command: string) {
    // The registry does not have this package yet, so the tarball is installed.
    const there = command.replace(/(npm install .*)\bseine\b/, `$1${inject('tarball')}`)
    return spawn('bash', ['-euo', 'pipefail', '-c', there], {
      cwd: this.home,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }
}
