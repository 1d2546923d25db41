import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { snippetFiles, withSnippets } from './support/sources/readme-snippets.ts'
import { readSources, root } from './support/sources/sources.ts'

const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const readme = read('README.md')

// `npm run readme` writes the blocks anew.
test('the hosts in the README are the files that are tested', async () => {
  await expect(withSnippets(readme, read)).toMatchFileSnapshot(join(root, 'README.md'))
})

test('the issuers in the documentation are the files that are tested', async () => {
  const path = 'docs/issuers.md'
  await expect(withSnippets(read(path), read)).toMatchFileSnapshot(join(root, path))
  expect(snippetFiles(read(path)).toSorted()).toEqual(
    [...readSources('examples/issuers').keys()].toSorted(),
  )
})

test('the README shows every host, and no code for one that is not tested', () => {
  const section = /^## In your own server\n[\s\S]*?^## /m.exec(readme)?.[0] ?? ''
  const shown = snippetFiles(section)
  const hosts = [...readSources('examples/hosts').keys()].filter(
    (path) => !/\/next\/(platform|instrumentation|next\.config)\.ts$/.test(path),
  )
  expect(hosts.length).toBeGreaterThan(8)
  expect(shown.toSorted()).toEqual(hosts.toSorted())
  expect(section.match(/^```ts$/gm)).toHaveLength(shown.length)
})

test('planted: a block that is old, of a whole file and of a marked part', () => {
  const block = (code: string): string =>
    `Before\n\n<!-- examples/a.ts -->\n\`\`\`ts\n${code}\`\`\`\n\nAfter\n`
  expect(withSnippets(block('old()\n'), () => 'fresh()\n')).toBe(block('fresh()\n'))
  expect(
    withSnippets(
      block('old()\n'),
      () => 'import x\n//#region mounting\nfresh($1)\n//#endregion\nend()\n',
    ),
  ).toBe(block('fresh($1)\n'))
})
