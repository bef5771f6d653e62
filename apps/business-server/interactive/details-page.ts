import { pauseMessageOf } from '@windlass/contracts/anchor/anchor-settings.ts'
import { servedAsset } from '@windlass/contracts/internal/served-assets.ts'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { formatTyped } from '@windlass/money/typed-amount.ts'
import type { Deps } from '../deps.ts'
import { type Html, html } from './html.ts'
import { shown as number } from './numbers.ts'
import { alert } from './pieces.ts'
import { type Texts, side, word } from './texts.ts'
import { exchangeRate } from '../money/pricing/exchange-rate.ts'
import type { Rail } from '../rails/rail.ts'
import { currentSettings } from '../money/settings/settings.ts'
import { isRailOn, limitsOf, pauseOf } from '../money/settings/terms.ts'
import type { Transfer } from '../tables.ts'
import { largestAmount } from '../transfers/confirm.ts'
import type { Destination } from '../transfers/destination.ts'
import type { Situation } from './step.ts'

interface Shown {
  base: string
  /** What was typed before, by field. */
  form: Readonly<Record<string, string>>
  problem?: string
}

/** Amount, rail and, for a withdrawal, where the money goes. */
export async function detailsPage(
  deps: Deps,
  t: Texts,
  { transfer, destination }: Situation,
  shown: Shown,
): Promise<Html> {
  const { config, rails } = deps
  const { plan } = config.anchor
  const { code, anchoredTo } = servedAsset(config.anchor, transfer.asset)
  const { direction } = transfer
  const { settings } = await currentSettings(deps, deps.database.db)
  const limits = limitsOf(plan, transfer)
  const usable = [...rails.values()].filter(
    rail => exchangeRate(config.fx, anchoredTo, rail.currency) && isRailOn(settings, rail, direction),
  )
  const most = await largestAmount(deps, transfer)
  const paused = pauseOf(settings, direction)
  const standard = paused === null ? undefined : pauseMessageOf(paused)
  const closed =
    (standard ? t.pauses[standard] : paused) ??
    (usable.length === 0 ? t.noRail : most < parseAmount(limits.min) ? t.noCapacity(code) : undefined)
  if (closed)
    return html`<h1>${side(t.detailsTitle, direction)(code)}</h1>
      ${alert(closed)}`
  const settled =
    transfer.amount === null ? '' : formatTyped(formatAmount(parseAmount(transfer.amount)), t.lang)
  return html`<h1>${side(t.detailsTitle, direction)(code)}</h1>
    ${alert(shown.problem)}
    <form method="post" action="${shown.base}/details">
      <label
        >${side(t.howMuch, direction)(code)}
        <span class="with-unit"
          ><input
            class="amount"
            name="amount"
            required
            inputmode="decimal"
            autocomplete="off"
            pattern="[0-9.,  ]+"
            value="${shown.form.amount ?? settled}"
            ${transfer.quote_id ? html` readonly` : html` data-price="${shown.base}/price"`}
          /><span aria-hidden="true">${code}</span></span
        >
        <span class="hint"
          >${t.limits(number(t.lang, limits.min), number(t.lang, formatAmount(most)), code)}</span
        >
      </label>
      <p class="price" id="price" role="status"></p>
      ${usable.length > 1 && !transfer.quote_id ? choices(t, transfer, usable, shown) : null}
      ${direction === 'withdrawal' ? destinationInputs(t, rails.get(transfer.rail), destination, shown) : null}
      <button>${t.continue}</button>
    </form>`
}

function choices(t: Texts, transfer: Transfer, usable: readonly Rail[], { form }: Shown): Html {
  const chosen = form.rail ?? transfer.rail
  return html`<fieldset>
    <legend>${side(t.rails, transfer.direction)}</legend>
    ${usable.map(
      ({ name, label, currency }) =>
        html`<label class="choice"
          ><input type="radio" name="rail" value="${name}" ${name === chosen ? html` checked` : null} />
          <span>${word(t, label)}</span><span class="hint">${currency}</span></label
        >`,
    )}
  </fieldset>`
}

function destinationInputs(t: Texts, rail: Rail | undefined, given: Destination, { form }: Shown): Html[] {
  return (rail?.destinationFields ?? []).map(
    ({ name, label, pattern, hint, optional }) =>
      html`<label
        ><span>${word(t, label)}${optional ? html` <span class="hint">(${t.optional})</span>` : null}</span>
        <input
          name="${name}"
          ${optional ? null : html` required`}
          pattern="${pattern}"
          autocomplete="off"
          autocapitalize="off"
          spellcheck="false"
          value="${form[name] ?? given[name] ?? ''}"
        />
        <span class="hint">${word(t, hint)}</span></label
      >`,
  )
}
