import {
  getFundingAccount,
  getSigning,
  putSigningLimits,
  signCallback,
  signChallenge,
  signContractChallenge,
  signFunding,
  signIssue,
  signPayment,
  signStatement,
  type Signing,
  type SigningLimits,
} from '@windlass/contracts/internal/signer.ts'
import type { Principals } from '@windlass/contracts/realm.ts'
import { parseNotNegative, parsePositiveAmount } from '@windlass/money/amount.ts'
import { CLOCK_HEADER, CLOCKS_AGREE_MS } from '@windlass/service/observe/clocks.ts'
import { createCounter } from '@windlass/service/observe/metrics.ts'
import { readField } from '@windlass/service/http/fields.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { FastifyRequest } from 'fastify'
import { getAnchor, lockAnchor, setLimits } from '../anchors/anchors.ts'
import type { Deps } from '../deps.ts'
import { accountsOf, findKeys, findOwners, signWith, type Key, type Keys } from '../keys/keys.ts'
import type { ServerName } from '../tables.ts'
import { countFunding, judgeFunding } from './funding.ts'
import { judgeIssue } from './judge-issue.ts'
import { judgeCallback, judgeChallenge, judgeContractChallenge, judgeReserves } from './judge-messages.ts'
import { judgePayment } from './judge-payment.ts'
import { countPayment, PAYS_NOTHING, sumLastHour } from './payments.ts'
import { isLimit, REASONS, Refusal } from './refusal.ts'
import { listStopped, recordStopped } from './stopped.ts'
import type { Rules } from './transactions.ts'

export function serveSigning(on: On, deps: Deps): void {
  on(signChallenge).serve(({ body, ...asked }) =>
    signFor(
      deps,
      asked,
      'sep',
      ({ keys, rules }) => ({ key: keys.signing, bytes: judgeChallenge(body.transaction, rules) }),
      'recent',
    ),
  )
  on(signContractChallenge).serve(({ body, ...asked }) =>
    signFor(deps, asked, 'sep', ({ keys, rules }) => ({
      key: keys.signing,
      bytes: judgeContractChallenge(body.preimage, rules),
    })),
  )
  on(signCallback).serve(({ body, ...asked }) =>
    signFor(deps, asked, 'sep', ({ keys, rules }) => ({
      key: keys.signing,
      bytes: judgeCallback(body, rules.now),
    })),
  )
  on(signStatement).serve(({ body, ...asked }) =>
    signFor(deps, asked, 'business', ({ keys, rules }) => ({
      key: keys.signing,
      bytes: judgeReserves(body.message, rules),
    })),
  )
  on(signPayment).serve(({ body, ...asked }) =>
    signFor(deps, asked, 'business', ({ keys, rules }) => {
      const { hash, counts } = judgePayment(body.transaction, rules)
      const count = async () => {
        await deps.sequences.requireNear(counts)
        await countPayment(deps, asked.principal.anchorId, counts)
      }
      return { key: keys.distribution, bytes: hash, count }
    }),
  )
  on(signIssue).serve(async ({ params, body }) => {
    const { keys, rules } = await readRules(deps, params.anchorId)
    const key = [keys.issuer, keys.distribution].find(each => each?.address === body.account)
    try {
      if (!key) throw new Refusal('wrong-account', `${body.account} does not issue the asset.`)
      const { hash, uses } = judgeIssue(body.transaction, rules)
      await deps.sequences.requireNear(uses)
      await countPayment(deps, params.anchorId, { ...uses, ...PAYS_NOTHING })
      const answer = answerOf(await signWith(deps, key, hash))
      requests.inc({ server: 'control-plane', outcome: 'signed' })
      return answer
    } catch (error) {
      throw refusedTo(deps, params.anchorId, error)
    }
  })
  on(getFundingAccount).serve(() => ({ account: deps.config.funding.signer?.address ?? null }))
  on(signFunding).serve(({ body }) => signForFunding(deps, body))
  on(getSigning).serve(({ params }) => readSigning(deps, params.anchorId))
  on(putSigningLimits).serve(async ({ params, body }) => {
    const { db } = deps.database
    // The limit of an hour can be 0, which stops what it limits.
    readField('limits.perHour', body.perHour, parseNotNegative)
    readField('limits.xlmPerHour', body.xlmPerHour, parseNotNegative)
    if (body.perPayment !== null) readField('limits.perPayment', body.perPayment, parsePositiveAmount)
    for (const [index, { perHour }] of (body.further ?? []).entries())
      readField(`limits.further.${index}.perHour`, perHour, parseNotNegative)
    await db.transaction().execute(async tx => {
      const { limits } = await lockAnchor(tx, params.anchorId)
      await setLimits(tx, params.anchorId, { ...body, ...furtherLimits(limits.further, body.further) })
    })
    deps.recent.forget()
    deps.logger.info({ anchorId: params.anchorId, limits: body }, 'signing limits were set')
    return readSigning(deps, params.anchorId)
  })
}

