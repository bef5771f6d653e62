import type { HitDecision, SanctionsList, ScreeningHit } from '@windlass/contracts/compliance.ts'
import type { SendingAnchor } from '@windlass/contracts/sending-anchors.ts'
import * as contracts from '@windlass/contracts/workspace-compliance.ts'
import * as agreements from '@windlass/contracts/workspace-sending-anchors.ts'
import { Refusal, type FakePlatform } from '@windlass/ui/testing/fake-platform.ts'

const AT = '2026-11-20T10:00:00.000Z'

const list: SanctionsList = {
  ...{ version: 4, source: 'OFAC', format: 'ofac-xml', fileName: 'sdn.xml', publishedOn: '2026-11-19' },
  ...{ sha256: '9f86d081884c7d659a2feaa0c55ad015', entries: 17_214, names: 38_902, current: true },
  ...{ by: 'operator:someone', at: AT },
}
const hit: ScreeningHit = {
  ...{ id: 'hit_1', name: 'Kadir Testow', role: 'payer', source: 'OFAC', listVersion: 4, entryId: '7157' },
  subject: { kind: 'transaction', id: 'b7c1e0a2-5d0e-4c56-8f0a-1f7a2c9d4e11' },
  ...{ entryName: 'Qadir TESTOV', detail: 'SDGT; born 10 Mar 1957', score: 0.912, status: 'waiting' },
  ...{ transactions: ['b7c1e0a2-5d0e-4c56-8f0a-1f7a2c9d4e11'], decisions: [], createdAt: AT },
}

/** What a browser asked for. */
interface ScreeningState {
  decided: HitDecision[]
  loaded: string[]
  agreements: SendingAnchor[]
}

/** An anchor with a list, a hit that waits, and a file with far fewer entries than the list. */
export function answerScreening(platform: FakePlatform): ScreeningState {
  const state: ScreeningState = { decided: [], loaded: [], agreements: [] }
  platform.answer(contracts.getWorkspaceScreening, () => ({
    ...{ threshold: 0.85, lists: [list, { ...list, version: 2, current: false }] },
    ...{ waiting: 1, outdated: 0 },
  }))
  platform.answer(contracts.listWorkspaceScreeningHits, () => (state.decided.length > 0 ? [] : [hit]))
  platform.answer(contracts.decideWorkspaceScreeningHit, ({ body }) => {
    state.decided.push(body as HitDecision)
    return { ...hit, status: 'cleared' as const }
  })
  platform.answer(contracts.loadWorkspaceSanctionsList, ({ query }) => {
    if (query.get('smaller') !== 'true')
      return new Refusal(
        'sanctions-list-refused',
        'The list has 7 entries, and the one that is loaded 17214. It may be a part of a file.',
      )
    state.loaded.push(query.get('fileName') ?? '')
    return list
  })
  platform.answer(agreements.listWorkspaceSendingAnchors, () => state.agreements)
  platform.answer(agreements.putWorkspaceSendingAnchor, ({ params, body }) => {
    const added = { account: params.account ?? '', name: (body as { name: string }).name, createdAt: AT }
    state.agreements = [added]
    return added
  })
  platform.answer(agreements.deleteWorkspaceSendingAnchor, () => {
    state.agreements = []
    return undefined
  })
  return state
}
