import { expect, it } from 'vitest'
import { commandLine, connectionWords } from '../../../adapters/command/api/connection.ts'

it.each([
  ['postgres://ann:secretpw@db/seine', 'postgres://ann:PASSWORD@db/seine'],
  ['postgresql://ann:secret@pw@db/seine', 'postgresql://ann:PASSWORD@db/seine'],
  [
    'postgres://db/seine?user=ann&password=secretpw',
    'postgres://db/seine?user=ann&password=PASSWORD',
  ],
  ['rediss://:secretpw@cache:6379/1', 'rediss://:PASSWORD@cache:6379/1'],
  ['redis://cache?sentinelPassword=secretpw', 'redis://cache?sentinelPassword=PASSWORD'],
  ['postgres://ann:secretpw@/seine', 'postgres://…'],
  ['postgres://db/seine', 'postgres://db/seine'],
  ['sqlite:some rows@home.db', 'sqlite:some rows@home.db'],
])('the store %s is named as %s', (store, shown) => {
  expect(connectionWords({ store, key: 'secretkey' })).toEqual(['--store', shown])
})

it('a line for a shell has each word as one word', () => {
  expect(commandLine(['rows', 'exec_1', '--data', "Ann's data"])).toBe(
    String.raw`rows exec_1 --data 'Ann'\''s data'`,
  )
})
