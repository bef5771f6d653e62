import type { Reserves } from '@windlass/contracts/anchor/reserves.ts'
import { html, type Html } from './html.ts'
import { fact, facts } from './pieces.ts'
import type { Texts } from './texts.ts'

/** What the anchor owes and holds, in English, for anyone. */
export function reservesPage(t: Texts, { reserves, message, signingKey, signature }: Reserves): Html {
  const { money, owedMoney, at, ledger, distributionAccount } = reserves
  const each = [reserves, ...(reserves.further ?? [])]
  const line = (label: string, value: string) => fact(t, label, value, null)
  return html`<h1>Reserves</h1>
    <p>What this anchor owes and holds, at ${at.slice(0, 16).replace('T', ' ')} UTC, ledger ${ledger}.</p>
    ${each.map(part => unitsOf(t, part))}
    <h2>Money</h2>
    ${facts([
      ...money.map(({ rail, held, currency, simulated }) =>
        line(simulated ? `${rail} (simulated)` : rail, `${held} ${currency}`),
      ),
      ...owedMoney.map(({ amount, currency }) => line('To be returned', `${amount} ${currency}`)),
    ])}
    <h2>Verify</h2>
    <p>
      Units are on the ledger: read the accounts there. The statement is signed with the anchor's signing key
      by SEP-53. Money at rails is what the anchor's journal says; no bank signs it.
    </p>
    ${facts([
      fact(t, 'Distribution account', distributionAccount),
      ...each.flatMap(({ asset, coldAccount }) =>
        coldAccount ? [fact(t, `Cold account of ${asset.code}`, coldAccount)] : [],
      ),
      fact(t, 'Signing key', signingKey),
      fact(t, 'Signature', signature ?? 'none'),
      fact(t, 'Message', message),
    ])}`
}

type Part = Pick<Reserves['reserves'], 'asset' | 'units' | 'coldAccount'>

function unitsOf(t: Texts, { asset, units, coldAccount }: Part): Html {
  const own = units.issued !== '0'
  const line = (label: string, amount: string) => fact(t, label, `${amount} ${asset.code}`, null)
  return html`<h2>${asset.code}</h2>
    ${facts([
      ...(own ? [line('Issued', units.issued)] : []),
      line('Held by the anchor', units.held),
      ...(coldAccount ? [line('In the cold account', units.cold)] : []),
      ...(own ? [line('Held by others', units.circulating)] : []),
      line('Owed to customers', units.owed),
    ])}`
}
