import { servedAsset } from '@windlass/contracts/internal/served-assets.ts'
import { AmountError, formatAmount, parseAmount, parsePositiveAmount } from '@windlass/money/amount.ts'
import { LEDGER_DECIMALS } from '@windlass/money/number-text.ts'
import { readTyped, twoReadings, type TypedFault } from '@windlass/money/typed-amount.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { changeCustomer } from '../people/customers/customers.ts'
import { linkByCode, sendCode } from '../people/customers/link-wallet.ts'
import { fitsSep9 } from '../people/customers/sep9-values.ts'
import { startVerification } from '../people/customers/verification.ts'
import type { Deps } from '../deps.ts'
import { shown } from './numbers.ts'
import { situationOf } from './situation.ts'
import { type Situation, type Step, stepOf } from './step.ts'
import { textsFor, word, type Texts } from './texts.ts'
import { readDestination } from '../rails/destination-fields.ts'
import type { Rail } from '../rails/rail.ts'
import { currentSettings } from '../money/settings/settings.ts'
import { isRailOn, limitsOf } from '../money/settings/terms.ts'
import { priceOf } from '../transfers/amounts.ts'
import { WALLET_PROOF } from '../transfers/travel-data.ts'
import { confirm, PriceChanged, largestAmount } from '../transfers/confirm.ts'
import { changeTyped } from '../transfers/change.ts'

/** Where to go after a form (by default the page itself), or what is wrong with it. */
type Outcome = { goTo?: string } | { problem: string }

type Form = Readonly<Record<string, string>>

/** The pages' forms. A form does nothing unless the transfer is at its step, so that an outdated page has no effect. */
const actions: Readonly<
  Record<
    string,
    {
      at: readonly Step[]
      run(deps: Deps, situation: Situation, form: Form, client: string | undefined): Promise<Outcome>
    }
  >
> = {
  email: { at: ['email', 'code', 'confirm'], run: giveEmail },
  code: { at: ['code'], run: giveCode },
  verify: { at: ['verify', 'verifying'], run: goToProvider },
  details: { at: ['details', 'person', 'review'], run: giveDetails },
  person: { at: ['person'], run: givePerson },
  confirm: { at: ['review'], run: agree },
  paid: { at: ['pay'], run: simulatePayment },
}

export const actionNames = Object.keys(actions)

/** Processes a form; `client` is the browser's network address, if known. A refusal is shown on the page. */
export async function runAction(
  deps: Deps,
  id: string,
  name: string,
  form: Form,
  client: string | undefined,
): Promise<Outcome> {
  const found = actions[name]
  if (!found) throw new Problem('not-found', 'There is nothing here.')
  const situation = await situationOf(deps, id)
  if (!found.at.includes(stepOf(situation))) return {}
  try {
    return await found.run(deps, situation, form, client)
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return { problem: sentence(error.message) }
    throw error
  }
}

async function giveEmail(
  deps: Deps,
  { customer }: Situation,
  form: Form,
  client: string | undefined,
): Promise<Outcome> {
  if (!customer) return {}
  if (form.again) await changeCustomer(deps, customer.id, { pendingEmail: null, unconfirmed: false })
  else await sendCode(deps, customer, (form.email ?? '').trim(), client)
  return {}
}

async function giveCode(
  deps: Deps,
  { customer, transfer }: Situation,
  form: Form,
  client: string | undefined,
): Promise<Outcome> {
  if (customer && (await linkByCode(deps, customer, form.code ?? '', client))) return {}
  return { problem: textsFor(transfer.lang).wrongCode }
}

async function goToProvider(deps: Deps, { transfer, kyc }: Situation): Promise<Outcome> {
  if (!kyc.centralId) return {}
  const back = `${deps.config.anchor.publicUrl}/interactive/t/${transfer.id}`
  return { goTo: await startVerification(deps, kyc.centralId, back) }
}

async function giveDetails(deps: Deps, { transfer }: Situation, form: Form): Promise<Outcome> {
  const t = textsFor(transfer.lang)
  const fixed = transfer.quote_id !== null
  const rail = deps.rails.get(fixed ? transfer.rail : (form.rail ?? transfer.rail))
  if (!rail || !(await isOffered(deps, transfer, rail))) return { problem: t.chooseRail }
  const otherRail = rail.name !== transfer.rail
  if (otherRail && !form.amount?.trim()) return chooseRail(deps, transfer.id, rail)
  const typed = fixed
    ? { amount: transfer.amount }
    : await typedAmount(deps, transfer, rail, form.amount ?? '')
  if ('problem' in typed) return typed
  const { destination, wrong } = readDestination(
    transfer.direction === 'withdrawal' ? rail.destinationFields : [],
    form,
  )
  // Choosing another rail asks for other details: the form comes again with them.
  if (wrong.length > 0 && !otherRail) {
    return { problem: t.checkDetails(wrong.map(each => ({ ...each, label: word(t, each.label) }))) }
  }
  await changeTyped(deps, transfer.id, {
    ...(fixed ? {} : { ...typed, rail: rail.name, currency: rail.currency }),
    // It may contain another rail's account number: none of it is stored.
    destination: wrong.length > 0 ? {} : destination,
  })
  return {}
}

