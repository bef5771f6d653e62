import { LEDGER_DECIMALS } from '@windlass/money/number-text.ts'
import { formatTyped, readTyped, twoReadings } from '@windlass/money/typed-amount.ts'
import { facts, h } from './dom.ts'
import type { Choice, Kind, Offers, PricedOffer } from './offers.ts'
import type { Words } from './texts.ts'

export interface FormValues {
  amount: string
  choice: Choice
}

interface FormParts {
  words: Words
  kind: Kind
  /** One: there is nothing to choose. */
  choices: readonly Choice[]
  values: { amount: string; choice?: Choice | undefined }
  onSubmit(values: FormValues): void
}

/** What the customer wants: an amount, and which asset over which rail where that is open. */
export function offerForm({ words, kind, choices, values, onSubmit }: FormParts): HTMLElement {
  const { t } = words
  const [only] = choices
  if (!only) return h('p', { class: 'error', role: 'alert' }, t('noChoices'))
  const example = { example: words.amount('25.5') }
  const chosen = () => choices[select?.selectedIndex ?? 0] ?? only
  const select = choices.length > 1 ? choiceList(words, choices, values.choice) : null
  const label = h('label', { for: 'amount' })
  const named = () => {
    label.textContent = t('amount', { asset: codeOf(chosen().asset) })
  }
  select?.addEventListener('change', named)
  named()
  const amount = h('input', {
    id: 'amount',
    name: 'amount',
    type: 'text',
    inputmode: 'decimal',
    autocomplete: 'off',
    'aria-describedby': 'amount-hint',
    value: formatTyped(values.amount, words.locale),
  })
  const hint = h('p', { id: 'amount-hint', class: 'hint', 'aria-live': 'polite' }, t('amountHint', example))
  const say = (text: string, isWrong: boolean) => {
    hint.textContent = text
    hint.className = isWrong ? 'hint error' : 'hint'
  }
  // What is sent is said before it is, in the reader's own way to write numbers.
  const showReading = () => {
    const read = readAmount(words, amount.value)
    if (amount.value.trim() === '') say(t('amountHint', example), false)
    else if ('problem' in read) say(read.problem, true)
    else say(t('amountRead', { amount: words.amount(read.number, codeOf(chosen().asset)) }), false)
  }
  amount.addEventListener('input', showReading)
  select?.addEventListener('change', showReading)
  showReading()
  const submit = (event: Event) => {
    event.preventDefault()
    const read = readAmount(words, amount.value)
    if ('number' in read) return onSubmit({ amount: read.number, choice: chosen() })
    say(read.problem, true)
    amount.setAttribute('aria-invalid', 'true')
    amount.focus()
  }
  return h(
    'form',
    { novalidate: true, onsubmit: submit, part: 'form' },
    h(
      'h2',
      { tabindex: '-1' },
      t(kind === 'deposit' ? 'depositTitle' : 'withdrawTitle', { asset: title(choices, t('anyAsset')) }),
    ),
    ...(select ? [h('label', { for: 'choice' }, t('choice')), select] : []),
    label,
    amount,
    hint,
    h('div', { class: 'actions' }, h('button', { class: 'main', part: 'button' }, t('compare'))),
  )
}

/** A positive amount with at most 7 decimals, as the ledger counts. */
function readAmount({ t, locale, amount }: Words, text: string): { number: string } | { problem: string } {
  const read = readTyped(text, locale, LEDGER_DECIMALS)
  if ('number' in read && /[1-9]/.test(read.number)) return read
  if ('fault' in read && read.fault === 'two-ways') {
    const [few, many] = twoReadings(text, locale)
    return { problem: t('amountTwoWays', { few, many }) }
  }
  return { problem: t('amountInvalid', { example: amount('25.5') }) }
}

const codeOf = (asset: string) => asset.split(':')[0] ?? asset

function title(choices: readonly Choice[], anyAsset: string): string {
  const codes = new Set(choices.map(({ asset }) => codeOf(asset)))
  return codes.size === 1 ? ([...codes][0] ?? anyAsset) : anyAsset
}

function choiceList({ t }: Words, choices: readonly Choice[], chosen: Choice | undefined): HTMLSelectElement {
  const same = (one: Choice) => JSON.stringify(one) === JSON.stringify(chosen)
  return h(
    'select',
    { id: 'choice', name: 'choice' },
    ...choices.map(choice => {
      const { asset, rail, currency } = choice
      return h(
        'option',
        { selected: same(choice) },
        t('choiceOption', { asset: codeOf(asset), rail, currency }),
      )
    }),
  )
}

