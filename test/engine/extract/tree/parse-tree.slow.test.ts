import { expect, test } from 'vitest'
import { PageBudget } from '../../../../src/engine/extract/page/page-budget.ts'
import { parseTree } from '../../../../src/engine/extract/tree/parse-tree.ts'

test('a template has as many elements as a page, and more are a reason', () => {
  const budget = new PageBudget()
  parseTree(`<template>${'<b></b>'.repeat(500_010)}`, false, budget)
  expect(budget.losses.cuts).toContainEqual(expect.objectContaining({ what: 'nodes' }))
})
