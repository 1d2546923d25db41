// npm test: format, lint and types beside each other, then the unit tests and the rules about the
// sources. Each check says what it found when it has ended, so that their lines do not mix.
//   node .ci/test.mjs [arguments of vitest]
import { spawn } from 'node:child_process'

const checks = ['format:check', 'lint', 'types']
const PROJECTS = ['--project', 'unit', '--project', 'sources']
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'

const codes = await Promise.all(
  checks.map(async (check) => {
    const began = performance.now()
    const { code, output } = await run(npm, ['run', '-s', check], 'pipe')
    const seconds = ((performance.now() - began) / 1_000).toFixed(1)
    console.log(`npm run ${check}: ${code === 0 ? 'passed' : 'FAILED'} after ${seconds} s`)
    if (code !== 0) process.stderr.write(output)
    return code
  }),
)
// A code of null is a check that a signal has ended.
const failure = codes.find((code) => code !== 0)
process.exitCode =
  failure === undefined
    ? ((await run('vitest', ['run', ...PROJECTS, ...process.argv.slice(2)], 'inherit')).code ?? 1)
    : (failure ?? 1)

/** Runs a command of this project; its output is given back if it is not inherited. */
function run(command, args, output) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: ['ignore', output, output],
      shell: process.platform === 'win32',
    })
    const chunks = []
    child.stdout?.on('data', (chunk) => chunks.push(chunk))
    child.stderr?.on('data', (chunk) => chunks.push(chunk))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, output: Buffer.concat(chunks) }))
  })
}
