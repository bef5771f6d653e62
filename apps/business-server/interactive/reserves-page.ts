import type { Reserves } from '@windlass/contracts/reserves.ts'
import { html, type Html } from './html.ts'
import { fact, facts } from './pieces.ts'
import type { Texts } from './texts.ts'

/** What the anchor owes and holds, in English, for anyone. */
export function reservesPage(t: Texts, { reserves, message, signingKey, signature }: Reserves): Html {
  const { asset, units, money, owedMoney, at, ledger, distributionAccount, coldAccount } = reserves
  const own = units.issued !== '0'
  const inUnits = (amount: string) => `${amount} ${asset.code}`
  const line = (label: string, value: string) => fact(t, label, value, null)
  return html`<h1>Reserves</h1>
    <p>What this anchor owes and holds, at ${at.slice(0, 16).replace('T', ' ')} UTC, ledger ${ledger}.</p>
    <h2>${asset.code}</h2>
    ${facts([
      ...(own ? [line('Issued', inUnits(units.issued))] : []),
      line('Held by the anchor', inUnits(units.held)),
      ...(coldAccount ? [line('In the cold account', inUnits(units.cold))] : []),
      ...(own ? [line('Held by others', inUnits(units.circulating))] : []),
      line('Owed to customers', inUnits(units.owed)),
    ])}
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
      ...(coldAccount ? [fact(t, 'Cold account', coldAccount)] : []),
      fact(t, 'Signing key', signingKey),
      fact(t, 'Signature', signature ?? 'none'),
      fact(t, 'Message', message),
    ])}`
}
