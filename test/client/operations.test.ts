import { expect, test } from 'vitest'
import { clientSource, recipeSource } from '../support/sources/client-source.ts'

test('the client has exactly the operations of the route table (to update it: npm run client)', async () => {
  const { types, operations, operator, resources } = await clientSource()
  await expect(types).toMatchFileSnapshot('../../src/client/types.ts')
  await expect(operations).toMatchFileSnapshot('../../src/client/operations.ts')
  await expect(operator).toMatchFileSnapshot('../../src/client/operator.ts')
  await expect(resources).toMatchFileSnapshot('../../src/client/resources.ts')
})

test('the type of recipes has exactly the keys of their schema (to update it: npm run client)', async () => {
  await expect(await recipeSource()).toMatchFileSnapshot('../../src/engine/recipe/recipe-input.ts')
})
