import { expect, test } from 'vitest'
import { findEngine, tryImage } from './engine.ts'
import type { ImageTrial, Outside } from './engine.ts'

// Proves, with an engine that only says what a real one would, that each fault of an image is
// noticed. The image itself is built by container.stories.ts where an engine answers.

const TRIAL: ImageTrial = {
  engine: 'docker',
  folder: '/deploy',
  target: null,
  mostBytes: 250e6,
  command: null,
}

/** Answers of the engine by the words that its arguments have. */
const ANSWERS = {
  '{{.Size}}': '120000000\n',
  '{{.Config.User}}': '65532:65532\n',
  '{{.State.Health.Status}}': 'healthy\n',
  '{{.State.ExitCode}}': '0\n',
  port: '127.0.0.1:49153\n',
}

function engineWith(
  answers: Readonly<Record<string, string>>,
  failing: string | null = null,
  statusOf = (key = ''): number => (key === 'svc_sk_of_the_image' ? 200 : 401),
) {
  const lines: string[] = []
  const all: Readonly<Record<string, string>> = { ...ANSWERS, ...answers }
  let sleeps = 0
  const outside: Outside = {
    async run(program, args) {
      lines.push([program, ...args].join(' '))
      const word = Object.keys(all).find((each) => args.includes(each))
      return { code: args[0] === failing ? 1 : 0, output: (word && all[word]) ?? '' }
    },
    fetch: async (url, headers) => {
      lines.push(`GET ${url}`)
      return statusOf(headers['x-api-key'])
    },
    sleep: async () => void sleeps++,
  }
  return { outside, lines, sleeps: () => sleeps }
}

test('an engine is one that answers: a program without its daemon is none', async () => {
  const answering = (programs: readonly string[]) =>
    findEngine(async (program) => ({ code: programs.includes(program) ? 0 : 1, output: '' }))
  expect(await answering(['docker', 'podman'])).toBe('docker')
  expect(await answering(['podman'])).toBe('podman')
  expect(await answering([])).toBeNull()
})

test('an image is built, run without rights, asked, ended and removed', async () => {
  const { outside, lines } = engineWith({})
  expect(await tryImage(TRIAL, outside)).toEqual({ bytes: 120e6 })
  expect(lines[0]).toBe('docker build --tag seine-story /deploy')
  const run = lines.find((line) => line.startsWith('docker run '))
  for (const flag of ['--read-only', '--cap-drop ALL', '--security-opt no-new-privileges'])
    expect(run).toContain(flag)
  expect(lines).toContain('GET http://127.0.0.1:49153/api/v1/tasks')
  expect(lines.at(-1)).toBe('docker rm --force seine-story-default')
})

test('podman keeps the check of health, and a stage and its command are tried', async () => {
  const { outside, lines } = engineWith({})
  const trial = { ...TRIAL, engine: 'podman', target: 'chromium', command: ['node', 'x'] }
  await tryImage(trial, outside)
  expect(lines[0]).toBe(
    'podman build --format docker --tag seine-story:chromium --target chromium /deploy',
  )
  expect(lines).toContain('podman exec seine-story-chromium node x')
})

test.for<readonly [fault: string, engine: ReturnType<typeof engineWith>, message: string]>([
  ['too large', engineWith({ '{{.Size}}': '250000001' }), 'has 250000001 bytes'],
  ['no size', engineWith({ '{{.Size}}': '' }), 'has 0 bytes'],
  ['root', engineWith({ '{{.Config.User}}': '0:0' }), 'runs as root'],
  ['no user', engineWith({ '{{.Config.User}}': '' }), 'runs as root'],
  ['sick', engineWith({ '{{.State.Health.Status}}': 'unhealthy' }), 'is unhealthy'],
  ['bad end', engineWith({ '{{.State.ExitCode}}': '137' }), 'ended with 137 on a signal'],
  ['open', engineWith({}, null, () => 200), 'answers 200, not 401'],
  ['away', engineWith({}, null, () => 503), 'answers 503, not 200'],
  ['no build', engineWith({}, 'build'), 'docker build --tag seine-story /deploy ended with 1'],
  ['no start', engineWith({}, 'run'), 'ended with 1'],
])('an image is refused, and its container removed: %s', async ([, engine, message]) => {
  await expect(tryImage(TRIAL, engine.outside)).rejects.toThrow(message)
  const isBegun = engine.lines.some((line) => line.startsWith('docker run '))
  expect(engine.lines.at(-1)?.startsWith('docker rm ') ?? false).toBe(isBegun)
})

test('health is waited for, and not for ever', async () => {
  const { outside, sleeps } = engineWith({ '{{.State.Health.Status}}': 'starting' })
  await expect(tryImage(TRIAL, outside)).rejects.toThrow('does not become healthy')
  expect(sleeps()).toBe(120)
})
