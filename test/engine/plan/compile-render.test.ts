import { expect, it } from 'vitest'
import { compileRecipe } from '../../../src/engine/plan/compile.ts'
import { parseRecipe } from '../../../src/engine/recipe/parse-recipe.ts'
import { PlatformError } from '../../../src/kernel/errors.ts'

const start = { urls: ['https://shop.example/'] }
const compile = (recipe: object) => compileRecipe(parseRecipe({ start, ...recipe }))
const issuesOf = (recipe: object): readonly string[] => {
  try {
    compile(recipe)
    return []
  } catch (error) {
    if (error instanceof PlatformError) return error.issues.map(({ path }) => path)
    throw error
  }
}

it('rendering is off unless a recipe asks for it', () => {
  expect(compile({}).request.render).toBeNull()
  expect(compile({ page: { render: 'http' } }).request.render).toBeNull()
  expect(compile({ page: { render: 'auto' } }).request.render).toEqual({
    mode: 'auto',
    actions: [],
    viewport: { width: 1_280, height: 800 },
    screenshot: null,
  })
})

it('actions, the window and the screenshot are compiled', () => {
  const actions = [
    { wait: '.a' },
    { wait: 200 },
    { click: '//a', times: 3 },
    { click: '.b', optional: true },
    { fill: '#q', value: '' },
    { press: 'Enter' },
    { scroll: 'end' },
    { scroll: -20, times: 2 },
  ]
  const plan = compile({
    page: { render: 'browser', actions, viewport: { width: 400, height: 300 }, screenshot: 'full' },
    formats: ['screenshot'],
  })
  expect(plan.request.render).toEqual({
    mode: 'browser',
    viewport: { width: 400, height: 300 },
    screenshot: 'full',
    actions: [
      { kind: 'wait', selector: '.a' },
      { kind: 'pause', ms: 200 },
      { kind: 'click', selector: '//a', times: 3, optional: false },
      { kind: 'click', selector: '.b', times: 1, optional: true },
      { kind: 'fill', selector: '#q', value: '' },
      { kind: 'press', key: 'Enter' },
      { kind: 'scroll', by: 'end', times: 1 },
      { kind: 'scroll', by: -20, times: 2 },
    ],
  })
  expect(plan.media).toEqual([['screenshot']])
  expect(plan.columns).toEqual(['url', 'screenshot'])
})

it.each<readonly [string, object, readonly string[]]>([
  ['actions without a browser', { page: { actions: [{ wait: 1 }] } }, ['page.actions']],
  [
    'actions where the page decides',
    { page: { render: 'auto', actions: [{ wait: 1 }] } },
    ['page.actions'],
  ],
  ['a picture without a browser', { formats: ['text', 'screenshot'] }, ['formats.1']],
  [
    'a picture of pages that may stay unrendered',
    { page: { render: 'auto' }, formats: ['screenshot'] },
    ['formats.0'],
  ],
  [
    'a kind of picture without one',
    { page: { render: 'browser', screenshot: 'full' } },
    ['page.screenshot'],
  ],
  [
    'a wrong selector',
    { page: { render: 'browser', actions: [{ wait: 1 }, { click: 'a >> b' }] } },
    ['page.actions.1.click'],
  ],
  [
    'a wrong XPath',
    { page: { render: 'browser', actions: [{ fill: '//a[', value: 'x' }] } },
    ['page.actions.0.fill'],
  ],
  [
    'two verbs',
    { page: { render: 'browser', actions: [{ click: 'a', wait: 'b' }] } },
    ['page.actions.0'],
  ],
  ['no verb', { page: { render: 'browser', actions: [{}] } }, ['page.actions.0']],
  [
    'fill without a value',
    { page: { render: 'browser', actions: [{ fill: 'a' }] } },
    ['page.actions.0'],
  ],
  [
    'times of an action that happens once',
    { page: { render: 'browser', actions: [{ press: 'Enter', times: 2 }] } },
    ['page.actions.0'],
  ],
  [
    'too many',
    { page: { render: 'browser', actions: Array.from({ length: 21 }, () => ({ wait: 1 })) } },
    ['page.actions'],
  ],
  ['another browser', { page: { render: 'firefox' } }, ['page.render']],
])('a recipe with %s is refused', (_, recipe, paths) => {
  expect(issuesOf(recipe)).toEqual(paths)
})
