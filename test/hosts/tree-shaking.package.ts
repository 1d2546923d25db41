import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, type BuildOptions } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { root } from '../support/sources.ts'

const OPTIONS = {
  bundle: true, splitting: true, write: false, minify: true, metafile: true, outdir: 'out', absWorkingDir: root, format: 'esm', target: 'es2024', platform: 'neutral',
  mainFields: ['module', 'main'], conditions: ['workerd', 'worker', 'browser', 'import'], external: ['node:*'], tsconfigRaw: {}, logLevel: 'error',
} as const satisfies BuildOptions

/** What a bundler makes of a line of a host's code, of which the part counts that is loaded at once: minified, and in gzip. */
async function bundle(contents: string): Promise<{ readonly bytes: number; readonly gzipBytes: number }> {
  const { outputFiles, metafile } = await build({ ...OPTIONS, stdin: { contents, resolveDir: root, sourcefile: 'host.js' } })
  const first = new Set(Object.keys(metafile.outputs).filter((path) => path.endsWith('stdin.js')))
  expect(first.size).toBe(1)
  for (const path of first) for (const used of metafile.outputs[path]?.imports ?? []) if (used.kind === 'import-statement' && used.external !== true) first.add(used.path)
  const files = outputFiles.filter(({ path }) => first.has(relative(root, path)))
  const sum = (sizes: readonly number[]): number => sizes.reduce((all, size) => all + size, 0)
  return { bytes: sum(files.map((file) => file.contents.byteLength)), gzipBytes: sum(files.map((file) => gzipSync(file.contents).byteLength)) }
}

describe('in a bundle', () => {
  test('what is imported and not used weighs nothing', async () => {
    expect(await bundle("import 'seine'\nimport 'seine/client'\nimport 'seine/engine'\nimport 'seine/cloudflare'\nimport 'seine/jose'")).toEqual({ bytes: 0, gzipBytes: expect.any(Number) })
  })

  test('the README says what the platform weighs', async () => {
    const [, most] = /at most (\d+) KB at once/.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? []
    const { gzipBytes } = await bundle("import { createPlatform } from 'seine'\nexport default createPlatform()")
    expect(gzipBytes).toBeGreaterThan(50_000)
    expect(gzipBytes / 1_000).toBeLessThanOrEqual(Number(most))
  })

  test('the client brings nothing of the platform', async () => {
    const { gzipBytes } = await bundle("import { createClient } from 'seine/client'\nexport const client = createClient({ baseUrl: 'https://data.example.com', apiKey: 'x' })")
    expect(gzipBytes).toBeLessThan(5 * 1024)
  })
})