type FurtherLimits = SigningLimits['further']

/** Throws `validation-failed` for an asset that the anchor does not serve. */
function furtherLimits(known: FurtherLimits = [], given: FurtherLimits = []): Pick<SigningLimits, 'further'> {
  const stranger = given.findIndex(({ asset }) => known.every(each => each.asset !== asset))
  if (stranger >= 0)
    throw invalid(
      `limits.further.${stranger}.asset`,
      'must be an asset that the anchor serves beside its first',
    )
  if (known.length === 0) return {}
  return { further: known.map(each => given.find(({ asset }) => asset === each.asset) ?? each) }
}

async function signForFunding(
  deps: Deps,
  { anchorId, transaction }: { anchorId: string; transaction: string },
): Promise<{ signature: string }> {
  const { rules } = await readRules(deps, anchorId)
  const payer = deps.config.funding.signer
  try {
    if (!payer) throw new Refusal('wrong-account', 'There is no funding account (FUNDING_ACCOUNT).')
    const { hash, ...counted } = await judgeFunding(transaction, rules, payer.address, accounts =>
      findOwners(deps.database.db, accounts),
    )
    await deps.sequences.requireNear(counted.uses)
    await countFunding(deps, { anchorId, ...counted })
    const answer = answerOf(payer.sign(hash))
    requests.inc({ server: 'control-plane', outcome: 'signed' })
    return answer
  } catch (error) {
    throw refusedTo(deps, anchorId, error)
  }
}

/** A refusal of what the control plane asked for, as it is answered; any other error as it is. */
function refusedTo({ logger }: Deps, anchorId: string, error: unknown): unknown {
  requests.inc({ server: 'control-plane', outcome: error instanceof Refusal ? error.reason : 'failed' })
  if (!(error instanceof Refusal)) return error
  logger.warn({ anchorId, reason: error.reason, detail: error.message }, 'did not sign for the control plane')
  // Its times are those of the ledger: where one of them is wrong by our clock, the clock is.
  return error.reason === 'time-bounds'
    ? new Problem('clocks-differ', `${error.message} Set the signer's clock: it differs from the ledger's.`)
    : asProblem(error)
}

const requests = createCounter(
  'windlass_signing_requests_total',
  'Requests for a signature; why one was refused',
  ['server', 'outcome'],
)

// From 0, so that Prometheus sees the first one as an increase.
for (const server of ['sep', 'business', 'control-plane'])
  for (const outcome of ['signed', 'failed', ...REASONS]) requests.inc({ server, outcome }, 0)

/** Who asks, and by which request. */
interface Asked {
  principal: Principals['anchor-server']
  request: FastifyRequest
}

interface Given {
  keys: Keys
  rules: Rules
}

interface Judged {
  key: Key
  bytes: Buffer
  /** Throws {@link Refusal} where a limit is reached. */
  count?(): Promise<void>
}

