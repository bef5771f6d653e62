import { countries } from '@windlass/contracts/countries.ts'
import { type Html, html } from './html.ts'
import { WALLET_PROOF } from '../transfers/travel-data.ts'
import { alert } from './pieces.ts'
import type { Situation } from './step.ts'
import type { Texts } from './texts.ts'

interface Shown {
  base: string
  form: Readonly<Record<string, string>>
  problem?: string
}

const hints: Readonly<Record<string, string>> = {
  first_name: 'given-name',
  last_name: 'family-name',
  address: 'street-address',
  city: 'address-level2',
}

/** What the travel rule asks for about the customer before an amount of this size moves. */
export function personPage(
  t: Texts,
  { lacking, customer, transfer }: Situation,
  { base, form, problem }: Shown,
): Html {
  const typed = lacking.filter(name => name !== WALLET_PROOF)
  const value = (name: string) => form[name] ?? customer?.fields[name] ?? ''
  return html`<h1>${t.personTitle}</h1>
    <p>${t.personWhy}</p>
    ${alert(problem)}
    ${typed.length < lacking.length ? html`<p>${t.proveWallet(transfer.stellar_account)}</p>` : null}
    <form method="post" action="${base}/person">
      ${typed.map(
        name =>
          html`<label
            >${t.person[name] ?? name}
            ${name.endsWith('address_country_code') ? countryChoice(t, name, value(name)) : input(name, value(name))}</label
          >`,
      )}
      <button>${t.continue}</button>
    </form>
    <p class="quiet"><a href="${base}?edit=1">${t.change}</a></p>`
}

const input = (name: string, value: string): Html =>
  html`<input
    name="${name}"
    required
    maxlength="300"
    autocomplete="${hints[name] ?? 'off'}"
    value="${value}"
  />`

function countryChoice({ lang, chooseCountry }: Texts, name: string, chosen: string): Html {
  const names = new Intl.DisplayNames(lang, { type: 'region' })
  const options = [...countries]
    .map(([alpha3, alpha2]) => ({ alpha3, label: names.of(alpha2) ?? alpha2 }))
    .toSorted((one, other) => one.label.localeCompare(other.label, lang))
  return html`<select name="${name}" required autocomplete="off">
    <option value="">${chooseCountry}</option>
    ${options.map(
      ({ alpha3, label }) =>
        html`<option value="${alpha3}" ${alpha3 === chosen ? html` selected` : null}>${label}</option>`,
    )}
  </select>`
}
