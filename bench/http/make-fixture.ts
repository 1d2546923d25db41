import { parseArgs } from 'node:util'
import { makeFixture } from './fixture.ts'

// Makes the store of a run and prints what is in it as one line of JSON.
const { values } = parseArgs({ options: { store: { type: 'string', default: '' } } })
process.stdout.write(`${JSON.stringify(await makeFixture(values.store))}\n`, () => process.exit(0))
