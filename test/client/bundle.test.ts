import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { root } from '../support/sources/sources.ts'

test('a page that uses the client loads the client alone, in less than 5 KB', async () => {
  const { metafile, outputFiles } = await build({
    entryPoints: [join(root, 'src/client.ts')],
    absWorkingDir: root,
    outdir: 'dist',
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
  })
  const inputs = Object.keys(metafile.inputs)
  expect(inputs.length).toBeGreaterThan(5)
  const others = inputs.filter((path) => !/^src\/client(\.ts$|\/)/.test(path))
  expect(others).toEqual([
    'node_modules/eventsource-parser/dist/index.js',
    'src/kernel/http/event-reader.ts',
  ])
  // The reader of events is a file of its own, which is loaded by `import()` only.
  const [start, ...later] = Object.values(metafile.outputs).toSorted(
    (a, b) => Number(b.entryPoint === 'src/client.ts') - Number(a.entryPoint === 'src/client.ts'),
  )
  expect(start?.imports.map(({ kind }) => kind)).toEqual(['dynamic-import'])
  expect(Object.keys(start?.inputs ?? {})).not.toContain(others[0])
  expect(later.map((output) => Object.keys(output.inputs))).toEqual([others])
  const code = outputFiles.find(({ path }) => path.endsWith('/client.js'))?.contents ?? ''
  const bytes = gzipSync(code).length
  expect(bytes).toBeGreaterThan(500)
  expect(bytes).toBeLessThan(5_000)
})
