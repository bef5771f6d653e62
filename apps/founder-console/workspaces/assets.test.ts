import { expect, test } from 'vitest'
import { assetNameOf, assetsOf, unitName, unitOfEach } from './assets.ts'

const [own, other] = [`G${'A'.repeat(51)}OWNN`, `G${'B'.repeat(51)}USDC`]
const first = { code: 'INRX', name: 'INRX', anchoredTo: 'INR', issued: '1000000' }
const further = (code: string) => ({ code, issuer: other, name: code, anchoredTo: 'USD' })

test('units of the journal are named by their codes', () => {
  const workspace = { asset: first, issuer: own, furtherAssets: [further('USDC')] }
  expect(['asset', `USDC:${other}`, 'INR', `GONE:${other}`].map(unit => unitName(workspace, unit))).toEqual([
    'INRX',
    'USDC',
    'INR',
    'GONE',
  ])
  expect(assetNameOf(workspace)).toBe('INRX')
  expect(unitOfEach(workspace)).toBe('INRX / USDC')
  expect(assetNameOf(workspace, { code: 'USDC', issuer: other })).toBe('USDC')
})

test('assets that share a code are shown with their issuers', () => {
  const workspace = { asset: first, issuer: own, furtherAssets: [further('INRX')] }
  expect(assetsOf(workspace).map(({ name }) => name)).toEqual(['INRX (…OWNN)', 'INRX (…USDC)'])
  expect(assetsOf({ asset: first, issuer: null }).map(({ name }) => name)).toEqual(['INRX'])
})
