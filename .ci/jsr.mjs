// Writes what goes to JSR into a folder, from dist/ and package.json: `node .ci/jsr.mjs FOLDER`, then
// `deno publish` there.
// The modules are those of npm. JSR wants each entry to name its declarations, and those to name each other as files.
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const [folder] = process.argv.slice(2)
if (!folder) throw new Error('node .ci/jsr.mjs FOLDER')

const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
const entries = Object.entries(manifest.exports).filter(([, target]) => typeof target === 'object')
const typesOf = new Map(
  entries.map(([, target]) => [target.default.slice(2), target.types.slice(2)]),
)

await mkdir(folder, { recursive: true })
for (const name of ['README.md', 'LICENSE', 'CHANGELOG.md', 'package.json'])
  await cp(join(root, name), join(folder, name))
for (const path of await readdir(join(root, 'dist'), { recursive: true })) {
  if (path === 'licenses.txt') await cp(join(root, 'dist', path), join(folder, 'dist', path))
  // The command is npm's: JSR has no programs.
  if (!/^(?!command\/).*\.(js|d\.ts)$/.test(path)) continue
  const file = `dist/${path}`
  await mkdir(dirname(join(folder, file)), { recursive: true })
  await writeFile(join(folder, file), rewrite(file, await readFile(join(root, file), 'utf8')))
}
await writeFile(
  join(folder, 'jsr.json'),
  JSON.stringify({
    name: '@seine/seine',
    version: manifest.version,
    license: manifest.license,
    exports: Object.fromEntries(entries.map(([name, target]) => [name, target.default])),
    publish: { include: ['dist', 'README.md', 'LICENSE', 'CHANGELOG.md', 'package.json'] },
  }),
)

function rewrite(file, text) {
  if (file.endsWith('.d.ts'))
    return text
      .replaceAll(/(\bfrom |\bimport\()(['"])(\.[^'"]*?)(?:\.d)?\.ts\2/g, '$1$2$3.d.ts$2')
      .replaceAll(/(['"]@modelcontextprotocol\/sdk\/[\w/-]+)\.js(['"])/g, '$1$2')
  const types = typesOf.get(file)
  // Deno takes the map of this package's types literally, which has `types.js.d.ts` for `types.js`.
  const named = text.replaceAll(
    /^import .* from '(@modelcontextprotocol\/sdk\/[\w/-]+)\.js';?$/gm,
    '// @ts-types="$1"\n$&',
  )
  return types === undefined
    ? named
    : `/* @ts-self-types="./${relative(dirname(file), types)}" */\n${named}`.replace(
        '"./../',
        '"../',
      )
}
