import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { root } from '../support/sources.ts'

/** What a bundler makes of a line of a host's code: minified, and its first part, which is loaded at once, in gzip. */
async function bundle(code: string): Promise<{ readonly bytes: number; readonly gzipBytes: number }> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: root, sourcefile: 'host.js' },
    bundle: true, splitting: true, write: false, minify: true, outdir: 'out', format: 'esm', target: 'es2024', platform: 'neutral',
    mainFields: ['module', 'main'], conditions: ['workerd', 'worker', 'browser', 'import'], external: ['node:*'], tsconfigRaw: {}, logLevel: 'error',
  })
  const first = outputFiles.find(({ path }) => path.endsWith('stdin.js'))
  if (!first) throw new Error('esbuild wrote nothing')
  return { bytes: first.contents.byteLength, gzipBytes: gzipSync(first.contents).byteLength }
}

describe('in a bundle', () => {
  test('what is imported and not used weighs nothing', async () => {
    expect(await bundle("import 'seine'\nimport 'seine/client'\nimport 'seine/engine'\nimport 'seine/cloudflare'\nimport 'seine/jose'")).toEqual({ bytes: 0, gzipBytes: expect.any(Number) })
  })

  test('the client brings nothing of the platform', async () => {
    const { gzipBytes } = await bundle("import { createClient } from 'seine/client'\nexport const client = createClient({ baseUrl: 'https://data.example.com', apiKey: 'x' })")
    console.log(`client: ${gzipBytes}`)
    expect(gzipBytes).toBeLessThan(12 * 1024)
  })
})
