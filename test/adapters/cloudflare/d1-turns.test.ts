import { createD1Store } from '../../../adapters/cloudflare/index.ts'
import { commitTurns, storeTurns } from '../../contracts/store-turns.ts'
import { createFakeD1 } from '../../support/stores/fake-d1.ts'

storeTurns('createD1Store', async () => createD1Store({ database: createFakeD1() }))
commitTurns('createD1Store', async () => createD1Store({ database: createFakeD1() }))
