import { randomUUID } from 'node:crypto'
import type { BankAnchor } from '../../../testing/bank-anchor.ts'

/** Sends an anchor a message of the Travel Rule Protocol, as anyone may. */
export const post = (
  anchor: BankAnchor,
  path: string,
  payload: object,
  headers: Record<string, string> = {},
) =>
  anchor.app.server.app.inject({
    ...{ method: 'POST', url: `/api/v1/trp/${path}`, payload },
    headers: { 'api-version': '3.2.1', 'request-identifier': randomUUID(), ...headers },
  })
export const person = (primaryIdentifier: string) => ({
  naturalPerson: {
    name: { nameIdentifier: [{ primaryIdentifier, nameIdentifierType: 'LEGL' }] },
    geographicAddress: [
      {
        addressType: 'HOME',
        streetName: 'A',
        buildingNumber: '1',
        townName: 'B',
        postCode: '1',
        country: 'DE',
      },
    ],
  },
})
export const inquiryOf = (callback: string, over: object = {}) => ({
  ...{ asset: { slip0044: 148 }, amount: 1.5, callback },
  IVMS101: {
    originator: { originatorPersons: [person('Rao')], accountNumber: ['G1'] },
    beneficiary: { beneficiaryPersons: [person('Kumar')], accountNumber: ['G2'] },
    originatingVASP: {
      originatingVASP: {
        legalPerson: {
          name: { nameIdentifier: [{ legalPersonName: 'A', legalPersonNameIdentifierType: 'LEGL' }] },
        },
      },
    },
  },
  ...over,
})
