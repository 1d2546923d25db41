import {
  createClient,
  type Client,
  type Download,
  type Execution,
  type ListPage,
  type RecipeInput,
  type Task,
} from 'seine/client'
import { createPlatform, type PlatformApi, type Recipe, type Row } from 'seine'
import { expectTypeOf, test } from 'vitest'

type Given<T extends (...args: never[]) => Promise<unknown>> = Awaited<ReturnType<T>>

test('methods have the types of the schemas', () => {
  expectTypeOf<Given<Client['tasks']['get']>>().toEqualTypeOf<Task>()
  expectTypeOf<Task['status']>().toEqualTypeOf<'active' | 'paused' | 'archived'>()
  expectTypeOf<Given<Client['executions']['list']>>().toEqualTypeOf<ListPage<Execution>>()
  expectTypeOf<Given<Client['results']['export']>>().toEqualTypeOf<Download>()
  expectTypeOf<Execution['counters']['fetched']>().toEqualTypeOf<number>()
  expectTypeOf<NonNullable<Parameters<Client['results']['list']>[1]>>().toEqualTypeOf<{
    readonly limit?: number
    readonly cursor?: string
    readonly count?: boolean
    readonly fields?: readonly string[]
    readonly provenance?: boolean
  }>()
})

test('a program has the same types of data with a platform in the same process', () => {
  expectTypeOf<Given<Client['tasks']['create']>>().toExtend<Given<PlatformApi['tasks']['create']>>()
  expectTypeOf<Given<Client['executions']['get']>>().toExtend<
    Given<PlatformApi['executions']['get']>
  >()
  expectTypeOf<Given<Client['keys']['create']>>().toExtend<Given<PlatformApi['keys']['create']>>()
  expectTypeOf<Given<Client['results']['list']>['items'][number]>().toExtend<Row>()
})

test('input that is allowed has no type error', () => {
  const client = createClient({ baseUrl: 'http://localhost', fetch: async () => new Response() })
  expectTypeOf(client.tasks.create).toBeCallableWith({
    recipe: { start: { urls: ['https://shop.example/'] } },
  })
  expectTypeOf<Recipe>().toExtend<RecipeInput>()
  const fields: readonly string[] = ['a']
  expectTypeOf(client.results.list).toBeCallableWith('id', { fields })
  expectTypeOf(client.executions.start).toBeCallableWith('id')
  expectTypeOf(createClient).toBeCallableWith({
    baseUrl: 'http://localhost',
    fetch: (request) => createPlatform().fetch(request),
  })
  expectTypeOf(createClient).toBeCallableWith({
    baseUrl: 'http://localhost',
    fetch: globalThis.fetch,
  })
})

test('input that is not allowed has a type error', () => {
  expectTypeOf<{ name: string }>().not.toExtend<Parameters<Client['tasks']['create']>[0]>()
  expectTypeOf<{ status: 'gone' }>().not.toExtend<
    NonNullable<Parameters<Client['tasks']['list']>[0]>
  >()
  expectTypeOf<{ limit: string }>().not.toExtend<
    NonNullable<Parameters<Client['tasks']['list']>[0]>
  >()
  expectTypeOf<{ name: string }>().not.toExtend<Parameters<Client['keys']['create']>[0]>()
})