interface ListParts {
  words: Words
  kind: Kind
  offers: Offers
  /** Names the account that what is deposited goes to, and says what keeps it from that. */
  account: readonly HTMLElement[]
  /** The first one too. */
  onChoose(offer: PricedOffer): void
  onContinue(offer: PricedOffer): void
  onChange(): void
}

/** The best offers, each with what it costs; the fees and the reason stand below the list. */
export function offerList(parts: ListParts): HTMLElement {
  const { words, kind, offers, account, onChoose, onContinue, onChange } = parts
  const { t } = words
  const { list, route } = offers
  const [first] = list
  if (!first) return h('p', { class: 'error', role: 'alert' }, t('noAnchor'))
  let chosen = first
  const detail = h('div')
  const proceed = h('button', {
    class: 'main',
    part: 'button',
    type: 'button',
    onclick: () => onContinue(chosen),
  })
  const show = (priced: PricedOffer) => {
    chosen = priced
    onChoose(priced)
    proceed.textContent = t('continueWith', { domain: priced.offer.domain })
    detail.replaceChildren(
      ...details(words, kind, priced),
      ...(priced === first ? reasons(words, offers) : []),
    )
  }
  const radios = list.map((priced, place) =>
    h(
      'label',
      { class: 'offer', part: 'offer' },
      h('input', { type: 'radio', name: 'offer', checked: place === 0, onchange: () => show(priced) }),
      h(
        'span',
        {},
        h('b', {}, priced.offer.domain, ...badges(words, priced, place === 0 && route !== null)),
        h('span', {}, `${t(kind === 'deposit' ? 'youPay' : 'youGet')}: ${moneyOf(words, kind, priced)}`),
        h(
          'span',
          { class: 'soft' },
          `${t('fee')}: ${words.amount(priced.offer.fee.total, priced.offer.asset)}`,
        ),
      ),
    ),
  )
  show(first)
  return h(
    'section',
    {},
    h('h2', { tabindex: '-1' }, t('offers')),
    h('fieldset', { 'aria-label': t('offers') }, ...radios),
    detail,
    ...account,
    h(
      'div',
      { class: 'actions' },
      proceed,
      h('button', { type: 'button', part: 'button', onclick: onChange }, t('change')),
    ),
  )
}

const moneyOf = ({ amount }: Words, kind: Kind, { gives, gets }: PricedOffer): string =>
  kind === 'deposit' ? amount(gives.amount, gives.unit) : amount(gets.amount, gets.unit)

function badges({ t }: Words, { offer }: PricedOffer, isBest: boolean): HTMLElement[] {
  return [
    ...(isBest ? [h('span', { class: 'badge' }, t('best'))] : []),
    ...(offer.external ? [h('span', { class: 'badge', title: t('externalHint') }, t('externalAnchor'))] : []),
  ]
}

function details(words: Words, kind: Kind, { offer, gives, gets }: PricedOffer): Node[] {
  const { t, amount, percent } = words
  const { asset, currency, fee } = offer
  const giving = t(kind === 'deposit' ? 'youPay' : 'youSend')
  return [
    h('h3', {}, t('feeDetails')),
    facts([
      [t('fixedFee'), amount(fee.fixed, asset)],
      [t('serviceFee', { percent: percent(fee.percentage) }), amount(fee.variable, asset)],
      [t('totalFee'), amount(fee.total, asset)],
      [t('rate'), `1 ${asset} = ${amount(offer.fxRate, currency)}`],
      [giving, amount(gives.amount, gives.unit)],
      [t('youGet'), h('strong', {}, amount(gets.amount, gets.unit))],
    ]),
    ...(offer.external ? [h('p', { class: 'soft' }, t('externalHint'))] : []),
  ]
}

function reasons({ t, amount }: Words, { list, route, count }: Offers): Node[] {
  const scores = list[0]?.offer.scores
  if (!route) return []
  const rounded = (score: number) => amount(String(Math.round(score)))
  const summary =
    scores &&
    (count === 1
      ? t('whyOnly')
      : t('whySummary', {
          count,
          score: rounded(route.score),
          fee: rounded(scores.fee),
          speed: rounded(scores.speed),
          uptime: rounded(scores.uptime),
          liquidity: rounded(scores.liquidity),
        }))
  return [
    h(
      'details',
      {},
      h('summary', {}, t('why')),
      summary ? h('p', {}, summary) : null,
      // The aggregator explains in English.
      h('pre', { lang: 'en', 'aria-label': t('whyFull') }, route.reasoning),
    ),
  ]
}
