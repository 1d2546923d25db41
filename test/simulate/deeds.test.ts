import { expect, it } from 'vitest'
import { createServiceHost } from '../support/worlds/service-host.ts'
import { DEEDS, FOLLOWED, LEFT_OUT } from './deeds.ts'
import { Luck } from './luck.ts'
import { OPERATOR_DEEDS } from './operator.ts'

const { routes } = await createServiceHost({ operator: true })

it('each operation of the route table is done in simulated worlds, or left out for a reason', () => {
  const done = [...Object.keys(DEEDS), ...FOLLOWED, ...Object.keys(OPERATOR_DEEDS)]
  const all = [...done, ...Object.keys(LEFT_OUT)]
  expect(all.toSorted()).toEqual(routes.map(({ operation }) => operation).toSorted())
  for (const reason of Object.values(LEFT_OUT)) expect(reason).toMatch(/^[A-Z].*\.$/)
})

it('each deed calls the route that it is named for', () => {
  const byName = new Map(routes.map((route) => [route.operation, route]))
  for (const [operation, draw] of Object.entries(DEEDS)) {
    const deed = draw({
      luck: new Luck(1),
      canary: 'canary',
      newTaskName: () => 'new',
      idOf: (kind) => `${kind}_1`,
      page: 'https://shop.example.com/',
    })
    const route = byName.get(operation)
    const pattern = new RegExp(`^${route?.path.replaceAll(/:\w+/g, '[^/]+')}$`)
    expect(deed?.method, operation).toBe(route?.method)
    expect(`/api/v1${deed?.path.split('?')[0]}`, operation).toMatch(pattern)
  }
})
