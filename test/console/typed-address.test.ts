import { expect, it } from 'vitest'
import {
  isAddress,
  withoutCredentials,
  withScheme,
} from '../../src/console/app/parts/typed-address.ts'

// Proves what the box of the start takes for an address, and what it searches for.

it('addresses are told from words, also those within a network', () => {
  const addresses = [
    'https://shop.example/a b',
    '//shop.example/x',
    'shop.example',
    'shop.example/pens',
    'localhost',
    'LocalHost',
    'localhost/pens',
    'localhost:3000',
    'intranet/list',
    '10.0.0.1',
    '[::1]',
  ]
  const words = ['pens', 'red pens', 'pens.', 'what is shop.example', 'localhost or not', 'a / b']
  expect(addresses.filter((text) => !isAddress(text))).toEqual([])
  expect(words.filter((text) => isAddress(text))).toEqual([])
})

it('an address gets the scheme that it lacks', () => {
  expect(['http://a.example', '//a.example/x', 'localhost/pens'].map(withScheme)).toEqual([
    'http://a.example',
    'https://a.example/x',
    'https://localhost/pens',
  ])
})

it('a name and a password before a host are left out, and nothing else', () => {
  const secret = [
    'https://ann:s3cret@a.example/x',
    ' https://ann:s3@cret@a.example/x',
    'https://ann:two words@a.example/x',
    String.raw`https:\\ann:s3cret@a.example/x`,
    'https:ann:s3cret@a.example/x',
    '//ann:s3cret@a.example/x',
    'ann:s3cret@a.example/x',
  ].map(withoutCredentials)
  expect(secret.filter((text) => /s3|words|cret/.test(text))).toEqual([])
  expect(secret[0]).toBe('https://a.example/x')
  const harmless = [
    'a.example',
    'a.example/@ann?to=b@c.example#d@e',
    'https://a.example/@ann',
    'write to ann@a.example',
    'localhost:3000/x',
  ]
  expect(harmless.map(withoutCredentials)).toEqual(harmless)
})
