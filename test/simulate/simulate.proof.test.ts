import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

// Proves that a world is a function of its seed, that its promises hold for some seeds, and that
// the oracles notice planted bugs of each kind.

const run = promisify(execFile)

async function simulate(...args: readonly string[]): Promise<string> {
  const script = ['--disable-warning=ExperimentalWarning', 'test/simulate/run.ts', ...args]
  return run(process.execPath, script, { maxBuffer: 64 * 1024 * 1024 }).then(
    ({ stdout }) => stdout,
    // The exit code is 1 if a promise was broken.
    ({ stdout }: { readonly stdout: string }) => stdout,
  )
}

/** Without the last line, which has the speed. */
const storyOf = (stdout: string): string => stdout.trimEnd().split('\n').slice(0, -1).join('\n')

test('a world is a function of its seed, and some worlds are played without a broken promise', async () => {
  const story = ['--seed', '3', '--storm', '12', '--story']
  const [first, second] = [await simulate(...story), await simulate(...story)]
  expect(storyOf(first)).toBe(storyOf(second))
  expect(storyOf(first)).toContain('POST /tasks 201')
  expect(await simulate('--seed', '1', '--seeds', '5', '--storm', '20')).toMatch(
    /^5 worlds, .* 0 broke a promise$/m,
  )
})

test.for([
  ['visited entries stay in the frontier', 'a URL stands twice in the receipt'],
  ['credits that an execution did not spend', 'credits are held'],
] as const)('planted: %s', async ([bug, sign]) => {
  const output = await simulate('--plant', bug, '--seed', '1', '--seeds', '8', '--bail')
  expect(output).toContain('planted: ')
  expect(output).toContain(sign)
})