async function isOffered(deps: Deps, { direction }: Situation['transfer'], rail: Rail): Promise<boolean> {
  const { settings } = await currentSettings(deps, deps.database.db)
  return isRailOn(settings, rail, direction)
}

/** The typed amount if it is valid, else what is wrong with it. */
async function typedAmount(
  deps: Deps,
  transfer: Situation['transfer'],
  { name: rail, currency }: Rail,
  text: string,
): Promise<{ amount: string } | { problem: string }> {
  const { plan } = deps.config.anchor
  const asset = servedAsset(deps.config.anchor, transfer.asset)
  const limits = limitsOf(plan, transfer)
  const t = textsFor(transfer.lang)
  const most = await largestAmount(deps, transfer)
  const read = readTyped(text, t.lang, LEDGER_DECIMALS)
  if ('fault' in read) return { problem: amountProblem(t, read.fault, text) }
  try {
    const amount = readAmount(read.number)
    priceOf(deps.config, { ...transfer, rail, currency }, parsePositiveAmount(amount))
    if (parseAmount(amount) > most)
      return { problem: t.tooMuch(shown(t.lang, formatAmount(most)), asset.code) }
    return { amount }
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error
    const bounds = t.limits(shown(t.lang, limits.min), shown(t.lang, formatAmount(most)), asset.code)
    return { problem: t.checkAmount(sentence(error.message), bounds) }
  }
}

async function chooseRail(deps: Deps, id: string, { name, currency }: Rail): Promise<Outcome> {
  await changeTyped(deps, id, { rail: name, currency, destination: {} })
  return {}
}

/** Why a typed amount was not understood, and what can be typed instead. */
function amountProblem(t: Texts, fault: TypedFault, text: string): string {
  if (fault === 'two-ways') return t.amountTwoWays(...twoReadings(text, t.lang))
  if (fault === 'too-many-decimals') return t.amountDecimals(LEDGER_DECIMALS)
  return t.amountInvalid(shown(t.lang, '1234.5'))
}

function readAmount(text: string): string {
  try {
    return formatAmount(parsePositiveAmount(text.trim()))
  } catch (error) {
    if (error instanceof AmountError) throw new Problem('validation-failed', `the amount ${error.message}`)
    throw error
  }
}

/** What the travel rule asks for about the customer, and nothing else. */
async function givePerson(
  deps: Deps,
  { customer, transfer, lacking }: Situation,
  form: Form,
): Promise<Outcome> {
  if (!customer) return {}
  const t = textsFor(transfer.lang)
  const typed = lacking.filter(name => name !== WALLET_PROOF)
  const given = typed.map(name => [name, (form[name] ?? '').trim()] as const)
  if (given.length === 0) return {}
  const wrong = given.filter(([name, value]) => value === '' || !fitsSep9(name, value))
  if (wrong.length > 0) return { problem: t.checkPerson(wrong.map(([name]) => t.person[name] ?? name)) }
  await changeCustomer(deps, customer.id, { fields: Object.fromEntries(given) })
  return {}
}

async function agree(deps: Deps, { transfer }: Situation, { money }: Form): Promise<Outcome> {
  try {
    await confirm(deps, transfer.id, money === undefined ? undefined : { money })
    return {}
  } catch (error) {
    if (error instanceof PriceChanged) return { problem: textsFor(transfer.lang).rateChanged }
    throw error
  }
}

/** Only where the rail is simulated. */
async function simulatePayment(
  { simulatedPayments }: Deps,
  { transfer, rail }: Situation,
  form: Form,
  client: string | undefined,
): Promise<Outcome> {
  const { reference } = transfer
  if (!rail?.simulation || !reference) return {}
  const t = textsFor(transfer.lang)
  const typed = form.amount?.trim()
  const read = typed ? readTyped(typed, t.lang, LEDGER_DECIMALS) : { number: transfer.fiat_amount ?? '' }
  if ('fault' in read) return { problem: amountProblem(t, read.fault, typed ?? '') }
  const amount = readAmount(read.number)
  if (form.how === 'declined') return { problem: t.simulatedDeclined }
  if (client !== undefined) await simulatedPayments.client.demand(client)
  await simulatedPayments.deposit.demand(transfer.id)
  await rail.simulation.payIn({ reference, amount }, form.how === 'slow')
  return {}
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`
