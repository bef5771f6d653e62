import { EVIDENCE_TYPE, type EvidenceStatement, getEvidence } from '@windlass/contracts/anchor/evidence.ts'
import { unavailable } from '@windlass/service/http/problem.ts'
import type { On } from '@windlass/service/http/server.ts'
import { createHash } from 'node:crypto'
import type { Deps } from '../../deps.ts'
import { evidenceOf } from './content.ts'
import { evidencePdf } from './pdf.ts'

export function serveEvidence(on: On, deps: Deps): void {
  on(getEvidence).serve(async ({ params: { id }, query }) => {
    const at = deps.clock.now()
    const found = await evidenceOf(deps, id)
    const content = JSON.stringify(found)
    const { plan, network, accounts } = deps.config.anchor
    const statement: EvidenceStatement = {
      ...{ type: EVIDENCE_TYPE, homeDomain: plan.homeDomain, networkPassphrase: network.passphrase },
      ...{ distributionAccount: accounts.distribution, transaction: id, at: at.toISOString() },
      content: createHash('sha256').update(content).digest('hex'),
    }
    const message = JSON.stringify(statement)
    const signed = await deps.signStatement?.(message).catch((error: unknown) => {
      throw unavailable('The signer', error)
    })
    const signature = signed?.toString('base64') ?? null
    const file = { content, message, signingKey: accounts.signing, signature }
    if (!query.pdf) return file
    const proof = { message, signingKey: accounts.signing, signature: signature ?? 'none' }
    const pdf = await evidencePdf(found, { title: `Transaction ${id} of ${plan.homeDomain}`, at, proof })
    return { ...file, pdf: pdf.toString('base64') }
  })
}
