import { isListedAs, XLM } from './asset.ts'
import { readDiscoveryFile } from './sep1.ts'
import { ensure, member, type Check, type Visit } from './visit.ts'

const ORGANIZATION = ['ORG_NAME', 'ORG_URL', 'ORG_LOGO', 'ORG_DESCRIPTION', 'ORG_OFFICIAL_EMAIL']
const CURRENCY = ['code', 'issuer', 'status', 'name', 'desc', 'image', 'redemption_instructions']

/** Nobody issues it, it is redeemed for nothing, and explorers have its logo. */
const NOT_OF_XLM = ['issuer', 'image', 'redemption_instructions']

const missingIn = (value: unknown, names: readonly string[]): string[] =>
  names.filter(name => typeof member(value, name) !== 'string' || member(value, name) === '')

const ownCurrency = async (visit: Visit): Promise<unknown> => {
  const listed = member(await readDiscoveryFile(visit), 'CURRENCIES')
  return (Array.isArray(listed) ? listed : []).find(entry => isListedAs(entry, visit.anchor.asset))
}

async function ensurePage(visit: Visit, what: string, address: unknown): Promise<void> {
  const url = typeof address === 'string' && URL.canParse(address) ? address : null
  ensure(url !== null && /^https:/.test(url), `${what} is no https address.`)
  const { status } = await visit.ask(url, { method: 'HEAD' })
  // Some servers know no HEAD.
  ensure(status < 400 || status === 405, `${what} (${url}) was answered with ${status}.`)
}

/** What directories of anchors and asset pages of explorers show, beyond what wallets need. */
export const listing: readonly Check[] = [
  {
    name: 'listing-organization',
    requirement: `[DOCUMENTATION] has ${ORGANIZATION.join(', ')}.`,
    impact: 'Directories do not list the anchor, or list it without name, logo or contact.',
    run: async visit => {
      const missing = missingIn(member(await readDiscoveryFile(visit), 'DOCUMENTATION'), ORGANIZATION)
      ensure(missing.length === 0, `[DOCUMENTATION] lacks ${missing.join(', ')}.`)
    },
  },
  {
    name: 'listing-currency',
    requirement: `The currency has ${CURRENCY.join(', ')}.`,
    impact: 'Explorers show the asset without logo, or without how it is redeemed.',
    run: async visit => {
      const isXlm = visit.anchor.asset.issuer === XLM.issuer
      const needed = CURRENCY.filter(name => !isXlm || !NOT_OF_XLM.includes(name))
      const missing = missingIn(await ownCurrency(visit), needed)
      ensure(missing.length === 0, `[[CURRENCIES]] lacks ${missing.join(', ')}.`)
    },
  },
  {
    name: 'listing-pages',
    requirement: 'ORG_URL and ORG_LOGO are https addresses that answer.',
    impact: 'Directories refuse the entry, because nobody can see whose it is.',
    run: async visit => {
      const organization = member(await readDiscoveryFile(visit), 'DOCUMENTATION')
      for (const name of ['ORG_URL', 'ORG_LOGO']) await ensurePage(visit, name, member(organization, name))
    },
  },
  {
    name: 'listing-https',
    requirement: 'Every address of the discovery file is https.',
    impact: 'Directories and wallets of the public network refuse the anchor.',
    run: async visit => {
      const file = await readDiscoveryFile(visit)
      const plain = Object.entries(file).find(([, value]) => /^http:/.test(String(value)))
      ensure(!plain, `${plain?.[0]} is ${String(plain?.[1])}.`)
    },
  },
]
