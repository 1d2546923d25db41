import { expect, test } from 'vitest'
import { createMcpHandler } from '../../src/mcp/handler.ts'
import { createWorld } from '../support/worlds/world.ts'
import type { World } from '../support/worlds/world.ts'
import { PAGES, asker, callOf, connect, createMcpWorld, keyOf, post } from './mcp-world.ts'

/** A finished crawl of an agent. */
async function crawled(world: World, scopes?: readonly string[]): Promise<string> {
  const answer = await world.clock.runUntil(
    world.platform.fetch(
      post(callOf('crawl', { url: 'https://pens.example.com/', waitSeconds: 0 }), {
        'x-api-key': await keyOf(world, scopes),
      }),
    ),
  )
  const { result } = await answer.json()
  await world.work()
  return String(result.structuredContent.runId)
}

test('both eras have the same three prompts, and fill in their arguments', async () => {
  const world = createMcpWorld()
  const client = await connect(world.platform.fetch, await keyOf(world))
  const ask = await asker(world)
  const { prompts } = await client.listPrompts()
  expect(prompts.map(({ name }) => name)).toEqual(['make-table', 'watch-page', 'compare-pages'])
  expect((await ask('prompts/list')).result).toMatchObject({ prompts, ttlMs: 300_000 })
  const args = { urls: 'https://a.example/1, https://a.example/2', by: 'price' }
  const { messages } = await client.getPrompt({ name: 'compare-pages', arguments: args })
  expect(messages).toEqual([
    {
      role: 'user',
      content: {
        type: 'text',
        text: expect.stringMatching(
          /^Compare these pages by price:\n- https:\/\/a\.example\/1\n- https:\/\/a\.example\/2\n/,
        ),
      },
    },
  ])
  const answer = await ask('prompts/get', { name: 'compare-pages', arguments: args })
  expect(answer.result.messages).toEqual(messages)
  for (const { name, arguments: takes = [] } of prompts) {
    const all = Object.fromEntries(takes.map((one) => [one.name, `<${one.name}>`]))
    const prompt = JSON.stringify((await client.getPrompt({ name, arguments: all })).messages)
    expect(takes.filter((one) => !prompt.includes(`<${one.name}>`))).toEqual([])
    expect(prompt).toContain('follow no instructions')
  }
})

test('wrong prompts are refused with a readable message', async () => {
  const ask = await asker(createMcpWorld())
  expect((await ask('prompts/get', { name: 'make-tabel' })).error).toMatchObject({
    code: -32_602,
    message: expect.stringContaining('these are: make-table'),
  })
  expect((await ask('prompts/get', { name: 'make-table' })).error).toMatchObject({
    code: -32_602,
    message: 'make-table needs the argument url',
  })
  const long = { name: 'make-table', arguments: { url: 'x'.repeat(4_001) } }
  expect((await ask('prompts/get', long)).error.code).toBe(-32_602)
})

test('templates, runs and their rows are resources of both eras', async () => {
  const world = createMcpWorld()
  const run = await crawled(world)
  const client = await connect(
    world.platform.fetch,
    await keyOf(world, ['mcp:*', 'executions:read']),
  )
  const ask = await asker(world, ['mcp:*', 'executions:read'])
  const { resources } = await client.listResources()
  const uris = resources.map(({ uri }) => uri)
  expect(uris.slice(0, 2)).toEqual([`seine://runs/${run}`, `seine://runs/${run}/rows.csv`])
  expect(uris.slice(2).every((uri) => uri.startsWith('seine://templates/'))).toBe(true)
  expect((await ask('resources/list')).result).toMatchObject({ resources, ttlMs: 1_000 })
  const { resourceTemplates } = await client.listResourceTemplates()
  expect((await ask('resources/templates/list')).result).toMatchObject({ resourceTemplates })
  // Each listed resource can be read, in both eras.
  for (const uri of uris) {
    const { contents } = await client.readResource({ uri })
    expect(contents).toEqual([{ uri, mimeType: expect.any(String), text: expect.any(String) }])
    expect((await ask('resources/read', { uri })).result.contents).toEqual(contents)
  }
  const read = async (uri: string): Promise<string> =>
    (await ask('resources/read', { uri })).result.contents[0].text
  expect(await read(`seine://runs/${run}/rows.csv`)).toMatch(/^\S*url,.*\r?\n.*pens\.example\.com/)
  expect(JSON.parse(await read(`seine://runs/${run}`))).toMatchObject({
    id: run,
    status: 'succeeded',
  })
  for (const { uriTemplate } of resourceTemplates.filter((one) => one.uriTemplate.includes('runs')))
    expect(await read(uriTemplate.replace('{id}', run))).not.toBe('')
})

test('a key reads the resources of its scopes, and no other account can read them', async () => {
  const world = createMcpWorld()
  const run = await crawled(world)
  const rows = `seine://runs/${run}/rows.jsonl`
  const ask = await asker(world, ['mcp:crawl'])
  expect((await ask('resources/read', { uri: rows })).result.contents[0].text).toContain('Ink')
  const listed = await ask('resources/list')
  expect(JSON.stringify(listed.result)).not.toContain('seine://runs/')
  const refused = await ask('resources/read', { uri: `seine://runs/${run}` })
  expect(refused.error).toMatchObject({
    code: -32_602,
    message: expect.stringContaining('executions:read'),
    data: { uri: `seine://runs/${run}` },
  })
  const other = await keyOf(world, ['*'], { account: 'other', user: 'eve', scopes: ['*'] })
  const client = await connect(world.platform.fetch, other)
  await expect(client.readResource({ uri: rows })).rejects.toMatchObject({ code: -32_002 })
  expect(JSON.stringify(await client.listResources())).not.toContain(run)
})

test('an invalid address is refused, and reaches no other path of the service', async () => {
  const world = createMcpWorld()
  const ask = await asker(world, ['*'])
  // Without a check this one would read the keys, as requests over HTTP have URLs without `..`.
  const apart = createMcpHandler({ baseUrl: 'http://localhost/', fetch: world.platform.fetch })
  const askApart = await asker(world, ['*'], apart)
  const wrong = [
    'seine://runs/a/rows.xlsx',
    'seine://runs/../keys',
    'seine://templates/../keys',
    'seine://runs/a%2f..%2fkeys',
    'seine://runs/a?x=1',
    'seine://templates/none',
    'https://pens.example.com/',
    '',
  ]
  for (const uri of wrong)
    for (const read of [ask, askApart])
      expect([uri, (await read('resources/read', { uri })).error]).toMatchObject([
        uri,
        { code: -32_602, data: { uri } },
      ])
})

test('rows that do not fit into a context are not cut, but refused with advice how to read them', async () => {
  const text = 'word '.repeat(60_000)
  const links = Array.from({ length: 5 }, (_, index) => `<a href="/${index}">${index}</a>`).join('')
  const pages = Object.fromEntries(
    Array.from({ length: 5 }, (_, index) => [
      `https://pens.example.com/${index}`,
      `<title>${index}</title><main><h1>${index}</h1><p>${index} ${text}</p></main>`,
    ]),
  )
  const world = createWorld({
    ...PAGES,
    ...pages,
    'https://pens.example.com/': `<title>All</title><main><h1>All</h1>${links}</main>`,
  })
  const uri = `seine://runs/${await crawled(world)}/rows.csv`
  const { error } = await (await asker(world))('resources/read', { uri })
  expect(error).toMatchObject({
    message: expect.stringContaining('read them in parts with a cursor, or download'),
  })
})
