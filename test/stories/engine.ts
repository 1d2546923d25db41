/** Runs a program to its end. */
export type Run = (
  program: string,
  args: readonly string[],
) => Promise<{ readonly code: number; readonly output: string }>

/** The world outside of the engine, as far as it is used. */
export interface Outside {
  readonly run: Run
  readonly fetch: (url: string, headers: Readonly<Record<string, string>>) => Promise<number>
  readonly sleep: (ms: number) => Promise<void>
}

/** An image that is built and tried. */
export interface ImageTrial {
  /** `docker` or `podman`. */
  readonly engine: string
  /** The folder with its Dockerfile. */
  readonly folder: string
  /** The stage that is built; `null`: the last one. */
  readonly target: string | null
  /** The most that it may have. */
  readonly mostBytes: number
  /** A command of Seine that its container must do; none: only the server is tried. */
  readonly command: readonly string[] | null
}

const PORT = 3_000
const KEY = 'svc_sk_of_the_image'
/** How often its health is asked for, with half a second between: the check runs each 10 s. */
const MOST_LOOKS = 120
const PAUSE_MS = 500

/** The container engine that answers. A program without its daemon is none. `null`: there is none. */
export async function findEngine(run: Run): Promise<string | null> {
  for (const program of ['docker', 'podman'])
    if ((await run(program, ['ps'])).code === 0) return program
  return null
}

/**
 * Builds the image, and runs it as compose does: not as root, and with a file system that it cannot
 * write. Its own check of health must hold, a key must be admitted, and it must end on a signal.
 *
 * @throws {Error} that says what does not hold
 */
export async function tryImage(trial: ImageTrial, outside: Outside): Promise<{ bytes: number }> {
  const { engine, folder, target, mostBytes, command } = trial
  const tag = `seine-story${target === null ? '' : `:${target}`}`
  const name = `seine-story-${target ?? 'default'}`
  const ask = async (...args: readonly string[]): Promise<string> => {
    const { code, output } = await outside.run(engine, args)
    if (code !== 0) throw new Error(`${engine} ${args.join(' ')} ended with ${code}:\n${output}`)
    return output.trim()
  }
  const inspect = (what: string, format: string): Promise<string> =>
    ask('inspect', '--format', format, what)

  // Images in the format of OCI have no check of health.
  const format = engine === 'podman' ? ['--format', 'docker'] : []
  await ask('build', ...format, '--tag', tag, ...(target ? ['--target', target] : []), folder)
  const bytes = Number(await inspect(tag, '{{.Size}}'))
  if (!(bytes > 0 && bytes <= mostBytes))
    throw new Error(`${tag} has ${bytes} bytes, and may have ${mostBytes}`)
  const [user = ''] = (await inspect(tag, '{{.Config.User}}')).split(':')
  if (['', '0', 'root'].includes(user)) throw new Error(`${tag} runs as root`)

  // One of a run that broke off may be there.
  await outside.run(engine, ['rm', '--force', name])
  try {
    const rights = ['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL']
    const port = ['--publish', `127.0.0.1::${PORT}`]
    const alone = ['--security-opt', 'no-new-privileges', '--env', `SEINE_KEY=${KEY}`]
    await ask('run', '--detach', '--name', name, ...rights, ...alone, ...port, tag)
    await untilHealthy(() => inspect(name, '{{.State.Health.Status}}'), outside)
    const [address = ''] = (await ask('port', name, `${PORT}/tcp`)).split('\n')
    const url = `http://${address}/api/v1/tasks`
    for (const [key, status] of [
      [KEY, 200],
      ['svc_sk_another', 401],
    ] as const) {
      const answer = await outside.fetch(url, { 'x-api-key': key })
      if (answer !== status) throw new Error(`${url} answers ${answer}, not ${status}`)
    }
    if (command) await ask('exec', name, ...command)
    await ask('stop', '--time', '30', name)
    const code = await inspect(name, '{{.State.ExitCode}}')
    if (code !== '0') throw new Error(`The server ended with ${code} on a signal`)
  } finally {
    await outside.run(engine, ['rm', '--force', name])
  }
  return { bytes }
}

async function untilHealthy(look: () => Promise<string>, { sleep }: Outside): Promise<void> {
  let status = ''
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    status = await look()
    if (status === 'healthy') return
    await sleep(PAUSE_MS)
  }
  throw new Error(`The container is ${status} and does not become healthy`)
}
