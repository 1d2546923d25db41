import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { root } from '../support/sources.ts'

test('a page that uses the client loads the client alone, in less than 5 KB', async () => {
  const { metafile, outputFiles } = await build({
    entryPoints: [join(root, 'src/client.ts')],
    absWorkingDir: root,
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
  })
  const inputs = Object.keys(metafile.inputs)
  expect(inputs.length).toBeGreaterThan(5)
  expect(inputs.filter((path) => !/^src\/client(\.ts$|\/)/.test(path))).toEqual([])
  expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([])
  const [output] = outputFiles
  const bytes = gzipSync(output?.contents ?? '').length
  expect(bytes).toBeGreaterThan(500)
  expect(bytes).toBeLessThan(5_000)
})
