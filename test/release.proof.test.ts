import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { readYaml, type Yaml } from './stories/read-yaml.ts'
import { root } from './support/sources/sources.ts'

// Runs the publishing steps of the release workflow, with a registry on this machine instead of
// that of npm.

const valueAt = (value: Yaml | undefined, ...path: (string | number)[]): Yaml | undefined =>
  path.reduce<Yaml | undefined>((inner, name) => {
    if (typeof inner !== 'object') return undefined
    return Object.entries(inner).find(([key]) => key === String(name))?.[1]
  }, value)

const { version }: { readonly version: string } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
)
const workflow = readYaml(readFileSync(join(root, '.github/workflows/release.yml'), 'utf8'))
const steps = valueAt(workflow, 'jobs', 'publish', 'steps')
const runs = Object.values(typeof steps === 'object' ? steps : {}).flatMap((step) => {
  const run = valueAt(step, 'run')
  return typeof run === 'string' ? [run] : []
})

function type(
  command: string,
  env: Readonly<Record<string, string>>,
): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      'bash',
      ['-euo', 'pipefail', '-c', command],
      { cwd: root, env: { ...process.env, ...env }, maxBuffer: 1 << 24 },
      (_, stdout, stderr) => resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
    )
  })
}

test('the release needs the whole check, and has only the permission to sign', () => {
  expect(valueAt(workflow, 'on', 'push', 'tags')).toEqual(['v*'])
  expect(valueAt(workflow, 'jobs', 'check', 'uses')).toBe('./.github/workflows/ci.yml')
  expect(valueAt(workflow, 'jobs', 'publish', 'needs')).toBe('check')
  expect(valueAt(workflow, 'jobs', 'publish', 'permissions')).toEqual({
    contents: 'read',
    'id-token': 'write',
  })
  expect(valueAt(steps, 3, 'env', 'NPM_CONFIG_PROVENANCE')).toBe('true')
})

test('the steps of the release refuse a tag of another version, and publish a complete package', async () => {
  const [isTag = '', install, publish = ''] = runs
  expect(install).toBe('npm ci --no-audit --no-fund')
  const tag = (name: string) => type(isTag, { GITHUB_REF_NAME: name })
  expect((await tag(`v${version}`)).code).toBe(0)
  expect((await tag('v99.0.0')).code).toBe(1)

  const puts: { path: string; body: Buffer; authorization: string | undefined }[] = []
  const registry = createServer((request, response) => {
    void buffer(request).then((body) => {
      if (request.method === 'PUT')
        puts.push({
          path: request.url ?? '',
          body,
          authorization: request.headers.authorization,
        })
      response.writeHead(request.method === 'PUT' ? 201 : 404).end('{}')
    })
  })
  registry.listen(0, '127.0.0.1')
  await once(registry, 'listening')
  const folder = mkdtempSync(join(tmpdir(), 'seine-release-'))
  onTestFinished(() => {
    registry.close()
    rmSync(folder, { recursive: true })
  })
  const address = registry.address()
  const port = typeof address === 'object' ? address?.port : 0
  const userconfig = join(folder, 'npmrc')
  writeFileSync(
    userconfig,
    `registry=http://127.0.0.1:${port}/\n//127.0.0.1:${port}/:_authToken=\${NODE_AUTH_TOKEN}\n`,
  )
  const { code, output } = await type(publish, {
    npm_config_userconfig: userconfig,
    npm_config_registry: `http://127.0.0.1:${port}/`,
    // There is no service here that could tell npm which workflow builds this.
    NPM_CONFIG_PROVENANCE: 'false',
    NODE_AUTH_TOKEN: 'token-of-the-test',
  })
  expect([code, code === 0 ? '' : output]).toEqual([0, ''])
  expect(puts.map(({ path, authorization }) => [path, authorization])).toEqual([
    ['/seine', 'Bearer token-of-the-test'],
  ])
  const sent: ReturnType<typeof JSON.parse> = JSON.parse(puts[0]?.body.toString() ?? '')
  expect(sent.access).toBe('public')
  expect(Object.keys(sent.versions)).toEqual([version])
  const [attachment] = Object.values<{ data: string }>(sent['_attachments'])
  const files = namesIn(gunzipSync(Buffer.from(attachment?.data ?? '', 'base64')))
  for (const name of [
    'package/README.md',
    'package/LICENSE',
    'package/CHANGELOG.md',
    'package/dist/index.js',
    'package/dist/backup.js',
    'package/dist/command/main.js',
    'package/dist/types/src/index.d.ts',
    'package/examples/hosts/express.ts',
    'package/examples/deploy/Dockerfile',
    'package/examples/deploy/compose.yaml',
  ])
    expect(files).toContain(name)
  expect(
    files.filter((name) => /\.npmrc|\/secrets\/|\/test\/(?!contracts)|\.map$/.test(name)),
  ).toEqual([])
})

/** Names of the files in a tar. */
function namesIn(tar: Buffer): string[] {
  const names: string[] = []
  for (let position = 0; tar[position] !== 0 && position < tar.length;) {
    const text = (from: number, length: number): string =>
      tar.toString('utf8', position + from, position + from + length).replace(/\0.*$/s, '')
    const prefix = text(345, 155)
    names.push(prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`)
    position += 512 + Math.ceil(Number.parseInt(text(124, 12), 8) / 512) * 512
  }
  return names
}
