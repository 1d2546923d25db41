import { expect, test } from 'vitest'
import { clientSource, recipeSource } from '../support/sources/client-source.ts'

test('the client has just the operations of the route table; where it has not: npm run client', async () => {
  const { types, operations, operator, resources } = await clientSource()
  await expect(types).toMatchFileSnapshot('../../src/client/types.ts')
  await expect(operations).toMatchFileSnapshot('../../src/client/operations.ts')
  await expect(operator).toMatchFileSnapshot('../../src/client/operator.ts')
  await expect(resources).toMatchFileSnapshot('../../src/client/resources.ts')
})

test('the type of recipes has just the keys of their schema; where it has not: npm run client', async () => {
  await expect(await recipeSource()).toMatchFileSnapshot('../../src/engine/recipe/recipe-input.ts')
})