/** Signs what `judge` lets pass. What it refuses is recorded for the operator. */
async function signFor(
  deps: Deps,
  { principal: { anchorId, server }, request }: Asked,
  allowed: ServerName,
  judge: (given: Given) => Judged,
  age: 'present' | 'recent' = 'present',
): Promise<{ signature: string }> {
  try {
    if (server !== allowed) {
      throw new Refusal('wrong-server', `The ${server} server asked for what only the ${allowed} server may.`)
    }
    const { key, bytes, count } = judgeInTime(judge, await readRules(deps, anchorId, age), request)
    await count?.()
    const answer = answerOf(await signWith(deps, key, bytes))
    requests.inc({ server, outcome: 'signed' })
    return answer
  } catch (error) {
    requests.inc({ server, outcome: error instanceof Refusal ? error.reason : 'failed' })
    if (!(error instanceof Refusal)) throw error
    deps.logger.warn({ anchorId, server, reason: error.reason, detail: error.message }, 'did not sign')
    await recordStopped(deps.database.db, anchorId, server, error)
    throw asProblem(error)
  }
}

/** Judges. What would pass by the server's clock alone is refused with that reason, and all else with its own. */
function judgeInTime(judge: (given: Given) => Judged, given: Given, { headers }: FastifyRequest): Judged {
  const { rules } = given
  try {
    return judge(given)
  } catch (error) {
    const theirs = Number(/^\d{13}$/.exec(String(headers[CLOCK_HEADER])))
    const ahead = (theirs || rules.now.getTime()) - rules.now.getTime()
    if (
      Math.abs(ahead) <= CLOCKS_AGREE_MS ||
      !passes(() => judge({ ...given, rules: { ...rules, now: new Date(theirs) } }))
    )
      throw error
    const order = ahead > 0 ? 'ahead of' : 'behind'
    throw new Refusal(
      'clocks-differ',
      `The server's clock is ${Math.round(Math.abs(ahead) / 1000)} s ${order} the signer's. Set the clocks of both machines.`,
    )
  }
}

function passes(judge: () => unknown): boolean {
  try {
    judge()
    return true
  } catch {
    return false
  }
}

/** `recent`: as they were within the last second, where what is signed moves nothing. */
async function readRules(
  { database: { db }, recent, clock }: Deps,
  anchorId: string,
  age: 'present' | 'recent' = 'present',
): Promise<Given> {
  const read = () => Promise.all([getAnchor(db, anchorId), findKeys(db, anchorId)])
  const [anchor, keys] = await (age === 'recent' ? recent.get('rules', anchorId, read) : read())
  if (!keys) throw new Problem('anchor-not-found', 'This anchor has no keys.')
  const accounts = accountsOf(keys, anchor.terms.issuer)
  return { keys, rules: { accounts, terms: anchor.terms, limits: anchor.limits, now: clock.now() } }
}

async function readSigning({ database: { db } }: Deps, anchorId: string): Promise<Signing> {
  const { limits } = await getAnchor(db, anchorId)
  const [lastHour, stopped, further] = await Promise.all([
    sumLastHour(db, anchorId, 'own'),
    listStopped(db, anchorId),
    Promise.all(
      (limits.further ?? []).map(async ({ asset }) => ({
        asset,
        lastHour: await sumLastHour(db, anchorId, asset),
      })),
    ),
  ])
  return { limits, lastHour, ...(further.length > 0 ? { further } : {}), stopped }
}

function asProblem(refusal: Refusal): Problem {
  if (refusal.reason === 'clocks-differ')
    return new Problem('clocks-differ', refusal.message, { headers: { 'retry-after': '60' } })
  if (!isLimit(refusal)) return new Problem('signature-refused', refusal.message)
  return new Problem('signing-limit-reached', refusal.message, { headers: { 'retry-after': '60' } })
}

const answerOf = (signature: Buffer) => ({ signature: signature.toString('base64') })
