import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { CATALOG } from '../../../src/features/templates/catalog/catalog.ts'
import { jsonSchemaOf } from '../../../src/features/templates/json-schema.ts'
import { root } from '../../support/sources/sources.ts'

it('the table of docs/templates.md equals the catalog', () => {
  const rows = CATALOG.map((template) => {
    const properties: object = Object(jsonSchemaOf(template.parameters)['properties'])
    return `| \`${template.id}\` | ${template.name} | ${Object.keys(properties)
      .map((name) => `\`${name}\``)
      .join(', ')} |`
  })
  const table = ['| template | for | parameters |', '|---|---|---|', ...rows, ''].join('\n')
  expect(unpadded(readFileSync(join(root, 'docs/templates.md'), 'utf8'))).toContain(unpadded(table))
})

/** The formatter pads the cells of tables. */
function unpadded(text: string): string {
  return text.replace(/ *\| */g, '|').replace(/-{3,}/g, '---')
}
