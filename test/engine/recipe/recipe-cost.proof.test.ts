import { beforeAll, describe, expect, it } from 'vitest'
import { compileRecipe } from '../../../src/engine/plan/compile.ts'
import { prepareRecipe } from '../../../src/engine/plan/prepare-recipe.ts'
import { measureRecipe, MAX_RECIPE_SIZE } from '../../../src/engine/recipe/measure-recipe.ts'
import { checkRecipe } from '../../../src/engine/recipe/parse-recipe.ts'
import type { Recipe } from '../../../src/engine/recipe/schema.ts'
import { cpuFactor, cpuMs } from '../../support/cpu-ms.ts'
import { HOSTILE_RECIPES } from '../../support/fakes/hostile-recipes.ts'

beforeAll(() => prepareRecipe({ start: {}, extract: { fields: { a: { regex: 'a' } } } }))

describe('every way to make a recipe costly', () => {
  /** The longest part of a list or an object that keeps a recipe within its limits. */
  function fitted(value: unknown, share: number): unknown {
    if (Array.isArray(value))
      return value
        .slice(0, Math.max(1, Math.ceil(value.length * (value.length > 20 ? share : 1))))
        .map((one) => fitted(one, share))
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value)
    return Object.fromEntries(
      (entries.length > 20
        ? entries.slice(0, Math.max(1, Math.ceil(entries.length * share)))
        : entries
      ).map(([name, one]) => [name, fitted(one, share)]),
    )
  }

  function admitted(make: () => unknown): Recipe | null {
    let [low, high] = [0, 1]
    let best: Recipe | null = null
    const whole = make()
    for (let round = 0; round < 12; round++) {
      const middle = round === 0 ? 1 : (low + high) / 2
      const checked = checkRecipe(fitted(whole, middle))
      if (checked.issues === null) {
        best = checked.output.recipe
        low = middle
        if (round === 0) break
      } else high = middle
    }
    return best
  }

  it.each(Object.entries(HOSTILE_RECIPES))(
    '%s: a recipe within the limits is compiled in short time',
    (_, make) => {
      const recipe = admitted(make)
      if (recipe === null) return
      expect(measureRecipe(recipe, MAX_RECIPE_SIZE).tooLarge).toBeNull()
      const before = cpuMs()
      try {
        compileRecipe(recipe)
      } catch {
        // Its faults are found in the same time.
      }
      const cpu = cpuMs() - before
      // It takes at most 45 ms, or 95 ms if each of thousands of selectors is wrong.
      expect(cpu).toBeLessThan(200 * cpuFactor())
    },
  )
})
