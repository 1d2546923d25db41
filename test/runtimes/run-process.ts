import { spawn } from 'node:child_process'

/** The message of a host when it is done. */
const RESULT = 'RESULT '
const LIMIT_MS = 400_000

/**
 * Runs a host to its end and returns its message. Rejects with its stderr if there is no message or
 * the exit code is not 0.
 */
export async function runProcess<T>(
  command: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly told: T; readonly stderr: string }> {
  const [file = '', ...args] = command
  const child = spawn(file, args, {
    cwd,
    env: { ...process.env, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  )
  const line = stdout.split('\n').findLast((text) => text.startsWith(RESULT))
  if (code !== 0 || line === undefined)
    throw new Error(
      `It ended with ${code} and told ${line === undefined ? 'nothing' : 'a result'}\n` +
        `${stdout.slice(-2_000)}\n${stderr.slice(-4_000)}`,
    )
  const result: T = JSON.parse(line.slice(RESULT.length))
  return { told: result, stderr }
}
