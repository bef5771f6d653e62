/** Who gives an envelope to the SDK, which refuses whole transactions for one operation that the ledger takes. */
const BY_THE_SDK: Readonly<Record<string, string>> = {
  'apps/business-server/payments/build-payment.ts': 'reads what it built itself',
  'apps/signer/signing/transactions.ts': 'signs only what it understands whole',
  'apps/windlass/demo/customer.ts': 'reads the challenge of its own server',
  'apps/windlass/demo/wallet.ts': 'reads the challenge of its own server',
  'packages/ramp/try-deposit/test-account.ts': 'reads the challenge that it asked for',
  'packages/stellar/fees.ts': 'wraps what this program signed',
  'packages/stellar/sep10-challenge.ts': 'takes challenges alone, which have operations of one type',
  'packages/wallet/challenge.ts': 'reads the challenge that it asked for',
}

const READS = /\bTransactionBuilder\s*\.\s*fromX(dr|DR)\b|\bnew (Transaction|FeeBumpTransaction)\(/

/**
 * Violations, one line each: a program that reads an envelope with the SDK and is not listed with a reason, and a listed
 * file that does not (docs/adr/0212). Others read by `packages/stellar/read-envelope.ts`.
 */
export function envelopesByTheSdk(
  sources: readonly { path: string; text: string }[],
  known = BY_THE_SDK,
): string[] {
  const found = sources.filter(({ text }) => READS.test(text)).map(({ path }) => path)
  const strange = found.filter(path => !(path in known)).map(path => `envelope-read-by-the-sdk: ${path}`)
  const stale = Object.keys(known).filter(path => !found.includes(path))
  return [...strange, ...stale.map(path => `listed-without-need: ${path}`)]
}
