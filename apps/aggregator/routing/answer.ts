import type { EligibilityRule, RouteAnswer } from '@windlass/contracts/routing.ts'
import { amountOf, formatAmount } from '@windlass/money/amount.ts'
import { Written } from '@windlass/service/endpoint-route.ts'
import { rankingOf, type Decision } from './decision.ts'
import { explain, type Told } from './explain.ts'
import type { Ranked } from './rank.ts'
import { explainRejection, type RejectedAnchors } from './rejections.ts'
import { roundTerms, shownTenThousandths, type RoundedTerms } from './score.ts'
import type { Transaction } from './transaction.ts'

/**
 * The answer of `POST /route` and of `GET /decisions/:id`, written out at once: objects for each of twenty candidates
 * that the serializer takes apart again would cost more than the routing.
 */
export function writeAnswer(decision: Decision, ranking = rankingOf(decision)): Written<RouteAnswer> {
  const { transaction, stale } = decision
  const { eligible, rejected } = ranking
  const terms = roundTerms(ranking.terms)
  const { weights } = terms
  const candidates = ranking.top.map(ranked => tell(ranked, terms))
  const [winner] = candidates
  const [first] = ranking.top
  if (!winner || !first) throw new Error('a decision has a winner')
  const { asset, rail, region, currency } = transaction
  const reasoning = explain({ transaction, weights, eligible, rejected, stale }, candidates)
  return new Written(
    `{"anchorId":${quote(winner.anchorId)},"slug":${quote(winner.slug)},"domain":${quote(first.domain)},` +
      `"amount":"${formatAmount(transaction.amount)}","asset":${quote(asset)},"rail":${quote(rail)},` +
      `${writeScores(winner)},"weights":${JSON.stringify(weights)},"policyId":${quote(decision.policyId)},` +
      `"fee":"${winner.fee}","candidates":[${writeCandidates(candidates, ranking.top)}],"eligible":${eligible},` +
      `"rejected":${writeRejected(rejected, transaction)},"reasoning":${JSON.stringify(reasoning)},` +
      `"decisionId":"${decision.id}","decidedAt":"${decision.decidedAt.toISOString()}","stale":${stale}` +
      writeIssuer(first.issuer) +
      (region === undefined ? '' : `,"region":${quote(region)}`) +
      (currency === undefined ? '' : `,"currency":${quote(currency)}`) +
      '}',
  )
}

// Most names are plain, which is quicker seen than escaped.
const PLAIN = /^[\w.:-]*$/

const quote = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text))

function tell(ranked: Ranked, terms: RoundedTerms): Told {
  const { score, fee, speed, uptime, liquidity } = shownTenThousandths(ranked, terms)
  return {
    anchorId: ranked.anchorId,
    slug: ranked.slug,
    fee: formatAmount(amountOf(ranked.fee)),
    score: decimal(score),
    scores: {
      fee: decimal(fee),
      speed: decimal(speed),
      uptime: decimal(uptime),
      liquidity: decimal(liquidity),
    },
  }
}

const writeIssuer = (issuer: string): string => (issuer === '' ? '' : `,"issuer":${quote(issuer)}`)

function writeCandidates(candidates: readonly Told[], ranked: readonly Ranked[]): string {
  let text = ''
  let issuer = ''
  let written = ''
  for (let place = 0; place < candidates.length; place += 1) {
    const candidate = candidates[place] as Told
    const { anchorId, slug, fee } = candidate
    const own = ranked[place]?.issuer ?? ''
    if (own !== issuer) {
      issuer = own
      written = writeIssuer(own)
    }
    if (place > 0) text += ','
    text += `{"rank":${place + 1},"anchorId":${quote(anchorId)},"slug":${quote(slug)},"fee":"${fee}",${writeScores(candidate)}${written}}`
  }
  return text
}

const writeScores = ({ score, scores: { fee, speed, uptime, liquidity } }: Told): string =>
  `"score":${score},"scores":{"fee":${fee},"speed":${speed},"uptime":${uptime},"liquidity":${liquidity}}`

function writeRejected({ byRule, examples }: RejectedAnchors, transaction: Transaction): string {
  const ends = new Map<EligibilityRule, string>()
  let text = ''
  for (const { anchorId, rule } of examples) {
    let end = ends.get(rule)
    if (end === undefined) {
      end = `,"rule":"${rule}","detail":${JSON.stringify(explainRejection(rule, transaction))}}`
      ends.set(rule, end)
    }
    text += `${text === '' ? '' : ','}{"anchorId":${quote(anchorId)}${end}`
  }
  return `{"byRule":${JSON.stringify(byRule)},"examples":[${text}]}`
}

const fractions = Array.from({ length: 10_000 }, (_, n) =>
  n === 0 ? '' : `.${String(n).padStart(4, '0').replace(/0+$/, '')}`,
)

/** A number of ten thousandths as JSON writes it. Scores seldom repeat, and a table is quicker than printing floats. */
function decimal(tenThousandths: number): string {
  const whole = Math.floor(tenThousandths / 10_000)
  return `${whole}${fractions[tenThousandths - whole * 10_000]}`
}
